// The regime map: what bounds the algorithm over two names, with the curves between the regimes.

const COLUMNS = 160, ROWS = 90, SAMPLES = 44;

function floatVerdict(v) {
  if (DATA.domain.some((rule) => FLOATS[rule.low](v) > FLOATS[rule.high](v) * (1 + TOLERANCE))) return "impossible";
  let best = 0, names = [];
  for (const term of set.terms) {
    const time = FLOATS[term.formula](v);
    if (!(time >= 0)) return "undefined";
    if (time > best * (1 + TOLERANCE)) [best, names] = [time, [term.name]];
    else if (best > 0 && time >= best * (1 - TOLERANCE)) names.push(term.name);
  }
  return names.length > 1 ? "balanced" : names[0] || "no work";
}

// Verdicts along one name as floats: [{from, to, kind}].
function floatLine(v, slot, [low, high]) {
  const kindAt = (y) => {
    v[slot] = y;
    return floatVerdict(v);
  };
  const found = [{ from: low, to: low, kind: kindAt(low) }];
  let at = low;
  for (let i = 1; i <= SAMPLES; i++) {
    const next = low * (high / low) ** (i / SAMPLES), kind = kindAt(next);
    for (let tries = 0; tries < 6 && found[found.length - 1].kind !== kind; tries++) {
      const here = found[found.length - 1];
      let [a, b] = [at, next];
      for (let halving = 0; halving < 44; halving++) {
        const middle = Math.sqrt(a * b);
        if (kindAt(middle) === here.kind) a = middle;
        else b = middle;
      }
      here.to = b;
      found.push({ from: b, to: b, kind: kindAt(b) });
      at = b;
    }
    at = next;
    found[found.length - 1].to = next;
  }
  return found.filter((part) => Math.log(part.to / part.from) > 1e-6 || found.length === 1);
}

const regimeWords = (kind) => (kind === "impossible" ? "not possible" : /compute|memory|network|launch/.test(kind) ? `${kind}-bound` : kind);

// Draws the map and returns its plot, so that a click can be read.
function drawMap(box, { slots, values, ranges, labels }) {
  const [xSlot, ySlot] = slots, [xs, ys] = ranges;
  const v = floatsOf(values), here = slots.map((slot) => v[slot]);
  const lines = (across, along, [low, high], range, count) =>
    Array.from({ length: count + 1 }, (_, i) => {
      const at = low * (high / low) ** (i / count);
      v[across] = at;
      return { at, parts: floatLine(v, along, range) };
    });
  const columns = lines(xSlot, ySlot, xs, ys, COLUMNS);
  const rows = lines(ySlot, xSlot, ys, xs, ROWS);
  const plot = new Plot(box, {
    x: xs, y: ys, xLabel: labels[0], yLabel: labels[1], ratio: 0.56,
    words: `Regime map: what bounds the algorithm over ${labels[0]} and ${labels[1]}. The line of text below reads the column of the present ${labels[0]}.`,
  });
  const areas = new Map(), largest = new Map();
  columns.forEach((column, i) => {
    const left = plot.x(i ? Math.sqrt(columns[i - 1].at * column.at) : column.at);
    const right = plot.x(i < COLUMNS ? Math.sqrt(columns[i + 1].at * column.at) : column.at);
    for (const part of column.parts) {
      const [top, bottom] = [plot.y(part.to), plot.y(part.from)];
      const shape = `M${left.toFixed(2)},${top.toFixed(2)}H${right.toFixed(2)}V${bottom.toFixed(2)}H${left.toFixed(2)}Z`;
      areas.set(part.kind, (areas.get(part.kind) || "") + shape);
      const size = bottom - top, known = largest.get(part.kind) || { sum: 0, x: 0, y: 0 };
      const centre = [(left + right) / 2, (top + bottom) / 2];
      largest.set(part.kind, { sum: known.sum + size, x: known.x + centre[0] * size, y: known.y + centre[1] * size });
    }
  });
  for (const [kind, d] of areas) plot.inner.append(node("path", { d, class: `shade ${kind}`, "shape-rendering": "crispEdges" }));
  const flat = edges(plot, columns, (at, end) => [at, end], (dx, dy) => dy <= 1.5 * dx);
  const steep = edges(plot, rows, (at, end) => [end, at], (dx, dy) => dx <= 1.5 * dy);
  plot.inner.append(node("path", { d: `M0,0${flat}${steep}`, class: "edge" }));
  plot.across(here[0]);
  plot.along(here[1]);
  for (const [kind, { sum, x, y }] of largest) {
    if (sum < 1500) continue;
    // Beside the point, not under it.
    const [dx, dy] = [x / sum - plot.x(here[0]), y / sum - plot.y(here[1])];
    const clear = Math.abs(dx) > 70 || Math.abs(dy) > 20 ? 4 : dy < 0 ? -22 - dy : 30 - dy;
    plot.label(regimeWords(kind), x / sum, y / sum + clear, { class: `region ${kind}` });
  }
  plot.dot(here[0], here[1]);
  return plot;
}

// The boundary curves: the ends between like neighbours in adjacent lines, joined. Flat parts are
// taken from the columns and steep ones from the rows, each where they are exact.
function edges(plot, lines, spot, taken) {
  const ends = lines.map(({ at, parts }) => {
    const seen = new Map();
    return parts.slice(1).map((part, i) => {
      const pair = `${parts[i].kind}|${part.kind}`, turn = seen.get(pair) || 0;
      seen.set(pair, turn + 1);
      const [x, y] = spot(at, part.from);
      return { key: `${pair}|${turn}`, x: plot.x(x), y: plot.y(y) };
    });
  });
  let d = "";
  for (let i = 1; i < ends.length; i++) {
    for (const end of ends[i]) {
      const before = ends[i - 1].find((other) => other.key === end.key);
      if (!before || !taken(Math.abs(end.x - before.x), Math.abs(end.y - before.y))) continue;
      d += `M${before.x.toFixed(2)},${before.y.toFixed(2)}L${end.x.toFixed(2)},${end.y.toFixed(2)}`;
    }
  }
  return d;
}
