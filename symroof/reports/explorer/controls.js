// Sliders, boxes and the chip picker: what sets the values.

const STEPS = 10000;
const MOST = 10n ** 60n;
const START = SLOTS.map((slot) => parse(slot.start));
const RATES = SLOTS.flatMap((slot, at) => (slot.machine ? [at] : []));
const state = { values: [...START], upper: uppers() };
const widgets = [];

const byId = (id) => document.getElementById(id);

function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The upper ends of the sliders: powers of two, well above the start and the first crossover.
function uppers() {
  return SLOTS.map((slot, at) => {
    if (slot.kind === "fraction") return 1;
    if (slot.kind !== "count") return toFloat(START[at]) * 1000;
    const { first } = closedPieces(at, START) ? crossoverAt(at, START, 1n) : { first: null };
    const flip = first !== null && first < 2n ** 24n ? 2 * Number(first) : 0;
    return 2 ** Math.ceil(Math.log2(Math.max(8192, toFloat(START[at]) * 16, flip)));
  });
}

const isCount = (at) => SLOTS[at].kind === "count";
const isFraction = (at) => SLOTS[at].kind === "fraction";
const rangeOf = (at) => [isCount(at) ? 1 : state.upper[at] / (isFraction(at) ? 1e3 : 1e6), state.upper[at]];
const isUsed = (at) => !set.unused.includes(at);

function positionOf(at) {
  const [low, high] = rangeOf(at);
  return Math.round((STEPS * Math.log(toFloat(state.values[at]) / low)) / Math.log(high / low));
}

function valueAt(at, position) {
  const [low, high] = rangeOf(at), value = low * (high / low) ** (position / STEPS);
  return isCount(at) ? q(BigInt(Math.round(value))) : parse(value.toPrecision(3));
}

// Rates are shown in a unit of their size: TFLOP/s, TB/s, GB/s, MB, µs.
const SCALE = {
  "FLOP/s": ["TFLOP/s", q(10n ** 12n)], "byte/s": ["TB/s", q(10n ** 12n)], byte: ["MB", q(10n ** 6n)], s: ["µs", q(1n, 10n ** 6n)],
};
const LINK = ["GB/s", q(10n ** 9n)];
const scaleOf = (at) => (SLOTS[at].name.startsWith("link.") ? LINK : SCALE[SLOTS[at].unit] || [SLOTS[at].unit, q(1n)]);
const boxText = (at) => exactText(div(state.values[at], scaleOf(at)[1]));

function refuse(text, box) {
  byId("refused").textContent = text;
  if (box) box.setAttribute("aria-invalid", "true");
}

const ruleText = (rule) => `${rule.text} must hold`;

// Sets a value as far as what must hold between names allows; says where it stops.
function setValue(at, wanted) {
  const before = state.values[at];
  let value = wanted, text = "";
  const rules = broken(withValue(state.values, at, wanted));
  if (rules.length) {
    const allowed = (n) => !broken(withValue(state.values, at, q(n))).length;
    value = isCount(at) ? q(flip(before.n, wanted.n, allowed)[0]) : before;
    text = `${SLOTS[at].label} stops at ${exactShown(value)}: ${ruleText(rules[0])}.`;
  }
  state.values[at] = value;
  if (isCount(at)) while (toFloat(value) > state.upper[at]) state.upper[at] *= 2;
  else if (!isFraction(at) && toFloat(value) > state.upper[at]) state.upper[at] = toFloat(value) * 10;
  refuse(text);
  changed();
}

function readBox(at, box) {
  const value = evaluate(box.value);
  const label = SLOTS[at].label, example = isCount(at) ? "4096 or 2**12" : "1.5 or 3/2";
  if (value === null || sign(value) <= 0) return refuse(`${label}: expected a positive number, as in ${example}.`, box);
  if (cmp(value, q(MOST)) > 0 || cmp(value, q(1n, MOST)) < 0) return refuse(`${label}: expected a number between 10⁻⁶⁰ and 10⁶⁰.`, box);
  if (isFraction(at) && cmp(value, q(1n)) > 0) return refuse(`${label} is a fraction, at most 1.`, box);
  if (isCount(at) && value.d !== 1n) return refuse(`${label} is a whole number from 1.`, box);
  box.removeAttribute("aria-invalid");
  setValue(at, mul(value, scaleOf(at)[1]));
}

const STEP_KEYS = { ArrowRight: 1n, ArrowUp: 1n, ArrowLeft: -1n, ArrowDown: -1n };

// One whole number a key press, a doubling for a page: a slider's own steps would skip numbers.
function onKey(event, at) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const old = state.values[at];
  let value = null;
  if (event.key in STEP_KEYS) {
    const step = STEP_KEYS[event.key];
    if (event.target.type === "text" && /Left|Right/.test(event.key)) return;
    value = isCount(at) ? q(old.n + step * (event.shiftKey ? 10n : 1n)) : mul(old, step > 0n ? q(11n, 10n) : q(10n, 11n));
  } else if (event.key === "PageUp") value = mul(old, q(2n));
  else if (event.key === "PageDown") value = isCount(at) ? q(old.n / 2n) : div(old, q(2n));
  else if (event.target.type === "range" && event.key === "Home") value = valueAt(at, 0);
  else if (event.target.type === "range" && event.key === "End") value = valueAt(at, STEPS);
  if (!value) return;
  if (isFraction(at)) value = min(value, q(1n));
  event.preventDefault();
  setValue(at, isCount(at) && value.n < 1n ? q(1n) : value);
}

