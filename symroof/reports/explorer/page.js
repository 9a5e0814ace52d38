// The page: puts the answers at the values of the controls into words, numbers and drawings.

const labelOf = (at) => SLOTS[at].label;
const chosen = { unknown: DATA.unknown, x: DATA.map[0], y: DATA.map[1] };
let waiting = false;
let map = null;

function changed() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    render();
  });
}

const WORDS = {
  compute: "Compute-bound", memory: "Memory-bound", network: "Network-bound", launch: "Launch-bound", "no work": "No work", undefined: "Undefined",
};

const DOUBT = ", as far as 600 digits tell";

function verdictWords({ kind, tied }) {
  return kind === "balanced" ? `Balanced: ${tied.join(" = ")}` : WORDS[kind];
}

function reasonWords({ kind, tied, times, exact }) {
  if (kind === "balanced") return exact ? "These time terms are exactly equal." : `These time terms are equal${DOUBT}.`;
  if (kind === "undefined") return "A time term is negative or has no value here.";
  if (kind === "no work") return "All time terms are zero.";
  const [first, second] = times.filter((t) => t.float > 0).sort((a, b) => b.float - a.float);
  if (!second) return `t_${tied[0]} is the only time term.`;
  const ratio = first.float / second.float;
  const close = ratio < 1.0005 ? "just above 1" : shown(ratio, 4);
  return `t_${first.name} is ${close} × t_${second.name}.`;
}

function put(id, text) {
  const place = byId(id);
  if (place.textContent !== text) place.textContent = text;  // a live region speaks when it changes
}

function showVerdict(verdict, facts) {
  byId("verdict").dataset.bound = verdict.kind;
  put("bound", verdictWords(verdict));
  put("reason", reasonWords(verdict));
  const rows = [
    ["time, overlapped", human(facts.slowest, "s"), ""],
    ["intensity", `${shown(facts.intensity, 5)} FLOP/byte`, ""],
    ["ridge point", `${shown(facts.ridge, 5)} FLOP/byte`, ""],
    ["performance", human(facts.flops / facts.slowest, "FLOP/s"), ""],
    ["FLOPs", human(facts.flops, "FLOP"), "wide"],
    ["bytes", human(facts.bytes, "byte"), "wide"],
    ...(facts.sent > 0 ? [["bytes sent", human(facts.sent, "byte"), "wide"]] : []),
  ];
  byId("facts").replaceChildren(
    ...rows.map(([name, value, kind]) => make("div", { class: kind }, make("dt", {}, name), make("dd", {}, value)))
  );
}

const ofSet = (element) => DATA.sets[Number(element.dataset.set)] === set;

function showTerms({ times }, slowest) {
  for (const row of byId("terms").children) {
    row.hidden = !ofSet(row);
    if (row.hidden) continue;
    const time = times.find((t) => t.name === row.dataset.term);
    if (!time) continue;
    row.querySelector(".term-value").textContent = human(time.float, "s");
    row.querySelector(".bar span").style.width = `${slowest > 0 ? (100 * time.float) / slowest : 0}%`;
  }
}

const unitText = (at, value) => (SLOTS[at].unit ? human(value, SLOTS[at].unit, 6) : shown(value, 6));

function runText(label, { from, to }, tried) {
  if (to === null && tried) return `from ${label} = ${shown(from)} to ${shown(tried.upTo)}`;
  if (to === null) return `from ${label} = ${shown(from)} on`;
  if (from === to) return `at ${label} = ${shown(from)}`;
  return from === 1n ? `up to ${label} = ${shown(to)}` : `from ${shown(from)} to ${shown(to)}`;
}

const valueText = (at, value) => (SLOTS[at].unit ? human(value.float, SLOTS[at].unit, 6) : valueShown(value));

const endText = (at, end, below, above) => `${end.closed ? below : above} ${valueText(at, end)}`;

function pieceText(at, { low, high }) {
  const label = labelOf(at);
  if (low && high) return `${label} from ${valueText(at, low)} to ${valueText(at, high)}`;
  return low ? `${label} ${endText(at, low, "≥", ">")}` : `${label} ${endText(at, high, "≤", "<")}`;
}

// How far values were tried where there is no closed form.
function triedWords({ upTo, count }) {
  const how = count ? `${shown(count)} of them were tried; ` : "";
  return ` up to ${shown(upTo)} (${how}values beyond were not tried)`;
}

