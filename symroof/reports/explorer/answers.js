// What bounds the algorithm, and for which values of a name: exactly, by fractions.

const SLOTS = DATA.slots;
let set = DATA.sets[0];  // in which way bytes are charged

// The names of what is asked of other names and does not hold: k ≤ E.
function broken(v) {
  return DATA.domain.filter((rule) => order(numberAt(rule.low, v), numberAt(rule.high, v)) > 0);
}

// {kind, tied, times, exact}: kind is compute, memory, network, launch, balanced, no work or
// undefined.
function verdictAt(v) {
  const times = set.terms.map((term) => Object.assign(numberAt(term.formula, v), { name: term.name }));
  if (times.some((t) => !(t.float >= 0))) return { kind: "undefined", tied: [], times, exact: true };
  const working = times.filter((t) => order(t, ZERO) > 0);
  const largest = working.filter((t) => working.every((other) => order(t, other) >= 0));
  const tied = largest.map((t) => t.name), note = { exact: true };
  largest.slice(1).forEach((t) => order(largest[0], t, note));
  const kind = tied.length > 1 ? "balanced" : tied[0] || "no work";
  return { kind, tied, times, ...note };
}

const sameVerdict = (a, b) => a.kind === b.kind && a.tied.join() === b.tied.join();

// Whether the compute term is at least every other one, ties included; notes what is unsure.
function holdsAt(v, note) {
  if (broken(v).length) return false;
  const times = set.terms.map((term) => [term.name, numberAt(term.formula, v)]);
  const [, compute] = times.find(([name]) => name === "compute") || [null, ZERO];
  const others = times.filter(([name]) => name !== "compute");
  return others.length ? others.every(([, time]) => order(compute, time, note) >= 0) : compute !== ZERO;
}

const withValue = (v, slot, value) => v.map((old, at) => (at === slot ? value : old));
const SIGN_BITS = { "-1": 1, 0: 2, 1: 4 };

// The set of the closed form as pieces {low, high} of numbers, or null where there is none.
function closedPieces(slot, v, note) {
  const cases = set.questions[slot].cases;
  const signOf = (formula) => SIGN_BITS[order(numberAt(formula, v), ZERO, note)];
  const active = cases && cases.find((c) => c.when.every(([formula, signs]) => signs & signOf(formula)));
  if (!active) return null;
  const pieces = [];
  for (const bounds of active.pieces) {
    const piece = { low: null, high: null };
    for (const [formula, lower, closed] of bounds) {
      const end = Object.assign(numberAt(formula, v), { closed });
      if (Number.isNaN(end.float)) return null;
      const side = lower ? "low" : "high";
      const inner = piece[side] && order(end, piece[side], note) * (lower ? 1 : -1);
      if (inner === null || inner > 0 || (inner === 0 && !closed)) piece[side] = end;
    }
    if (piece.low && order(piece.low, ZERO) < 0) piece.low = null;
    if (piece.high && order(piece.high, ZERO) <= 0) continue;
    const gap = piece.low && piece.high ? order(piece.low, piece.high, note) : -1;
    if (gap < 0 || (gap === 0 && piece.low.closed && piece.high.closed)) pieces.push(piece);
  }
  return joined(pieces);
}

function joined(pieces) {
  const start = (p) => p.low || ZERO;
  const sorted = [...pieces].sort((a, b) => order(start(a), start(b)));
  const found = [];
  for (const piece of sorted) {
    const last = found[found.length - 1];
    const gap = last && last.high ? order(start(piece), last.high) : -1;
    if (!last || gap > 0 || (gap === 0 && !start(piece).closed && !last.high.closed)) found.push({ ...piece });
    else if (last.high && (!piece.high || order(piece.high, last.high) > 0)) last.high = piece.high;
  }
  return found;
}

function kindOf(pieces) {
  const [first, second] = pieces;
  if (!first) return "never";
  if (pieces.length === 1) return !first.low && !first.high ? "always" : first.low && first.high ? "between" : "at";
  return pieces.length === 2 && !first.low && !second.high ? "outside" : "intervals";
}

// The whole numbers of a piece; null where an end is too large for one. An end that may be a whole
// number for all one can tell is settled by trying it.
function runOf(piece, holds) {
  const from = piece.low ? wholeInside(piece.low, true, holds) : 1n;
  const to = piece.high ? wholeInside(piece.high, false, holds) : 0n;
  return from === null || to === null ? null : { from: from > 1n ? from : 1n, to: piece.high ? to : null };
}

function wholeInside(end, lower, holds) {
  if (end.exact) {
    const whole = lower ? ceil(end.exact).n : floor(end.exact).n;
    return end.closed || end.exact.d !== 1n ? whole : lower ? whole + 1n : whole - 1n;
  }
  let whole = null;
  for (const level of LEVELS) {
    const near = end.near(level);
    if (!near) continue;
    whole = floor(near.high).n;
    if (cmp(near.low, q(whole)) > 0) return lower ? whole + 1n : whole;
  }
  return whole === null || holds(whole) ? whole : lower ? whole + 1n : whole - 1n;
}

