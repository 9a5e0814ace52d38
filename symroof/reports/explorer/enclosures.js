// Numbers that have no fraction, or a very long one, held between two fractions: {low, high}.
// The same functions as for fractions, so that one formula is worked out both ways. What grows
// beyond 2**HUGE, or has no value, throws Inexact; what is below 2**-TINY is held from 0 on.

const HUGE = 20000n, TINY = 2000n;
const GUARD = 32n;  // the series err by far less than 2**32 of their last place

function bitLength(n) {
  const hex = (n < 0n ? -n : n).toString(16);
  return BigInt(4 * hex.length + 28 - Math.clz32(parseInt(hex[0], 16)));
}

// The fraction at or beside x with `keep` bits, on the side that is asked for.
function trimmed(x, keep, up) {
  if (x.n === 0n) return q(0n);
  const size = bitLength(x.n) - bitLength(x.d);
  if (size > HUGE) throw new Inexact("a large number");
  const shift = keep - (size < -TINY ? -TINY : size);
  const round = up ? ceil : floor;
  if (shift <= 0n) return q(round({ n: x.n, d: x.d << -shift }).n << -shift);
  return { n: round({ n: x.n << shift, d: x.d }).n, d: 1n << shift };
}

const logarithms = new Map();

// The natural logarithm of a fraction between 1/2 and 2, in steps of 2**-scale: 2 artanh t.
function naturalLog(x, scale) {
  const one = 1n << scale, at = (x.n << scale) / x.d;
  const t = ((at - one) << scale) / (at + one), square = (t * t) / one;
  let sum = 0n;
  for (let power = t, k = 1n; power !== 0n; k += 2n, power = (power * square) / one) sum += power / k;
  return 2n * sum;
}

function logOfTwo(scale) {
  // artanh 1/3 is half of it.
  if (!logarithms.has(scale)) logarithms.set(scale, naturalLog(q(4n, 3n), scale) - naturalLog(q(2n, 3n), scale));
  return logarithms.get(scale);
}

// log2 of a positive fraction, between two fractions 2**-bits apart.
function log2Ends(x, bits) {
  const scale = bits + GUARD, exponent = bitLength(x.n) - bitLength(x.d);
  const rest = exponent > 0n ? { n: x.n, d: x.d << exponent } : { n: x.n << -exponent, d: x.d };
  const found = (exponent << scale) + (naturalLog(rest, scale) << scale) / logOfTwo(scale);
  const slack = 1n << GUARD;
  return { low: q(found - slack, 1n << scale), high: q(found + slack, 1n << scale) };
}

// 2 to the power of a fraction, between two fractions.
function powerOfTwoEnds(x, bits) {
  const whole = floor(x).n, scale = bits + GUARD;
  if (whole > HUGE) throw new Inexact("a large power");
  if (whole < -TINY) return { low: q(0n), high: q(1n, 1n << TINY) };
  const part = (((x.n - whole * x.d) << scale) / x.d) * logOfTwo(scale), slack = 1n << GUARD;
  const one = 1n << scale, z = part / one;
  let sum = 0n;
  for (let term = one, i = 1n; term !== 0n; term = (term * z) / one / i, i++) sum += term;
  const scaled = (n) => (whole < 0n ? q(n, 1n << (scale - whole)) : q(n << whole, 1n << scale));
  return { low: scaled(sum - slack), high: scaled(sum + slack) };
}

// Of fractions that are rounded at once, and so need not be in lowest terms.
const times = (a, b) => ({ n: a.n * b.n, d: a.d * b.d });
const plus = (a, b) => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
const inverse = ({ n, d }) => (n < 0n ? { n: -d, d: -n } : { n: d, d: n });

// The functions for enclosures of `keep` bits.
function enclosures(keep) {
  const isPoint = (x) => x.low === x.high;
  const short = (x) => bitLength(x.n) + bitLength(x.d) <= 4n * keep;
  const held = (low, high) =>
    low === high && short(low) ? { low, high } : { low: trimmed(low, keep, false), high: trimmed(high, keep, true) };
  const both = (f, parts) => {
    const low = f(...parts.map((x) => x.low));
    return parts.every(isPoint) ? held(low, low) : held(low, f(...parts.map((x) => x.high)));
  };

  function sum(a, b) {
    if (isPoint(a) && isPoint(b)) return both(add, [a, b]);
    return held(plus(a.low, b.low), plus(a.high, b.high));
  }

  function product(a, b) {
    if (isPoint(a) && isPoint(b)) return both(mul, [a, b]);
    if (a.low.n >= 0n && b.low.n >= 0n) return held(times(a.low, b.low), times(a.high, b.high));
    const ends = [times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)];
    return held(min(...ends), max(...ends));
  }

  function over(a, b) {
    if (isPoint(a) && isPoint(b)) return both(div, [a, b]);
    if (b.low.n <= 0n && b.high.n >= 0n) throw new Inexact("a division by what may be zero");
    return product(a, held(inverse(b.high), inverse(b.low)));
  }

  function toWhole(base, k) {
    if (k < 0n) return over(point(q(1n)), toWhole(base, -k));
    let found = point(q(1n));
    for (let square = base; k; k >>= 1n) {
      if (k & 1n) found = product(found, square);
      if (k > 1n) square = product(square, square);
    }
    return found;
  }

  function toPower(base, power) {
    if (isPoint(power) && power.low.d === 1n) return toWhole(base, power.low.n);
    if (isPoint(base) && isPoint(power)) {
      try {
        return both(pow, [base, power]);
      } catch (error) {
        if (!(error instanceof Inexact)) throw error;
      }
    }
    if (base.high.n === 0n && power.low.n > 0n) return point(q(0n));
    const exponent = product(power, logarithm(base));
    return held(powerOfTwoEnds(exponent.low, keep).low, powerOfTwoEnds(exponent.high, keep).high);
  }

  function logarithm(x) {
    if (x.low.n <= 0n) throw new Inexact("a logarithm of what may not be positive");
    if (isPoint(x) && isPowerOfTwo(x.low)) return both(log2, [x]);
    return held(log2Ends(x.low, keep).low, log2Ends(x.high, keep).high);
  }

  const point = (x) => held(x, x);
  return {
    point,
    q: (n, d) => point(q(n, d)),
    add: (...parts) => parts.reduce(sum),
    mul: (...parts) => parts.reduce(product),
    div: over,
    pow: toPower,
    log2: logarithm,
    ceil: (x) => both(ceil, [x]),
    floor: (x) => both(floor, [x]),
    max: (...parts) => both(max, parts),
    min: (...parts) => both(min, parts),
  };
}
