"use strict";

// Draws every chart of the page's data in the figure with its id, and redraws it when the width of the figure changes.
// Data reach the page as text content only.

const page = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colors = ["var(--first)", "var(--second)", "var(--good)", "var(--fourth)", "var(--fifth)", "var(--sixth)"];
  const symbols = ["circle", "square", "triangle", "diamond2", "cross", "star"];
  const shapes = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond2, d3.symbolCross, d3.symbolStar];
  const drawings = new Map();

  /** An element with text and attributes. */
  function element(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  /** A number with a fixed number of digits and a true minus; a dash if it is not finite. */
  function decimal(value, digits) {
    if (value === null || !Number.isFinite(value)) return "–";
    return value.toFixed(digits).replaceAll("-", "\u2212");
  }

  /** A number of any size with a few digits. */
  function short(value, digits = 4) {
    if (value === null || !Number.isFinite(value)) return "–";
    const plain = value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5);
    return (plain ? String(Number(value.toPrecision(digits))) : value.toExponential(2)).replaceAll("-", "\u2212");
  }

  /** Shows a drawing, a function from a width to an SVG, in the figure called `id`, now and at every new width. */
  function draw(id, drawing) {
    const container = document.querySelector(`#${id} .drawing`);
    if (container === null) return;
    const isNew = !drawings.has(container);
    drawings.set(container, { drawing, width: 0 });
    redraw(container);
    if (isNew) new ResizeObserver(() => redraw(container)).observe(container);
  }

  function redraw(container) {
    const current = drawings.get(container);
    const width = Math.floor(container.clientWidth);
    if (width === 0 || width === current.width) return;
    current.width = width;
    container.replaceChildren(...[current.drawing(width)].flat());
  }

  /** One line per series with one marker per point, and a legend if there are several series. */
  function lines(chart, width) {
    const points = chart.series.flatMap((series, i) => series.points.map(([x, y]) => ({ x, y, i, name: series.name })));
    const sparse = points.length <= 60 * chart.series.length;
    const title = (p) => `${chart.x.label} ${short(p.x)}\n${p.name} ${chart.y.log ? short(p.y) : decimal(p.y, 6)}`;
    const marks = chart.series.flatMap((_, i) => {
      const own = points.filter((p) => p.i === i);
      if (chart.series[i].dashed) {
        return [Plot.line(own, { x: "x", y: "y", stroke: "var(--ink)", strokeWidth: 1.5, strokeDasharray: "5 4" })];
      }
      const line = Plot.line(own, { x: "x", y: "y", stroke: colors[i], strokeWidth: 1.75 });
      // The first series is hollow and larger, so that it stays visible under another one.
      const look = i === 0 ? { r: 4.5, fill: "var(--paper)", strokeWidth: 1.75 } : { r: 2.8, fill: colors[i] };
      const dots = { x: "x", y: "y", stroke: colors[i], symbol: symbols[i], ...look };
      return sparse ? [line, Plot.dot(own, dots)] : [line];
    });
    const svg = Plot.plot({
      ...frame(width, chart.description),
      x: { label: chart.x.label, labelArrow: "none", ...horizontal(chart, points, width) },
      y: { label: chart.y.label, labelArrow: "none", grid: true, ...vertical(chart, points) },
      marks: [
        ...limit(chart),
        ...marks,
        Plot.tip(points, Plot.pointer({ x: "x", y: "y", title })),
      ],
    });
    return chart.series.length > 1 ? [legend(chart.series), svg] : svg;
  }

  function frame(width, description) {
    const height = Math.round(Math.min(360, Math.max(220, width * 0.42)));
    return { width, height, marginLeft: 52, marginRight: 16, marginTop: 28, marginBottom: 38, ariaLabel: description };
  }

  function horizontal(chart, points, width) {
    if (chart.x.counts) return counting(points, width);
    return chart.x.log ? { type: "log", nice: true, ticks: width / 90, tickFormat: (v) => short(v) } : { nice: true, ticks: width / 80 };
  }

  function counting(points, width) {
    const last = Math.max(1, ...points.map((p) => p.x));
    const ticks = d3.ticks(1, last, Math.min(last, width / 36)).filter(Number.isInteger);
    return { domain: [0.5, last + 0.5], ticks, tickFormat: "d" };
  }

  function vertical(chart, points) {
    if (chart.y.log) {
      const values = points.map((p) => p.y).concat(chart.limit ? [chart.limit.value].filter((v) => v > 0) : []);
      return { type: "log", domain: d3.extent(values), nice: true, ticks: 5, tickFormat: (v) => v.toExponential(0).replaceAll("-", "\u2212") };
    }
    if (!chart.y.ends) return { nice: true };
    const [low, high] = d3.extent(points, (p) => p.y);
    const [bottom, top] = chart.y.ends;
    // These are points, not bars, so the axis need not start at the bottom if all values are near the top.
    const begin = low > (bottom + top) / 2 ? low - (top - low) / 8 : Math.min(bottom, low ?? bottom);
    return { domain: [begin, Math.max(top, high ?? top)], nice: true };
  }

  function limit(chart) {
    if (!chart.limit || (chart.y.log && !(chart.limit.value > 0))) return [];
    const { value, name } = chart.limit;
    return [
      Plot.ruleY([value], { stroke: "var(--ink)", strokeDasharray: "5 4" }),
      Plot.text([value], { y: (v) => v, text: [name], frameAnchor: "left", textAnchor: "start", dx: 6, dy: -8 }),
    ];
  }

  function legend(series) {
    const list = element("ul", undefined, { class: "legend" });
    series.forEach((one, i) => {
      const item = element("li");
      const mark = d3.create("svg").attr("viewBox", "-7 -7 14 14").attr("aria-hidden", "true");
      const path = mark.append("path").attr("stroke", one.dashed ? "var(--ink)" : colors[i]).attr("stroke-width", 1.75);
      if (one.dashed) path.attr("d", "M-7,0H7").attr("stroke-dasharray", "5 4");
      else path.attr("d", d3.symbol(shapes[i], i === 0 ? 70 : 35)()).attr("fill", i === 0 ? "none" : colors[i]);
      item.append(mark.node(), one.name);
      list.append(item);
    });
    return list;
  }

  data.charts.forEach((chart) => draw(chart.id, (width) => lines(chart, width)));
  return { data, draw, element, decimal, short, frame, colors };
})();
