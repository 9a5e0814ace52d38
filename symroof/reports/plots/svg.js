// Zoom, pan and tips for the plots of a page; a plot is whole without them. Spaces that svg.py takes
// out mean nothing here: no text but those in quotes has two, and "/" has spaces but in patterns.
(() => {
"use strict";
const { abs, ceil, exp, floor, hypot, log10: lg, max, min } = Math, MOST = 20, NEAR = [0, -7, 7];
const PREFIXES = "afpnµm kMGTPEZY";
const POINTS = ".dot, .cross";
const LINES = ".roof, .ceiling, .curve, .boundary, .guide, .area";
const HELP = "Arrows pan, + and − zoom, 0 resets, Enter walks the marks, Escape leaves.";
const clamp = (v, low, high) => min(high, max(low, v));
const boxOf = (node) => node.getBoundingClientRect();
const all = (root, query) => [...root.querySelectorAll(query)];
const numbers = (text) => text?.match(/-?[\d.]+/g).map(Number);
const marksOf = (svg) => all(svg, ".scaled > *, .fixed > .dot, .fixed > .cross");
const set = (node, facts) => { for (const k in facts) node.setAttribute(k, facts[k]); };

// An axis, from the text that svg.py writes and its ends on the canvas.
function axisOf(text, i, start, end) {
  const [scale, from, to, low, high, power, tick, unit, ...name] = text.split("|");
  const log = scale === "log", of = log ? lg : (v) => v, a = of(+from), b = of(+to);
  const written = (v, digits) => {
    const g = v && clamp(floor((lg(abs(v)) + 1e-9 + +power) / 3), +low, +high);
    const number = +(v * 10 ** (power - 3 * g)).toPrecision(digits);
    return [`${number}`.replace("-", "−"), PREFIXES[6 + g].trim()];
  };
  return {
    log, i, start, end,
    place: (v) => start + ((of(v) - a) / (b - a)) * (end - start),
    value: (p) => ((s) => (log ? 10 ** s : s))(a + ((p - start) / (end - start)) * (b - a)),
    text(v, digits) {
      const [number, prefix] = written(v, digits);
      return tick && v ? number + " " + prefix + tick : number + prefix;
    },
    say(v) {
      const [number, prefix] = written(v, 3);
      const whole = high > 4 || tick ? " " + prefix + unit : prefix + " " + unit;
      return name.join("|") + ": " + number + whole;
    },
  };
}

// Values with texts, about so many; those without text are minor.
function ticks(axis, low, high, many) {
  const found = [], decades = axis.log ? lg(high / low) : 0;
  if (decades > 0.9) {
    const every = ceil(decades / many), tops = decades < min(3, many / 2.4) ? [1, 2, 5] : [1];
    for (let e = floor(lg(low)); e < lg(high); e++)
      for (let m = 1; m < 10; m++) {
        const v = +`${m}e${e}`, major = tops.includes(m) && e % every === 0;
        if (v >= low && v <= high) found.push([v, major ? axis.text(v, 3) : ""]);
      }
    return found;
  }
  const rough = (high - low) / many, unit = 10 ** floor(lg(rough));
  const step = unit * [1, 2, 5, 10].find((m) => m * unit >= rough);
  for (let n = ceil(low / step); n <= high / step; n++)
    found.push([n * step, axis.text(n * step, clamp(ceil(lg(high / step) + 1), 3, 15))]);
  return found;
}

// One drawing of a plot; `told` is what its marks are.
function live(plot, svg, told, tip) {
  const [left, top, right, bottom] = numbers(svg.dataset.frame), { x, y } = svg.dataset;
  const size = +svg.getAttribute("font-size"), t = [0, 0];
  const axes = x ? [axisOf(x, 0, left, right), axisOf(y, 1, bottom, top)] : [];
  const marks = marksOf(svg), said = (mark) => told[marks.indexOf(mark)];
  const [grid, minor, below, beside, scaled] = all(svg, ".grid, .minor, g.tick, .scaled");
  const fixed = all(svg, ".fixed > *").map((node) => {
    const [, px, py, rest] = /\((\S+)\s([^)]+)\)(.*)/.exec(node.getAttribute("transform"));
    return { node, at: [+px, +py], rest, track: numbers(node.dataset.track) };
  });
  let k = 1, on = null, waiting = 0, touched = null;

  // The tips of the browser go: they would be said twice.
  const [title, about] = ["title", "desc"].map((q) => plot.querySelector(q)?.textContent);
  set(svg, { role: "group", "aria-label": `${title}. ${about} ${x ? HELP : ""}`, tabindex: 0 });
  marks.forEach((mark) => {
    set(mark, { role: "img", tabindex: -1, "aria-label": said(mark) });
    mark.onfocus = () => mark.matches(":focus-visible") && tell(mark);
  });
  all(svg, "title").forEach((node) => node.remove());

  function draw() {
    waiting = 0;
    svg.classList.toggle("zoomed", k > 1);
    set(scaled, { transform: `translate(${t})scale(${k})` });
    const seen = (p) => p.map((v, i) => k * v + t[i]);
    for (const { node, at, rest, track } of fixed) {
      let p = seen(at), least = 1 / 0;
      const half = track && k > 1 ? node.getComputedTextLength() / 2 : 0;
      const fits = ([px, py]) => px > left + half && px < right - half && py > top + 14 && py < bottom - 6;
      if (half && !fits(p))
        for (let s = 0, home = p; s <= 1; s += 0.005) {
          const q = seen([0, 1].map((i) => track[i] + s * (track[i + 2] - track[i])));
          const far = hypot(q[0] - home[0], q[1] - home[1]);
          if (far < least && fits(q)) [p, least] = [q, far];
        }
      set(node, { transform: `translate(${p})${rest}` });
    }
    const lines = ["", ""];
    for (const { i, start, end, value, place } of axes) {
      const [low, high] = [start, end].map((p) => value((p - t[i]) / k)), texts = [];
      for (const [v, text] of ticks(axes[i], low, high, abs(end - start) / (i ? 40 : 50))) {
        const p = k * place(v) + t[i], node = document.createElementNS(svg.namespaceURI, "text");
        if (text) lines[0] += i ? `M${left} ${p}H${right}` : `M${p} ${top}V${bottom}`;
        else lines[1] += i ? `M${left} ${p}h4` : `M${p} ${bottom}v-4`;
        node.textContent = text;
        set(node, i ? { x: left - 7, y: p + 0.27 * size } : { x: p, y: bottom + 7 + 0.78 * size });
        if (text) texts.push(node);
      }
      (i ? beside : below).replaceChildren(...texts);
    }
    [grid, minor].forEach((node, n) => set(node, { d: lines[n] }));
  }
  function move(dx, dy) {
    t[0] = clamp(t[0] + dx, right - k * right, left - k * left);
    t[1] = clamp(t[1] + dy, bottom - k * bottom, top - k * top);
    waiting ||= requestAnimationFrame(draw);
    hush();
  }
  function zoom(by, at = [(left + right) / 2, (top + bottom) / 2]) {
    if (!x) return;
    const next = clamp(k * by, 1, MOST);
    at.forEach((p, i) => (t[i] = p - ((p - t[i]) * next) / k));
    k = next;
    move(0, 0);
  }
  const unit = () => svg.viewBox.baseVal.width / boxOf(svg).width;
  const spot = ({ clientX, clientY }) =>
    [clientX - boxOf(svg).left, clientY - boxOf(svg).top].map((v) => v * unit());

  function tell(mark, at, more) {
    hush();
    if (!said(mark)) return;
    on = mark;
    on.classList.add("on");
    tip.textContent = said(mark) + (more ?? "");
    tip.hidden = false;
    const box = boxOf(mark), base = boxOf(plot), wide = tip.offsetWidth;
    const [cx, cy] = at ?? [box.left + box.width / 2, box.top + box.height / 2];
    const px = clamp(cx - base.left - wide / 2, 0, max(0, base.width - wide));
    const py = cy - base.top, above = py - tip.offsetHeight - 14;
    tip.style.translate = `${px}px ${above > 0 ? above : py + 18}px`;
  }
  function hush() {
    on?.classList.remove("on");
    on = null;
    tip.hidden = true;
  }
  // Tells of what is pointed at, or nearly: the last drawn that is no area, else the area.
  function point(e) {
    const { clientX, clientY } = e, hit = new Set();
    for (const dx of NEAR)
      for (const dy of NEAR)
        document.elementsFromPoint(clientX + dx, clientY + dy).forEach((node) => hit.add(node));
    const found = marks.filter((mark) => hit.has(mark));
    const best = found.filter((mark) => !mark.matches(".area")).at(-1) ?? found[0];
    const p = spot(e).map((v, i) => (v - t[i]) / k);
    if (best?.matches(LINES) && !best.matches(".area")) {
      const d = numbers(best.getAttribute("d"));
      const n = d.findIndex((v, i) => i % 2 === 0 && (v - p[0]) * (d[i + 2] - p[0]) <= 0);
      const [ax, ay, bx, by] = d.slice(n);
      if (n >= 0 && ax !== bx) p[1] = ay + ((p[0] - ax) / (bx - ax)) * (by - ay);
    }
    const values = axes.map((a) => `\n${a.say(a.value(p[a.i]))}`).join("");
    const also = found.filter((mark) => mark !== best && mark.matches(POINTS)).slice(-5);
    const others = also.map((mark) => "\nalso " + said(mark).split("\n")[0]).join("");
    tell(best, [clientX, clientY], best?.matches(POINTS) ? others : best?.matches(LINES) ? values : "");
  }

  const mouse = (e) => e.pointerType === "mouse";
  svg.onpointermove = (e) => {
    if (e.buttons && mouse(e) && k > 1) move(e.movementX * unit(), e.movementY * unit());
    else point(e);
  };
  svg.onpointerdown = (e) => (mouse(e) ? svg.setPointerCapture(e.pointerId) : point(e));
  svg.onpointerleave = (e) => mouse(e) && hush();
  svg.addEventListener("focusout", hush);
  svg.ondblclick = () => zoom(0);
  svg.onwheel = (e) => {
    const own = svg.contains(document.activeElement) && (k > 1 || e.deltaY < 0);
    if (!x || !(own || e.ctrlKey)) return;
    e.preventDefault();
    zoom(exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.002)), spot(e));
  };
  svg.ontouchmove = (e) => {
    const [a, b] = e.touches, p = spot(a), q = spot(b ?? a);
    const at = p.map((v, i) => (v + q[i]) / 2), far = hypot(p[0] - q[0], p[1] - q[1]);
    if (!x || (!b && k === 1)) return;
    e.preventDefault();
    if (touched) move(at[0] - touched.at[0], at[1] - touched.at[1]);
    if (touched?.far && far) zoom(far / touched.far, at);
    touched = { at, far };
  };
  svg.ontouchstart = svg.ontouchend = () => (touched = null);
  svg.onkeydown = (e) => {
    const { key, shiftKey } = e, n = marks.indexOf(document.activeElement), step = 40;
    const pan = { Left: [step, 0], Right: [-step, 0], Up: [0, step], Down: [0, -step] }[key.slice(5)];
    const by = { "+": 1.4, "=": 1.4, "-": 0.7, 0: 0 }[key];
    if (e.ctrlKey || e.metaKey || (pan && k === 1)) return;
    if (pan) move(...pan);
    else if (by >= 0) zoom(by);
    else if (key === "Enter") marks.at((n + (shiftKey ? -1 : 1)) % marks.length)?.focus();
    else if (key === "Escape") n < 0 ? svg.blur() : svg.focus();
    else return;
    e.preventDefault();
  };
  return { svg, zoom };
}

for (const plot of all(document, ".symroof-plot:not(.live)")) {
  const add = (tag, name, to) => to.appendChild(Object.assign(document.createElement(tag), { className: name }));
  const tip = add("div", "tip", plot), first = marksOf(plot.querySelector("svg"));
  const told = first.map((mark) => mark.querySelector("title")?.textContent ?? "");
  tip.hidden = true;
  plot.classList.add("live");
  const views = all(plot, "svg[role]").map((svg) => live(plot, svg, told, tip));
  if (!plot.querySelector("[data-x]")) continue;
  const tools = add("div", "tools", plot);
  for (const [textContent, ariaLabel, by] of [["−", "Zoom out", 0.67], ["+", "Zoom in", 1.5], ["Reset", "Reset the view", 0]])
    Object.assign(add("button", "", tools), {
      textContent, ariaLabel,
      onclick: () => views.find(({ svg }) => boxOf(svg).width).zoom(by),
    });
}
})();
