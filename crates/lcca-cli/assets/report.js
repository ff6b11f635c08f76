"use strict";

// Shows one component at a time, with its leading columns and its scatter plot, highlights it in all pictures, tells which row
// a point is, searches for columns, and saves pictures and tables as files. All other pictures are in the page already. Data
// reach the page as text content only.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const components = data.components;
  const given = data.given;
  const picker = document.getElementById("component");
  const order = document.getElementById("order");
  const [previous, next] = ["previous", "next"].map((id) => document.getElementById(id));

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const floats = (text) => new Float32Array(bytes(text).buffer);

  /** An element with text and attributes. */
  function element(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  /** A number with a fixed number of digits and a true minus; a dash if it is not finite. What is rounded to 0 has no sign. */
  function decimal(value, digits) {
    if (value === null || !Number.isFinite(value)) return "–";
    const text = value.toFixed(digits);
    return text.replace("-", /[1-9]/.test(text) ? "\u2212" : "");
  }

  /** A number of any size with a few digits. */
  function short(value, digits = 4) {
    if (value === null || !Number.isFinite(value)) return "–";
    const plain = value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5);
    return (plain ? String(Number(value.toPrecision(digits))) : value.toExponential(2)).replaceAll("-", "\u2212");
  }

  /** Shows a component, counted from 1. */
  function choose(number) {
    const chosen = Math.min(Math.max(1, number), components.length);
    picker.value = String(chosen);
    previous.disabled = chosen === 1;
    next.disabled = chosen === components.length;
    const component = components[chosen - 1];
    document.getElementById("chosen").textContent = heading(chosen, component);
    leaders("x", component.x[order.value]);
    leaders("y", component.y[order.value]);
    if (given) scatter(chosen);
    highlight(chosen, "chosen");
  }

  /** Marks everything that belongs to a component in the pictures and in the table; 0 marks nothing. */
  function highlight(number, mark) {
    document.querySelectorAll(`.${mark}`).forEach((part) => part.classList.remove(mark));
    for (const part of document.querySelectorAll(`[data-component="${number}"]`)) (part.closest("tr") ?? part).classList.add(mark);
  }

  function heading(chosen, component) {
    const rows = given && !given.areTraining ? `, ${decimal(given.correlations[chosen - 1], 4)} on the given rows` : "";
    return `Component ${chosen}: correlation ${decimal(component.correlation, 4)}${rows}`;
  }

  /** The table of a view: name, bar, loading, weight. */
  function leaders(view, rows) {
    const table = document.getElementById(`leaders-${view}`);
    const ranked = order.value === "weight" ? 2 : 1;
    const values = rows.map((row) => row[ranked] ?? 0);
    let [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    if (low === high) high = 1;
    const head = element("thead");
    const titles = element("tr");
    for (const [title, kind] of [["column", "name"], ["", ""], ["loading", "number"], ["weight", "number"]]) {
      titles.append(title === "" ? element("td", undefined, { class: "track" }) : element("th", title, { scope: "col", class: kind }));
    }
    head.append(titles);
    const body = element("tbody");
    for (const row of rows) {
      const line = element("tr");
      const name = element("td", undefined, { class: "name" });
      name.append(element("bdi", row[0]));
      line.append(name, bar(row[ranked] ?? 0, low, high));
      line.append(element("td", decimal(row[1], 3), { class: "number" }), element("td", short(row[2], 3), { class: "number" }));
      body.append(line);
    }
    table.replaceChildren(table.caption, head, body);
  }

  /** A bar from 0 to a value, on a track from the lowest to the highest. */
  function bar(value, low, high) {
    const cell = element("td", undefined, { class: "track" });
    const track = element("div", undefined, { class: "bar" });
    const mark = element("span");
    const place = (v) => (100 * (v - low)) / (high - low);
    track.style.backgroundPosition = `${place(0)}% 50%`;
    mark.style.left = `${place(Math.min(0, value))}%`;
    mark.style.width = `${place(Math.abs(value) + low)}%`;
    track.append(mark);
    cell.append(track);
    return cell;
  }

  // The scatter plot: drawn at the width of its figure, and drawn again when that changes.

  const drawing = document.querySelector("#scatter .drawing");
  let scattered = { chosen: 0, width: 0 };
  const looks = given?.looks ? bytes(given.looks) : new Uint8Array(given?.rows.length ?? 0).fill(given?.others ?? 0);

  function scatter(chosen) {
    const width = Math.floor(drawing.clientWidth);
    if (width === 0 || (scattered.chosen === chosen && scattered.width === width)) return;
    scattered = { chosen, width };
    const [x, y] = [given.x, given.y].map((packed) => floats(packed[chosen - 1]));
    const labels = legend(width);
    const above = labels.length === 0 ? 0 : labels.at(-1).y + 26;
    const [left, right, top, bottom] = [56, width - 26, above + 26, above + Math.round(Math.min(width * 0.8, 420)) - 40];
    const [across, down] = [axis(x, left, right, width / 90), axis(y, bottom, top, 6)];
    const parts = [
      ...across.ticks.map(([at, text]) => line(at, top, at, bottom) + words(at, bottom + 16, "middle", text, "quiet small")),
      ...down.ticks.map(([at, text]) => line(left, at, right, at) + words(left - 6, at + 4, "end", text, "quiet small")),
      words(right, bottom + 34, "end", `variable ${chosen} of X`, "ink"),
      words(0, above + 12, "start", `variable ${chosen} of Y`, "ink"),
      ...labels.map(({ x, y, look }) => `<path class="f${look}" transform="translate(${x + 7} ${y + 8})" d="${given.shapes[look]}"/>`),
    ];
    const points = [];
    for (const look of new Set(looks)) {
      const own = [];
      for (let row = 0; row < x.length; row++) {
        if (looks[row] !== look || !Number.isFinite(x[row]) || !Number.isFinite(y[row])) continue;
        own.push({ x: across.place(x[row]).toFixed(1), y: down.place(y[row]).toFixed(1), row });
      }
      parts.push(given.areFew ? shapes(look, own) : dots(look, own));
      points.push(...own);
    }
    const label = `canonical variables of component ${chosen}, Y against X`;
    const [size, box] = [`width="${width}" height="${bottom + 40}"`, `viewBox="0 0 ${width} ${bottom + 40}"`];
    // Numbers and fixed words only: no name of the data is in this markup.
    drawing.innerHTML = `<svg class="picture" role="img" aria-label="${label}" ${box} ${size}>${parts.join("")}</svg>`;
    for (const { x, y, name } of labels) {
      const text = svgElement("text", { class: "ink", x: x + 22, y: y + 12 });
      text.textContent = name;
      drawing.firstElementChild.append(text);
    }
    nameRows(drawing.firstElementChild, points, { left, right: right + 8, top: top - 4, bottom });
    tellRows(drawing.firstElementChild, points);
  }

  /** The places of the labels above the scatter plot, line by line. */
  function legend(width) {
    let [x, y] = [0, 0];
    return given.legend.map(([name, look]) => {
      const wide = 36 + 7.5 * name.length;
      if (x > 0 && x + wide > width) [x, y] = [0, y + 20];
      x += wide;
      return { x: x - wide, y, name, look };
    });
  }

  /** Few rows have the shapes that their labels have in the other pictures. */
  function shapes(look, own) {
    const shape = `<defs><path id="shape-${look}" d="${given.shapes[look]}"/></defs>`;
    return shape + own.map(({ x, y }) => `<use href="#shape-${look}" class="f${look} mark" x="${x}" y="${y}"/>`).join("");
  }

  function dots(look, own) {
    return `<path class="dots s${look}" style="stroke-width:4.4" d="${own.map(({ x, y }) => `M${x} ${y}h0`).join("")}"/>`;
  }

  function svgElement(tag, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  /** Writes the names of few rows beside their points, those that stand out first: each at the first free of a few places. */
  function nameRows(svg, points, bounds) {
    if (!given.names) return;
    const middle = [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2];
    const away = ({ x, y }) => Math.hypot(x - middle[0], y - middle[1]);
    const box = (left, top, right, bottom) => ({ left, top, right, bottom });
    const taken = points.map(({ x, y }) => box(x - 4, y - 4, +x + 4, +y + 4));
    const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const holds = (a) => a.left >= bounds.left && a.right <= bounds.right && a.top >= bounds.top && a.bottom <= bounds.bottom;
    const isFree = (a) => holds(a) && !taken.some((b) => overlap(a, b));
    for (const point of [...points].sort((a, b) => away(b) - away(a))) {
      const [x, y] = [Number(point.x), Number(point.y)];
      const text = svgElement("text", { class: "quiet small halo" });
      text.textContent = given.names[point.row];
      svg.append(text);
      const wide = text.getComputedTextLength();
      const [near, far] = x < middle[0] ? [-1, 1] : [1, -1];
      const places = [[near, 0], [near, -10], [near, 10], [0, -12], [0, 12], [far, 0], [far, -10], [far, 10], [near, -20], [near, 20]];
      const boxes = places.map(([side, down]) => {
        const left = x + 5 * side + ((side - 1) * wide) / 2;
        return box(left, y + down - 6.5, left + wide, y + down + 6.5);
      });
      const free = boxes.find(isFree);
      if (!free) {
        text.remove();
        continue;
      }
      taken.push(free);
      text.setAttribute("x", free.left.toFixed(1));
      text.setAttribute("y", (free.top + 10.5).toFixed(1));
    }
  }

  /** Names the row whose point is nearest to the pointer, if one is near. */
  function tellRows(svg, points) {
    const near = 12;
    const [ring, text] = [svgElement("circle", { class: "ring", r: 6 }), svgElement("text", { class: "ink small told" })];
    const hide = () => [ring, text].forEach((part) => part.remove());
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("pointermove", (event) => {
      const { left, top, width: shown } = svg.getBoundingClientRect();
      const width = svg.viewBox.baseVal.width;
      const [x, y] = [event.clientX - left, event.clientY - top].map((at) => (at * width) / shown);
      const away = (point) => Math.hypot(point.x - x, point.y - y);
      const nearest = points.reduce((best, point) => (best && away(best) <= away(point) ? best : point), undefined);
      if (!nearest || away(nearest) > near) return hide();
      const isRight = nearest.x > width / 2;
      ring.setAttribute("cx", nearest.x);
      ring.setAttribute("cy", nearest.y);
      text.setAttribute("x", Number(nearest.x) + (isRight ? -10 : 10));
      text.setAttribute("y", Number(nearest.y) + 4);
      text.setAttribute("text-anchor", isRight ? "end" : "start");
      text.textContent = given.titles[nearest.row];
      svg.append(ring, text);
    });
  }

  /** The points of a picture that is in the page already: those of a label are one path, in the order of the rows. */
  function drawnPoints(svg) {
    return [...svg.querySelectorAll("path.dots")].flatMap((path) => {
      const rows = [...looks.keys()].filter((row) => path.classList.contains(`s${looks[row]}`));
      const places = [...path.getAttribute("d").matchAll(/M(\S+) (\S+?)h0/g)];
      return places.length === rows.length ? places.map(([, x, y], i) => ({ x, y, row: rows[i] })) : [];
    });
  }

  const line = (x1, y1, x2, y2) => `<line class="grid" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
  const words = (x, y, anchor, text, kind) => `<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;

  /** An axis of round numbers over some values, from one pixel to another. */
  function axis(values, from, to, most) {
    const finite = values.filter((v) => Number.isFinite(v));
    let [low, high] = [Infinity, -Infinity];
    for (const v of finite) [low, high] = [Math.min(low, v), Math.max(high, v)];
    if (!(low <= high)) [low, high] = [0, 1];
    // A range of rounding errors is no range.
    const shortest = Math.max(1e-12, 0.01 * Math.max(Math.abs(low), Math.abs(high)));
    if (high - low < shortest) [low, high] = [low - shortest, high + shortest];
    const power = 10 ** Math.floor(Math.log10((high - low) / most));
    const step = power * ([1, 2, 5].find((s) => s * power * most >= high - low) ?? 10);
    const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
    const place = (v) => from + ((v / step - first) / (last - first)) * (to - from);
    const ticks = Array.from({ length: last - first + 1 }, (_, i) => [place((first + i) * step).toFixed(1), short((first + i) * step)]);
    return { place, ticks };
  }

  if (given && components.length > 0) new ResizeObserver(() => scatter(Number(picker.value))).observe(drawing);

  picker.addEventListener("change", () => choose(Number(picker.value)));
  order.addEventListener("change", () => choose(Number(picker.value)));
  previous.addEventListener("click", () => choose(Number(picker.value) - 1));
  next.addEventListener("click", () => choose(Number(picker.value) + 1));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-component]");
    if (link) choose(Number(link.dataset.component));
  });
  document.addEventListener("pointerover", (event) => {
    const part = event.target.closest("svg [data-component]");
    highlight(part ? Number(part.dataset.component) : 0, "pointed");
  });
  if (components.length > 0) choose(1);
  if (given) document.querySelectorAll("#scores svg, #biplot svg").forEach((svg) => tellRows(svg, drawnPoints(svg)));

  // Files to keep.

  /** Offers a text as a file. Nothing leaves the page. */
  function save(name, kind, text) {
    const link = element("a", undefined, { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  /** A picture as a file of its own, as it is shown: with its styles and a background, without marks. */
  function saved(svg) {
    const copy = svg.cloneNode(true);
    copy.setAttribute("class", "picture");
    copy.querySelectorAll(".chosen, .pointed").forEach((part) => part.classList.remove("chosen", "pointed"));
    const made = new DOMParser().parseFromString(new XMLSerializer().serializeToString(copy), "image/svg+xml");
    const own = (tag) => made.createElementNS("http://www.w3.org/2000/svg", tag);
    const [sheet, paper] = [own("style"), own("rect")];
    sheet.textContent = document.getElementById("pictures").textContent;
    for (const [name, value] of [["class", "paper"], ["width", "100%"], ["height", "100%"]]) paper.setAttribute(name, value);
    made.documentElement.prepend(sheet, paper);
    return new XMLSerializer().serializeToString(made);
  }

  /** Rows of cells as CSV. What a spreadsheet would run as a formula becomes text. */
  function csv(rows) {
    const isFormula = (cell) => typeof cell === "string" && /^[=+\-@\t\r|%]/.test(cell) && !Number.isFinite(Number(cell));
    const plain = (cell) => (isFormula(cell) ? `'${cell}` : String(cell ?? ""));
    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return rows.map((row) => row.map((cell) => quoted(plain(cell))).join(",") + "\n").join("");
  }

  /** The table of all components, as it is shown. */
  function componentTable() {
    const table = document.querySelector("#components table");
    const names = (cell) => [...cell.querySelectorAll("bdi")].map((name) => `${name.textContent} (${name.className === "against" ? "-" : "+"})`);
    const text = (cell) => (cell.querySelector("bdi") ? names(cell).join("; ") : cell.textContent.replaceAll("\u2212", "-"));
    return [...table.rows].map((row) => [...row.cells].map(text));
  }

  /** The listed columns of all components. */
  function columnTable() {
    const listed = (view, component, number) => component[view].loading.map((row) => [number, view.toUpperCase(), ...row]);
    const rows = components.flatMap((component, i) => ["x", "y"].flatMap((view) => listed(view, component, i + 1)));
    return [["component", "view", "column", "loading", "weight"], ...rows];
  }

  /** The canonical variables of the drawn rows. */
  function rowTable() {
    const views = ["x", "y"].flatMap((view) => given[view].map((packed, i) => [`${view}${i + 1}`, floats(packed)]));
    const rows = given.titles.map((title, row) => [given.rows[row] + 1, title, ...views.map(([, values]) => values[row])]);
    return [["row", "name", ...views.map(([name]) => name)], ...rows];
  }

  function offer(after, buttons) {
    const line = element("p", undefined, { class: "download" });
    for (const [label, action] of buttons) {
      const button = element("button", label, { type: "button" });
      button.addEventListener("click", action);
      line.append(button);
    }
    after.after(line);
  }

  const table = (label, name, rows) => [label, () => save(name, "text/csv", csv(rows()))];
  for (const figure of document.querySelectorAll("figure.chart")) {
    const visible = () => [...figure.querySelectorAll("svg")].find((svg) => svg.getBoundingClientRect().width > 0);
    offer(figure.lastElementChild, [["Save picture (SVG)", () => save(`${figure.id}.svg`, "image/svg+xml", saved(visible()))]]);
  }
  offer(document.querySelector("#components table"), [table("Save table (CSV)", "components.csv", componentTable)]);
  const tables = [table("Save listed columns of all components (CSV)", "columns.csv", columnTable)];
  if (given) tables.push(table("Save canonical variables of these rows (CSV)", "rows.csv", rowTable));
  offer(document.querySelector(".explorer"), tables);

  // The search.

  const mostResults = 20;
  const query = document.getElementById("query");
  if (!data.search) return;
  const columns = ["x", "y"].flatMap((view) => {
    const { names, components: packed, loadings } = data.search[view];
    const [numbers, values, perColumn] = [bytes(packed), floats(loadings), data.search.strongest];
    const strongest = (i) => Array.from({ length: perColumn }, (_, j) => ({ component: numbers[i * perColumn + j] + 1, loading: values[i * perColumn + j] }));
    return names.map((name, i) => ({ name, view: view.toUpperCase(), lower: name.toLowerCase(), strongest: strongest(i) }));
  });

  /** Columns whose name contains the text: exact matches first, then prefixes, then the rest, each by importance. */
  function find(text) {
    const rank = (column) => (column.lower === text ? 0 : column.lower.startsWith(text) ? 1 : 2);
    const matches = columns.filter((column) => column.lower.includes(text));
    return matches.sort((a, b) => rank(a) - rank(b));
  }

  function search() {
    const text = query.value.trim().toLowerCase();
    const matches = text === "" ? [] : find(text);
    const list = element("ul", undefined, { class: "results" });
    matches.slice(0, mostResults).forEach((column) => list.append(result(column)));
    document.getElementById("results").replaceChildren(list);
    document.getElementById("found").textContent = text === "" ? "" : countText(matches.length);
  }

  function countText(number) {
    const shown = number > mostResults ? `, the first ${mostResults} are shown` : "";
    return `${number === 0 ? "No" : number} column${number === 1 ? "" : "s"} found${shown}.`;
  }

  function result(column) {
    const item = element("li");
    const name = element("span", undefined, { class: "name" });
    name.append(element("bdi", column.name));
    item.append(element("span", column.view, { class: "view" }), name);
    for (const { component, loading } of column.strongest) {
      const label = `show component ${component}, loading ${decimal(loading, 3)}`;
      const button = element("button", `${component}: ${decimal(loading, 3)}`, { type: "button", "aria-label": label });
      button.addEventListener("click", () => {
        choose(component);
        document.getElementById("component-by-component").scrollIntoView();
        picker.focus({ preventScroll: true });
      });
      item.append(button);
    }
    return item;
  }

  query.addEventListener("input", search);
})();