function crossoverWords(at, answer) {
  const label = labelOf(at), { kind, runs, pieces, tried } = answer;
  if (kind === "unsolved") return "There is no closed form for this rate; move its box to try values.";
  const doubt = answer.exact ? "" : DOUBT, reach = tried ? triedWords(tried) : "";
  if (kind === "never") return `With these values it is compute-bound for no ${label}${reach}${doubt}.`;
  if (kind === "always") return `With these values it is compute-bound for every ${label}${reach}${doubt}.`;
  const set = pieces ? pieces.map((piece) => pieceText(at, piece)).join(" or ") : "";
  if (!runs) return `Compute-bound for ${set}${doubt}.`;
  if (!runs.length) return `${set} holds no whole number, so it is compute-bound for none${doubt}.`;
  const more = runs.length > 8 ? ", and so on" : "";
  const whole = runs.slice(0, 8).map((run) => runText(label, run, tried)).join(", and ") + more;
  if (set) return `Compute-bound for ${set}: ${whole}${doubt}.`;
  const values = tried.count ? `${shown(tried.count)} values` : "all values";
  return `Compute-bound ${whole} (${values} up to ${shown(tried.upTo)} were tried, none beyond)${doubt}.`;
}

function thumbWords(at, answer) {
  const { thumb } = set.questions[at];
  if (thumb === null || !isCount(at)) return "";
  const value = Object.assign(numberAt(thumb, state.values), { closed: true });
  const whole = wholeInside(value, true, () => true);
  if (whole === null) return "";
  const rule = `The rule of thumb, ${labelOf(at)} ≥ ${set.questions[at].thumbText}, says ${shown(whole)}`;
  if (answer.first === null) return answer.runs && !answer.tried ? `${rule} and does not apply.` : `${rule}.`;
  const error = answer.first - whole;
  if (error === 0n) return `${rule}, which is right here.`;
  return `${rule}: ${shown(error < 0n ? -error : error)} too ${error > 0n ? "few" : "many"}.`;
}

function showCrossover(answer) {
  const at = chosen.unknown;
  for (const list of byId("cases").children) {
    const own = ofSet(list) && Number(list.dataset.slot) === at;
    list.hidden = !own;
    if (!own || !set.questions[at].cases) continue;
    const active = set.questions[at].cases.findIndex((c) =>
      c.when.every(([formula, signs]) => signs & SIGN_BITS[order(numberAt(formula, state.values), ZERO)])
    );
    const listed = list.children.length === set.questions[at].cases.length;
    [...list.children].forEach((row, i) => row.classList.toggle("active", listed && i === active));
  }
  put("crossover", crossoverWords(at, answer));
  put("thumb", thumbWords(at, answer));
  const jump = byId("jump");
  const edge = answer.first === 1n && answer.last !== null ? answer.last : answer.first;
  jump.hidden = !edge || answer.kind === "always" || edge > MOST;
  jump.textContent = `Set ${labelOf(at)} to ${edge === null ? "" : shown(edge || 0n)}`;
  jump.onclick = () => setValue(at, q(edge));
  document.querySelectorAll(".unknown").forEach((place) => (place.textContent = labelOf(at)));
}

function marksOf(answer) {
  if (answer.pieces) return answer.pieces.flatMap((p) => [p.low, p.high].filter(Boolean).map((end) => end.float)).filter(Number.isFinite);
  return (answer.runs || []).slice(0, 8).flatMap((r) => [r.from, r.to].filter((n) => n !== null && n > 1n).map(Number));
}

function columnWords() {
  const { x, y } = chosen, at = `${labelOf(x)} = ${unitText(x, toFloat(state.values[x]))}`;
  if (!isCount(y)) return "";
  const parts = verdictsAlong(y, state.values, 1n, BigInt(rangeOf(y)[1]));
  const words = parts.slice(0, 8).map(({ from, to, verdict }) => {
    const run = from === to ? `at ${shown(from)}` : `from ${shown(from)} to ${shown(to)}`;
    return `${run} ${regimeWords(verdict.kind)}`;
  });
  return `At ${at}, by ${labelOf(y)}: ${words.join(", ")}${parts.length > 8 ? ", and so on" : ""}.`;
}

// The answer does not depend on the value of the name it is about, so it is kept while that moves.
let kept = { key: "", answer: null };

function crossoverNow(at) {
  const upTo = BigInt(Math.round(isCount(at) ? rangeOf(at)[1] : 1));
  const key = [set.name, at, upTo, ...state.values.map((value, i) => (i === at ? "" : `${value.n}/${value.d}`))].join();
  if (kept.key !== key) kept = { key, answer: crossoverAt(at, state.values, upTo) };
  return kept.answer;
}

