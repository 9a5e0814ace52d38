// Exact fractions: {n, d} with BigInts, d > 0, in lowest terms unless they are long. What has no
// exact value throws Inexact.

class Inexact extends Error {}

const MAX_BITS = 200000n;
const LONG = 1n << 1024n;  // from here on a common factor costs more to find than to carry

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

function q(n, d = 1n) {
  if (d === 1n) return { n, d };
  if (d === 0n) throw new Inexact("division by zero");
  if (d < 0n) [n, d] = [-n, -d];
  if (d > LONG) return { n, d };
  const common = gcd(n < 0n ? -n : n, d);
  return common === 1n ? { n, d } : { n: n / common, d: d / common };
}

function add(...terms) {
  let { n, d } = terms[0];
  for (let i = 1; i < terms.length; i++) {
    const t = terms[i];
    if (t.d === d) n += t.n;
    else [n, d] = [n * t.d + t.n * d, d * t.d];
  }
  return q(n, d);
}

function mul(...factors) {
  let n = 1n, d = 1n;
  for (const f of factors) [n, d] = [n * f.n, d * f.d];
  return q(n, d);
}

const div = (a, b) => q(a.n * b.d, a.d * b.n);
const sub = (a, b) => (a.d === b.d ? q(a.n - b.n, a.d) : q(a.n * b.d - b.n * a.d, a.d * b.d));
const sign = (a) => (a.n > 0n ? 1 : a.n < 0n ? -1 : 0);

function cmp(a, b) {
  const left = a.n * b.d, right = b.n * a.d;
  return left < right ? -1 : left > right ? 1 : 0;
}

const max = (...xs) => xs.reduce((a, b) => (cmp(a, b) < 0 ? b : a));
const min = (...xs) => xs.reduce((a, b) => (cmp(a, b) > 0 ? b : a));

function floor(a) {
  const whole = a.n / a.d;
  return q(a.n < 0n && whole * a.d !== a.n ? whole - 1n : whole);
}

function ceil(a) {
  const whole = a.n / a.d;
  return q(a.n > 0n && whole * a.d !== a.n ? whole + 1n : whole);
}

const bits = (n) => BigInt((n < 0n ? -n : n).toString(16).length) * 4n;

function rootOf(n, k) {
  // The k-th root of a whole number by Newton's method, where it is whole.
  if (n < 0n) throw new Inexact("a root of a negative number");
  if (n < 2n) return n;
  let x = 1n << (bits(n) / k + 1n);
  for (;;) {
    const next = ((k - 1n) * x + n / x ** (k - 1n)) / k;
    if (next >= x) break;
    x = next;
  }
  if (x ** k !== n) throw new Inexact("an irrational root");
  return x;
}

function pow(base, power) {
  if (power.d !== 1n) {
    if (power.d > 64n) throw new Inexact("a high root");
    base = q(rootOf(base.n, power.d), rootOf(base.d, power.d));
  }
  const k = power.n < 0n ? -power.n : power.n;
  if (k * (bits(base.n) + bits(base.d)) > MAX_BITS) throw new Inexact("a large power");
  return power.n < 0n ? q(base.d ** k, base.n ** k) : q(base.n ** k, base.d ** k);
}

const isPower = (n) => n > 0n && (n & (n - 1n)) === 0n;
const isPowerOfTwo = (a) => isPower(a.n) && isPower(a.d);

function log2(a) {
  if (!isPowerOfTwo(a)) throw new Inexact("an irrational logarithm");
  return q(BigInt(a.n.toString(2).length - a.d.toString(2).length));
}

function toFloat({ n, d }) {
  const above = Number(n), below = Number(d);
  if (Number.isFinite(above) && Number.isFinite(below)) return above / below;
  // Too long for floats: scale both so that the quotient keeps 64 bits.
  const shift = bits(n) - bits(d) - 64n;
  const head = shift > 0n ? Number(n / (d << shift)) : Number((n << -shift) / d);
  return head * 2 ** Number(shift);
}

// Without the marks between thousands: 1,000,000.
const unspaced = (text) => text.trim().replace(/(\d)[ ,_\u2009\u202f](?=\d{3}(\D|$))/g, "$1");

// A number as people type it: 4096, 3.35, 1e-3, 19780/67. Null where it is none.
function parse(text) {
  const plain = unspaced(text);
  const ratio = /^(\d{1,300})\s*\/\s*(\d{1,300})$/.exec(plain);
  if (ratio) return BigInt(ratio[2]) ? q(BigInt(ratio[1]), BigInt(ratio[2])) : null;
  const parts = /^(\d{0,300})(?:\.(\d{0,300}))?(?:e([+-]?\d{1,3}))?$/i.exec(plain);
  if (!parts || !(parts[1] || parts[2])) return null;
  const [whole, part, exponent] = [parts[1] || "", parts[2] || "", BigInt(parts[3] || "0")];
  const tens = exponent - BigInt(part.length);
  const digits = BigInt(whole + part || "0");
  return tens < 0n ? q(digits, 10n ** -tens) : q(digits * 10n ** tens);
}

// The exact number as a decimal where it has one of reasonable length, else as a fraction.
function exactText(a) {
  if (a.d === 1n) return String(a.n);
  let places = 0n;
  for (let d = a.d, p = 0n; d !== 1n; p++) {
    if (p > 24n) return `${a.n}/${a.d}`;
    const g = gcd(d, 10n);
    if (g === 1n) return `${a.n}/${a.d}`;
    d /= g;
    places = p + 1n;
  }
  const scaled = ((a.n < 0n ? -a.n : a.n) * 10n ** places) / a.d;
  const digits = String(scaled).padStart(Number(places) + 1, "0");
  const cut = digits.length - Number(places);
  return `${a.n < 0n ? "−" : ""}${digits.slice(0, cut)}.${digits.slice(cut)}`;
}
