// Numbers for people: six digits, thousands marked from 10,000 on, prefixes that suit.

const SCALES = {
  s: [["h", 3600, 2], ["min", 60, 2], ["s", 1, 1], ["ms", 1e-3, 1], ["µs", 1e-6, 1], ["ns", 1e-9, 1], ["ps", 1e-12, 0]],
};

const LONGEST = 10n ** 40n;  // from here on whole numbers are rounded

function shown(value, digits = 6) {
  if (typeof value === "bigint") return value < LONGEST ? marked(String(value)) : `about ${ofTen(value, digits)}`;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : Number.isNaN(value) ? "–" : "−∞";
  if (value < 0) return "−" + shown(-value, digits);
  if (value === 0) return "0";
  if (Number.isInteger(value) && value < 1e15) return marked(String(value));
  if (value >= 1e15 || value < 1e-4) return tens(value, digits);
  const fixed = value.toPrecision(digits);
  if (fixed.includes("e")) return tens(value, digits);  // not as a whole number: it is rounded
  const [whole, part = ""] = fixed.split(".");
  const kept = part.replace(/0+$/, "");
  return marked(whole) + (kept ? "." + kept : "");
}

function tens(value, digits) {
  const [head, power] = value.toExponential(Math.max(0, Math.min(digits - 1, 99))).split("e");
  return timesTen(head, Number(power));
}

// A whole number that may be too long for floats.
function ofTen(whole, digits) {
  const text = String(whole);
  const [head, power] = Number(`${text[0]}.${text.slice(1, 18)}`).toExponential(digits - 1).split("e");
  return timesTen(head, Number(power) + text.length - 1);
}

function timesTen(head, power) {
  const mantissa = head.includes(".") ? head.replace(/\.?0+$/, "") : head;
  const raised = String(power).replace(/./g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] || "⁻");
  return (mantissa === "1" ? "" : mantissa + "·") + "10" + raised;
}

function marked(whole) {
  return whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
}

function exactShown(a, digits = 6) {
  if (a.d === 1n && a.n < 10n ** 15n) return shown(a.n);
  const float = toFloat(a);
  return Number.isFinite(float) ? shown(float, digits) : ofTen(a.n / a.d, digits);
}

// A number between two fractions; one too large for them is said to be so.
function valueShown(value, digits = 6) {
  if (value.exact) return exactShown(value.exact, digits);
  if (Number.isFinite(value.float) && !Number.isInteger(value.float)) return shown(value.float, digits);
  const near = value.near(LEVELS[0]);
  if (!near) return value.float > 0 ? "a number of more than 6000 digits" : shown(value.float, digits);
  return near.low.n > near.low.d ? ofTen(near.low.n / near.low.d, digits) : shown(value.float, digits);
}

// With the prefix that suits: 12.4 µs, 989 TFLOP/s, 33.6 MB.
function human(value, unit, digits = 4) {
  if (!Number.isFinite(value) || value === 0) return `${shown(value)} ${unit}`.trim();
  const scales = SCALES[unit] || prefixed(unit);
  for (const [name, size, least] of scales) {
    const scaled = value / size;
    if (Number(scaled.toPrecision(digits)) >= least && scaled < 1e6) return `${shown(scaled, digits)} ${name}`;
  }
  return `${shown(value, digits)} ${unit}`.trim();
}

function prefixed(unit) {
  const base = unit.replace("byte", "B");
  if (!/^(B|FLOP)(\/s)?$/.test(base)) return [];
  return [["E", 1e18], ["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]].map(([p, size]) => [p + base, size, 1]);
}