function render() {
  const { values } = state, at = chosen.unknown;
  const float = (formula) => (formula === null ? 0 : numberAt(formula, values).float);
  const verdict = verdictAt(values);
  const slowest = Math.max(0, ...verdict.times.map((t) => t.float));
  const [flops, bytes, sent] = [DATA.flops, DATA.bytes, DATA.sent].map(float);
  const peak = float(DATA.peak), ridge = float(DATA.ridge);
  const facts = { slowest, flops, bytes, sent, intensity: flops / bytes, ridge };
  const main = { name: "", moved: bytes, bandwidth: peak / ridge };
  const levels = set.levels.length ? set.levels.map((l) => ({ name: l.name, moved: float(l.bytes), bandwidth: float(l.bandwidth) })) : [main];
  const filled = levels.filter((l) => l.moved > 0 || !set.levels.length).map((l) => ({ ...l, intensity: flops / l.moved }));
  offerUsed();
  showControls();
  showVerdict(verdict, facts);
  showTerms(verdict, slowest);
  const answer = crossoverNow(at);
  showCrossover(answer);
  drawRoofline(byId("roofline"), { levels: filled, peak, flops, times: verdict.times });
  drawCurves(byId("curves"), { slot: at, values, range: rangeOf(at), marks: marksOf(answer), label: labelOf(at) });
  const slots = [chosen.x, chosen.y];
  map = drawMap(byId("map"), { slots, values, ranges: slots.map(rangeOf), labels: slots.map(labelOf) });
  put("column", columnWords());
}

// Names of what the way bytes are charged has no use for are not offered.
function offerUsed() {
  for (const [id, key] of [["unknown", "unknown"], ["map-x", "x"], ["map-y", "y"]]) {
    for (const option of byId(id).children) option.hidden = !isUsed(Number(option.value));
    if (isUsed(chosen[key])) continue;
    const taken = { x: chosen.y, y: chosen.x }[key];
    chosen[key] = SLOTS.findIndex((_, at) => isUsed(at) && at !== taken);
    byId(id).value = chosen[key];
  }
}

function addChoice(id, key) {
  const picker = byId(id);
  SLOTS.forEach((slot, at) => picker.append(make("option", { value: at }, slot.machine ? `${slot.label} (${slot.meaning})` : slot.label)));
  picker.value = chosen[key];
  picker.addEventListener("change", () => {
    const other = { x: "y", y: "x" }[key], before = chosen[key];
    chosen[key] = Number(picker.value);
    if (other && chosen[other] === chosen[key]) {
      chosen[other] = before;
      byId(`map-${other}`).value = before;
    }
    changed();
  });
}

function setByPoint(event) {
  if (!map || (event.type === "pointermove" && !event.buttons)) return;
  const [x, y] = map.under(event);
  [[chosen.x, x], [chosen.y, y]].forEach(([at, value]) => {
    setValue(at, isCount(at) ? q(BigInt(Math.max(1, Math.round(value)))) : parse(value.toPrecision(4)));
  });
}

function start() {
  SLOTS.forEach((_, at) => addSlot(at));
  addMachines();
  addResidencies();
  chooseSet(0);
  addChoice("unknown", "unknown");
  addChoice("map-x", "x");
  addChoice("map-y", "y");
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("reset").addEventListener("click", () => {
    state.values = [...START];
    state.upper = uppers();
    byId("chip").value = 0;
    chooseSet(0);
    refuse("");
    changed();
  });
  byId("map").addEventListener("pointerdown", setByPoint);
  byId("map").addEventListener("pointermove", setByPoint);
  addEventListener("resize", changed);
  showControls();
  requestAnimationFrame(() => setTimeout(changed));  // the closed forms are seen first
}

// The same answers for scripts: names to numbers as text, as they are typed in boxes (base units).
function valuesOf(given = {}) {
  return state.values.map((value, at) => (SLOTS[at].name in given ? evaluate(String(given[SLOTS[at].name])) : value));
}

const placeOf = (name) => SLOTS.findIndex((slot) => slot.name === name);

window.symroof = {
  residency(name) {
    const place = DATA.sets.findIndex((way) => way.name === name);
    if (place >= 0) chooseSet(place);
    changed();
    return set.name;
  },
  verdict(given) {
    const { kind, tied, exact } = verdictAt(valuesOf(given));
    return { kind, tied, exact };
  },
  crossover(name, given, upTo = 2 ** 20) {
    const { kind, runs, first, last, permanent, pieces } = crossoverAt(placeOf(name), valuesOf(given), BigInt(upTo));
    const text = (n) => (n === null || n === undefined ? null : String(n));
    return {
      kind, first: text(first), last: text(last), permanent: text(permanent),
      runs: runs && runs.map((run) => [text(run.from), text(run.to)]),
      ends: pieces && pieces.map((p) => [p.low && p.low.float, p.high && p.high.float]),
    };
  },
  boundary(name, given, low, high) {
    return verdictsAlong(placeOf(name), valuesOf(given), BigInt(low), BigInt(high)).map(({ from, to, verdict }) => ({
      from: String(from), to: String(to), kind: verdict.kind,
    }));
  },
  column(name, given, low, high) {
    return floatLine(floatsOf(valuesOf(given)), placeOf(name), [low, high]);
  },
};

start();
