// Small log-log drawings in SVG. Text goes in as text nodes, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function node(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const SHORT = [["E", 1e18], ["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]];

function short(value) {
  if (value >= 1e21 || value < 1e-4) return tens(value, 3);
  for (const [prefix, size] of SHORT) if (value >= size * 0.9999) return shown(value / size, 3) + prefix;
  return shown(value, 3);
}

// A frame with two logarithmic axes; `x` and `y` map values to pixels.
class Plot {
  constructor(box, { x, y, xLabel, yLabel, xTick = short, yTick = short, ratio = 0.66, words }) {
    const width = Math.max(240, Math.round(box.clientWidth));
    const height = Math.round(Math.min(Math.max(width * ratio, 250), 430));
    this.box = { left: 66, right: width - 14, top: 12, bottom: height - 46 };
    this.range = { x, y };
    this.svg = node("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
    box.replaceChildren(this.svg);
    this.clip = `clip-${box.id}`;
    const { left, right, top, bottom } = this.box;
    const area = { x: left, y: top, width: right - left, height: bottom - top };
    this.svg.append(node("clipPath", { id: this.clip }, node("rect", area)));
    this.ticks(x, right - left, xTick, true);
    this.ticks(y, bottom - top, yTick, false);
    this.inner = node("g", { "clip-path": `url(#${this.clip})` });
    this.svg.append(this.inner, node("rect", { ...area, class: "frame" }));
    this.write(xLabel, (left + right) / 2, height - 8, { "text-anchor": "middle" });
    const at = `rotate(-90 12 ${(top + bottom) / 2})`;
    this.write(yLabel, 12, (top + bottom) / 2, { "text-anchor": "middle", transform: at });
  }

  x(value) {
    const [a, b] = this.range.x, { left, right } = this.box;
    return left + (Math.log(value / a) / Math.log(b / a)) * (right - left);
  }

  y(value) {
    const [a, b] = this.range.y, { top, bottom } = this.box;
    return bottom - (Math.log(value / a) / Math.log(b / a)) * (bottom - top);
  }

  // The value under a pixel of the drawing.
  under(event) {
    const frame = this.svg.getBoundingClientRect(), scale = this.svg.viewBox.baseVal.width / frame.width;
    const { left, right, top, bottom } = this.box, { x, y } = this.range;
    const part = (p, a, b) => Math.min(1, Math.max(0, (p - a) / (b - a)));
    return [
      x[0] * (x[1] / x[0]) ** part((event.clientX - frame.left) * scale, left, right),
      y[0] * (y[1] / y[0]) ** part((event.clientY - frame.top) * scale, bottom, top),
    ];
  }

  ticks([low, high], length, text, across) {
    const { left, right, top, bottom } = this.box;
    const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9);
    const step = Math.max(1, Math.ceil((to - from + 1) / Math.floor(length / (across ? 52 : 30))));
    for (let power = from; power <= to; power++) {
      if (power % step) continue;
      const value = Number(`1e${power}`), at = across ? this.x(value) : this.y(value);
      const line = across ? { x1: at, x2: at, y1: top, y2: bottom } : { x1: left, x2: right, y1: at, y2: at };
      this.svg.append(node("line", { ...line, class: "grid" }));
      const place = across
        ? [Math.min(at, right - 8), bottom + 16, { "text-anchor": "middle" }]
        : [left - 6, at + 4, { "text-anchor": "end" }];
      this.write(text(value), place[0], place[1], { class: "tick", ...place[2] });
    }
  }

  write(text, x, y, attributes = {}) {
    const made = node("text", { x, y, ...attributes }, text);
    this.svg.append(made);
    return made;
  }

  // A label in the plot; moved so that it ends inside the frame.
  label(text, x, y, attributes = {}) {
    const { left, right, top, bottom } = this.box;
    const kind = `halo ${attributes.class || ""}`;
    const made = this.write(text, x, y, { "text-anchor": "middle", ...attributes, class: kind });
    const half = made.getComputedTextLength() / 2, anchor = made.getAttribute("text-anchor");
    const center = anchor === "start" ? x + half : anchor === "end" ? x - half : x;
    const inside = Math.min(Math.max(center, left + half + 4), right - half - 4);
    made.setAttribute("text-anchor", "middle");
    made.setAttribute("x", inside);
    made.setAttribute("y", Math.min(Math.max(y, top + 14), bottom - 6));
    return made;
  }