// The last whole number from a towards b for which `same` holds, and the next one.
function flip(a, b, same) {
  const step = a < b ? 1n : -1n;
  while ((b - a) * step > 1n) {
    const middle = (a + b) / 2n;
    if (same(middle)) a = middle;
    else b = middle;
  }
  return [a, b];
}

function wholeSamples(low, high, most, extra = []) {
  const found = new Set([low, high, ...extra.filter((n) => n >= low && n <= high)]);
  if (high - low < BigInt(most)) for (let n = low; n <= high; n++) found.add(n);
  const [a, b] = [Math.log(Number(low)), Math.log(Number(high))];
  for (let i = 1; i < most; i++) {
    const n = BigInt(Math.round(Math.exp(a + ((b - a) * i) / most)));
    if (n > low && n < high) found.add(n);
  }
  return [...found].sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));
}

const EVERY = 4096;

// Runs of whole numbers up to `upTo`, by trying: every one of few, else samples with bisection.
function triedRuns(holds, upTo) {
  const every = upTo <= BigInt(EVERY);
  const samples = wholeSamples(1n, upTo, every ? EVERY + 1 : 768);
  const runs = [];
  let before = null;
  for (const n of samples) {
    const now = holds(n);
    if (before && now !== before.now) {
      const [last, next] = flip(before.n, n, (m) => holds(m) === before.now);
      if (now) runs.push({ from: next, to: null });
      else runs[runs.length - 1].to = last;
    } else if (!before && now) runs.push({ from: n, to: null });
    before = { n, now };
  }
  return { runs, tried: { upTo, count: every ? null : samples.length } };
}

// The crossover of a name at the other values: {kind, pieces, runs, first, last, permanent, tried,
// exact}.
function crossoverAt(slot, v, upTo) {
  const count = SLOTS[slot].kind === "count", note = { exact: true };
  const holds = (n) => holdsAt(withValue(v, slot, q(n)), note);
  const pieces = closedPieces(slot, v, note);
  const known = pieces && count ? pieces.map((p) => runOf(p, holds)) : null;
  if (!count || (known && known.includes(null))) {
    return { kind: pieces ? kindOf(pieces) : "unsolved", pieces, runs: null, tried: null, first: null, last: null, ...note };
  }
  const { runs, tried } = known ? { runs: joinedRuns(known), tried: null } : triedRuns(holds, upTo);
  const end = runs.length ? runs[runs.length - 1] : null;
  return {
    kind: pieces ? kindOf(pieces) : kindOfRuns(runs),
    pieces,
    runs,
    tried,
    first: runs.length ? runs[0].from : null,
    last: end ? end.to : null,
    permanent: end && end.to === null ? end.from : null,
    ...note,
  };
}

function kindOfRuns(runs) {
  return kindOf(runs.map(({ from, to }) => ({ low: from > 1n ? from : null, high: to })));
}

function joinedRuns(runs) {
  const found = [];
  for (const run of runs.filter((r) => r.to === null || r.from <= r.to)) {
    const last = found[found.length - 1];
    if (last && (last.to === null || run.from <= last.to + 1n)) {
      if (last.to !== null && (run.to === null || run.to > last.to)) last.to = run.to;
    } else found.push({ ...run });
  }
  return found;
}

// Verdicts along a count: [{from, to, verdict}], each flip at its exact whole number.
function verdictsAlong(slot, v, low, high) {
  const known = new Map();
  const verdict = (n) => {
    if (!known.has(n)) {
      const here = withValue(v, slot, q(n));
      known.set(n, broken(here).length ? { kind: "impossible", tied: [] } : verdictAt(here));
    }
    return known.get(n);
  };
  const ends = (closedPieces(slot, v) || []).flatMap((p) => [p.low, p.high].filter(Boolean));
  const near = ends
    .filter((end) => end.float < 1e15)
    .flatMap((end) => [-1n, 0n, 1n].map((step) => BigInt(Math.floor(end.float)) + step));
  const found = [];
  let at = null;
  for (const n of wholeSamples(low, high, 96, near)) {
    while (at !== null && !sameVerdict(verdict(at), verdict(n))) {
      const here = verdict(at);
      const [last, next] = flip(at, n, (m) => sameVerdict(verdict(m), here));
      found[found.length - 1].to = last;
      found.push({ from: next, to: next, verdict: verdict(next) });
      at = next;
    }
    if (at === null) found.push({ from: n, to: n, verdict: verdict(n) });
    at = n;
    found[found.length - 1].to = n;
  }
  return found;
}