function addSlot(at) {
  const slot = SLOTS[at], id = `slot-${at}`;
  const name = make("bdi", { class: "name" }, slot.label);
  const label = make("label", { for: `${id}-box` }, name, " ", make("bdi", { class: "meaning" }, slot.meaning));
  const box = make("input", { type: "text", id: `${id}-box`, spellcheck: "false", inputmode: isCount(at) ? "numeric" : "decimal", "aria-describedby": "refused" });
  const unit = scaleOf(at)[0];
  const right = make("span", { class: "box" }, box, ...(unit ? [make("span", { class: "unit" }, unit)] : []));
  const row = make("div", { class: "slot" }, label, right);
  const widget = { at, box, row, typing: false };
  box.addEventListener("input", () => (widget.typing = true));
  const read = () => {
    widget.typing = false;
    readBox(at, box);
  };
  box.addEventListener("change", read);
  box.addEventListener("blur", () => (widget.typing = false));  // a change, if any, came before
  box.addEventListener("keydown", (event) => {
    if (widget.typing && /^(Arrow(Up|Down)|Page)/.test(event.key)) read();
    onKey(event, at);
  });
  if (!slot.machine) {
    const slider = make("input", { type: "range", id, min: 0, max: STEPS, step: 1, "aria-label": `${slot.label} ${slot.meaning}`.trim() });
    slider.addEventListener("input", () => setValue(at, valueAt(at, Number(slider.value))));
    slider.addEventListener("keydown", (event) => onKey(event, at));
    row.append(slider);
    widget.slider = slider;
  }
  byId(slot.machine ? "machine" : "symbols").append(row);
  widgets.push(widget);
}

const ratesOf = (machine) => machine.rates.map((rate) => rate && parse(rate));
const sameRates = (rates) => RATES.every((at, i) => !isUsed(at) || (rates[i] && cmp(rates[i], state.values[at]) === 0));
const goesWith = (machine) => machine.sets.includes(DATA.sets.indexOf(set));

function pickChip() {
  const machine = DATA.machines[Number(byId("chip").value)];
  if (!machine) return;
  ratesOf(machine).forEach((rate, i) => rate && (state.values[RATES[i]] = rate));
  refuse("");
  changed();
}

// The ways in which bytes may be charged, the one of the page first.
function addResidencies() {
  const picker = byId("residency");
  DATA.sets.forEach((way, i) => picker.append(make("option", { value: i }, way.name)));
  byId("residency-field").hidden = DATA.sets.length < 2;
  picker.addEventListener("change", () => {
    chooseSet(Number(picker.value));
    changed();
  });
}

function chooseSet(place) {
  set = DATA.sets[place];
  byId("residency").value = place;
  put("residency-words", DATA.sets.length > 1 ? `Residency ${set.words}.` : "");
  widgets.forEach(({ at, row }) => (row.hidden = !isUsed(at)));
  const picker = byId("chip");
  DATA.machines.forEach((machine, i) => (picker.querySelector(`option[value="${i}"]`).hidden = !goesWith(machine)));
  showLeftOut();
}

function showLeftOut() {
  const out = DATA.leftOut[DATA.sets.indexOf(set)], count = out.length, details = byId("left-out");
  details.hidden = !count;
  details.querySelector("summary").textContent = `${count} ${count === 1 ? "chip lacks" : "chips lack"} what is needed`;
  details.querySelector("ul").replaceChildren(...out.map(({ name, reason }) => make("li", {}, `${name}: ${reason}`)));
}

function addMachines() {
  const picker = byId("chip"), groups = new Map();
  DATA.machines.forEach((machine, i) => {
    const vendor = i ? machine.vendor || "Other" : "";
    if (!groups.has(vendor)) {
      const group = vendor ? make("optgroup", { label: vendor }) : picker;
      if (vendor) picker.append(group);
      groups.set(vendor, group);
    }
    groups.get(vendor).append(make("option", { value: i }, machine.title));
  });
  picker.append(make("option", { value: "own", hidden: "" }, "Rates of your own"));
  picker.addEventListener("change", pickChip);
}

function showControls() {
  for (const { at, box, slider, typing } of widgets) {
    if (!typing && (document.activeElement !== box || box.getAttribute("aria-invalid") !== "true")) {
      box.value = boxText(at);
      box.removeAttribute("aria-invalid");
    }
    if (!slider) continue;
    slider.value = positionOf(at);
    slider.setAttribute("aria-valuetext", exactShown(state.values[at]));
  }
  const picker = byId("chip"), picked = DATA.machines[Number(picker.value)];
  const isIt = (machine) => goesWith(machine) && sameRates(ratesOf(machine));
  if (picked && isIt(picked)) return;
  const found = DATA.machines.findIndex(isIt);
  picker.value = found < 0 ? "own" : found;
}
