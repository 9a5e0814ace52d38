// The values of formulas: as a fraction, or held between two fractions as closely as it takes.

const LEVELS = [128, 512, 2048];  // bits; the last is about 600 digits
const TOLERANCE = 1e-11;

const EXACT = formulas({ q, add, mul, div, pow, log2, ceil, floor, max, min });
const NEAR = new Map();

const floatsOf = (v) => v.map(toFloat);

function nearAt(formula, v, level) {
  if (!NEAR.has(level)) {
    const functions = enclosures(BigInt(level));
    NEAR.set(level, [functions.point, formulas(functions)]);
  }
  const [point, table] = NEAR.get(level);
  return table[formula](v.map(point));
}

// What a function returns; null where that has no value of this kind.
function orNull(work) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Inexact)) throw error;
    return null;
  }
}

// The value of a formula, worked out as far as it is asked for.
class Value {
  constructor(formula, v) {
    Object.assign(this, { formula, v, known: new Map() });
  }

  once(key, work) {
    if (!this.known.has(key)) this.known.set(key, work());
    return this.known.get(key);
  }

  // A fraction; null where it is irrational, or too long.
  get exact() {
    return this.once("exact", () => orNull(() => EXACT[this.formula](this.v)));
  }

  // {low, high}; null where it has no value, or one that is too large.
  near(level) {
    return this.once(level, () => orNull(() => nearAt(this.formula, this.v, level)));
  }

  get float() {
    return this.once("float", () => {
      const near = this.near(LEVELS[0]);
      return near ? toFloat(near.low) : FLOATS[this.formula](floatsOf(this.v));
    });
  }
}

const numberAt = (formula, v) => new Value(formula, v);

const NOTHING = { low: q(0n) };
NOTHING.high = NOTHING.low;
const ZERO = { formula: null, exact: NOTHING.low, near: () => NOTHING, float: 0 };

// The sign of a - b; a note is told where it cannot be told apart from a tie.
function order(a, b, note = {}) {
  for (const level of LEVELS) {
    const [x, y] = [a.near(level), b.near(level)];
    if (x && y) {
      if (cmp(x.low, y.high) > 0) return 1;
      if (cmp(x.high, y.low) < 0) return -1;
      if (x.low === x.high && y.low === y.high) return 0;
    }
    if (level === LEVELS[0]) {
      if (a.exact && b.exact) return cmp(a.exact, b.exact);
      if (a.formula === b.formula && a.v === b.v) return 0;
    }
  }
  note.exact = false;
  const last = LEVELS[LEVELS.length - 1];
  if (a.near(last) && b.near(last)) return 0;
  const gap = a.float - b.float, size = Math.max(Math.abs(a.float), Math.abs(b.float));
  if (a.float === b.float || (size < Infinity && Math.abs(gap) <= TOLERANCE * size)) return 0;
  return Math.sign(gap) || 0;
}