  path(points, attributes) {
    const spots = points.map(([x, y]) => `${this.x(x).toFixed(2)},${this.y(y).toFixed(2)}`);
    this.inner.append(node("path", { d: `M${spots.join("L")}`, ...attributes }));
  }

  across(x, attributes = { class: "guide" }) {
    this.inner.append(node("line", { x1: this.x(x), x2: this.x(x), y1: this.box.top, y2: this.box.bottom, ...attributes }));
  }

  along(y, attributes = { class: "guide" }) {
    this.inner.append(node("line", { y1: this.y(y), y2: this.y(y), x1: this.box.left, x2: this.box.right, ...attributes }));
  }

  dot(x, y) {
    this.svg.append(node("circle", { cx: this.x(x), cy: this.y(y), r: 6.5, class: "here" }));
  }
}

const LABEL_AT = 0.74;  // how far along a line its name stands

const decade = (value, step) => 10 ** (Math.floor(Math.log10(value)) + step);

// `levels` are those that have bytes, {name, intensity, bandwidth}: the fastest holds it last.
// Tiles lower the peak to what their edges and waves leave of it.
function drawRoofline(box, { levels, peak: roof, flops, times }) {
  const compute = times.find((t) => t.name === "compute");
  const peak = compute && compute.float > 0 ? Math.min(roof, flops / compute.float) : roof;
  const tiled = peak < roof * 0.999;
  const known = levels.length && peak > 0 && Number.isFinite(roof) && levels.every((l) => l.bandwidth > 0 && l.intensity > 0);
  if (!known) return box.replaceChildren("There is no intensity to draw.");
  const rates = levels.map((l) => l.bandwidth), several = levels.length > 1;
  const [first, last] = [peak / Math.max(...rates), peak / Math.min(...rates)];
  const slowest = Math.max(...times.map((t) => t.float)), performance = flops / slowest;
  const here = levels.map((l) => Math.min(l.intensity, last * 1e9));
  const x = [decade(Math.min(...here, first), -1), decade(Math.max(...here, last), 2)];
  const y = [Math.min(decade(Math.min((peak / last) * x[0], performance), 0), peak / 10), roof * 4];
  const at = levels.map((l) => `${shown(l.intensity, 4)} FLOP/byte${several ? ` at ${l.name}` : ""}`).join(", ");
  const words =
    `Roofline: performance rises with intensity up to the ridge at ${shown(last, 4)} FLOP/byte, then stays at ` +
    `${human(peak, "FLOP/s")}${tiled ? " in tiles" : ""}. The algorithm is at ${at} and ${human(performance, "FLOP/s")}.`;
  const plot = new Plot(box, { x, y, xLabel: "arithmetic intensity, FLOP/byte", yLabel: "FLOP/s", words });
  const start = [x[0], (peak / first) * x[0]], end = [x[1], peak];
  plot.path([[x[0], y[0]], start, [first, peak], [first, y[0]]], { class: "shade memory" });
  plot.path([[last, y[0]], [last, peak], end, [x[1], y[0]]], { class: "shade compute" });
  plot.across(last);
  if (several) plot.across(first);
  for (const [name, words] of [["network", "what the links allow"], ["launch", "what the launches allow"]]) {
    const time = times.find((t) => t.name === name);
    if (!time || !(time.float > 0)) continue;
    const ceiling = flops / time.float;
    plot.along(ceiling, { class: `curve ${name}` });
    if (ceiling > y[0] * 1.5 && ceiling < y[1]) {
      plot.label(words, plot.box.left, plot.y(ceiling) - 6, { "text-anchor": "start", class: name });
    }
  }
  for (const { bandwidth } of levels) plot.path([[x[0], bandwidth * x[0]], [peak / bandwidth, peak]], { class: "roof" });
  plot.path([[first, peak], end], { class: "roof" });
  if (tiled) {
    plot.along(roof);
    plot.label("peak", plot.box.right - 4, plot.y(roof) - 6, { "text-anchor": "end" });
  }
  if (several) nameSlopes(plot, levels, peak);
  here.forEach((place) => plot.across(place));
  here.forEach((place) => plot.dot(place, performance));
  const low = plot.box.bottom - 10;
  plot.label("memory-bound", (plot.box.left + plot.x(first)) / 2, low, { class: "region memory" });
  plot.label("compute-bound", (plot.x(last) + plot.box.right) / 2, low, { class: "region compute" });
  plot.label(`ridge ${tiled ? "in tiles " : ""}${shown(last, 4)}`, plot.x(last), plot.y(peak) - 9, {});
  const right = Math.max(...here), left = plot.x(right) > plot.box.right - 110;
  const text = human(performance, "FLOP/s", 3);
  plot.label(text, plot.x(right) + (left ? -12 : 12), plot.y(performance) + 22, { "text-anchor": left ? "end" : "start" });
}

