"use strict";

// Shows one component at a time, with its leading columns and its scatter plot, and searches for columns.

(() => {
  const { data, draw, element, decimal, short, colors } = page;
  const components = data.components;
  const given = data.given;
  const picker = document.getElementById("component");
  const order = document.getElementById("order");
  const [previous, next] = ["previous", "next"].map((id) => document.getElementById(id));

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const floats = (text) => new Float32Array(bytes(text).buffer);

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
  }

  function heading(chosen, component) {
    const rows = given ? `, ${decimal(given.correlations[chosen - 1], 4)} on the given rows` : "";
    return `Component ${chosen}: correlation ${decimal(component.correlation, 4)}${rows}`;
  }

  /** The table of a view: name, bar, loading, weight. */
  function leaders(view, rows) {
    const table = document.getElementById(`leaders-${view}`);
    const ranked = order.value === "weight" ? 2 : 1;
    const largest = Math.max(...rows.map((row) => Math.abs(row[ranked] ?? 0))) || 1;
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
      line.append(name, bar((row[ranked] ?? 0) / largest));
      line.append(element("td", decimal(row[1], 4), { class: "number" }), element("td", short(row[2], 3), { class: "number" }));
      body.append(line);
    }
    table.replaceChildren(table.caption, head, body);
  }

  /** A bar to the right of the middle, or to the left if the share is negative. */
  function bar(share) {
    const cell = element("td", undefined, { class: "track" });
    const track = element("div", undefined, { class: "bar" });
    const mark = element("span");
    mark.style.width = `${50 * Math.abs(share)}%`;
    mark.style.left = share < 0 ? `${50 + 50 * share}%` : "50%";
    track.append(mark);
    cell.append(track);
    return cell;
  }

  function scatter(chosen) {
    const [x, y] = [given.x, given.y].map((packed) => floats(packed[chosen - 1]));
    const points = given.rows.map((row, i) => ({ row, x: x[i], y: y[i] })).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
    const title = (p) => `row ${p.row}\nX ${short(p.x)}\nY ${short(p.y)}`;
    draw("scatter", (width) => {
      const axis = { nice: true, grid: true, labelArrow: "none", ticks: width / 90 };
      return Plot.plot({
        width,
        height: Math.round(Math.min(width * 0.8, 420)),
        marginLeft: 52,
        marginBottom: 38,
        ariaLabel: `canonical variables of component ${chosen}, Y against X`,
        x: { ...axis, label: `variable ${chosen} of X` },
        y: { ...axis, label: `variable ${chosen} of Y` },
        marks: [
          Plot.dot(points, { x: "x", y: "y", r: 2.2, fill: colors[0], fillOpacity: 0.45 }),
          Plot.tip(points, Plot.pointer({ x: "x", y: "y", title })),
        ],
      });
    });
  }

  picker.addEventListener("change", () => choose(Number(picker.value)));
  order.addEventListener("change", () => choose(Number(picker.value)));
  previous.addEventListener("click", () => choose(Number(picker.value) - 1));
  next.addEventListener("click", () => choose(Number(picker.value) + 1));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-component]");
    if (link) choose(Number(link.dataset.component));
  });
  if (components.length > 0) choose(1);

  // The search.

  const mostResults = 20;
  const query = document.getElementById("query");
  if (!data.search) return;
  const columns = ["x", "y"].flatMap((view) => {
    const { names, components: packed, loadings } = data.search[view];
    const [numbers, values, perColumn] = [bytes(packed), floats(loadings), data.search.strongest];
    return names.map((name, i) => ({
      name,
      view: view.toUpperCase(),
      lower: name.toLowerCase(),
      strongest: d3.range(i * perColumn, (i + 1) * perColumn).map((j) => ({ component: numbers[j] + 1, loading: values[j] })),
    }));
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