// The name of a level stands beside its slanted roof, each a little higher than the one before.
function nameSlopes(plot, levels, peak) {
  const [[left], [bottom]] = [plot.range.x, plot.range.y];
  levels.forEach(({ name, bandwidth }, i) => {
    const from = Math.max(left, bottom / bandwidth), to = peak / bandwidth;
    const x = from * (to / from) ** (0.45 + (0.3 * i) / levels.length);
    plot.label(name, plot.x(x) + 6, plot.y(bandwidth * x) + 12, { "text-anchor": "start", class: "level" });
  });
}

// The time terms as floats against one slot; `marks` are where the answer begins or ends.
function drawCurves(box, { slot, values, range, marks, label }) {
  const v = floatsOf(values), steps = 120, [low, high] = range;
  const lines = set.terms.map((term) => ({ name: term.name, points: [] }));
  for (let i = 0; i <= steps; i++) {
    v[slot] = low * (high / low) ** (i / steps);
    lines.forEach((line, at) => line.points.push([v[slot], FLOATS[set.terms[at].formula](v)]));
  }
  for (const line of lines) line.points = line.points.filter((p) => p[1] > 0 && Number.isFinite(p[1]));
  const all = lines.flatMap((line) => line.points.map((p) => p[1]));
  if (!all.length) return box.replaceChildren("There is no time to draw.");
  const top = Math.max(...all) * 1.5, bottom = Math.max(Math.min(...all) / 1.5, top / 1e12);
  const here = toFloat(values[slot]);
  const words =
    `Time terms against ${label}: ` +
    (marks.length ? `compute becomes or stops being the largest at ${marks.map((m) => shown(m, 6)).join(", ")}.` : "no crossover in the range shown.");
  const time = (value) => human(value, "s", 3);
  const plot = new Plot(box, { x: range, y: [bottom, Math.max(top, bottom * 10)], xLabel: label, yLabel: "time", yTick: time, words });
  for (const mark of marks) if (mark > low && mark < high) plot.across(mark);
  for (const line of lines) if (line.points.length) plot.path(line.points, { class: `curve ${line.name}` });
  plot.across(here);
  v[slot] = here;
  const now = set.terms.map((term) => FLOATS[term.formula](v)).filter((t) => t > 0);
  if (now.length) plot.dot(here, Math.max(...now));
  const placed = [];
  for (const line of lines.filter((l) => l.points.length > 20)) {
    const [x, y] = line.points[Math.floor(line.points.length * LABEL_AT)];
    const under = lines.some((o) => o !== line && o.points.length > 20 && o.points[Math.floor(o.points.length * LABEL_AT)][1] > y);
    let at = plot.y(y) + (under ? 18 : -9);
    while (placed.some((p) => Math.abs(p - at) < 15)) at += under ? 15 : -15;
    placed.push(at);
    plot.label(line.name, plot.x(x), at, { class: `region ${line.name}` });
  }
  const first = marks.find((m) => m > low && m < high);
  if (first !== undefined) plot.label(shown(first, 6), plot.x(first) + 4, plot.box.bottom - 8, { "text-anchor": "start" });
}
