// Numbers for people: six digits, thousands marked from 10,000 on, prefixes that suit.

const SCALES = {
  s: [["h", 3600, 2], ["min", 60, 2], ["s", 1, 1], ["ms", 1e-3, 1], ["µs", 1e-6, 1], ["ns", 1e-9, 1], ["ps", 1e-12, 0]],
};

function shown(value, digits = 6) {
  if (typeof value === "bigint") return marked(String(value));
  if (!Number.isFinite(value)) return value > 0 ? "∞" : Number.isNaN(value) ? "–" : "−∞";
  if (value < 0) return "−" + shown(-value, digits);
  if (value === 0) return "0";
  if (Number.isInteger(value) && value < 1e15) return marked(String(value));
  if (value >= 1e15 || value < 1e-4) return tens(value, digits);
  const fixed = value.toPrecision(digits);
  if (fixed.includes("e")) return shown(Number(fixed), digits);
  const [whole, part = ""] = fixed.split(".");
  const kept = part.replace(/0+$/, "");
  return marked(whole) + (kept ? "." + kept : "");
}

function tens(value, digits) {
  const [head, power] = value.toExponential(Math.max(0, Math.min(digits - 1, 99))).split("e");
  const mantissa = head.includes(".") ? head.replace(/\.?0+$/, "") : head;
  const raised = power.replace("+", "").replace(/./g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] || "⁻");
  return (mantissa === "1" ? "" : mantissa + "·") + "10" + raised;
}

function marked(whole) {
  return whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
}

function exactShown(a, digits = 6) {
  return a.d === 1n && a.n < 10n ** 15n ? shown(a.n) : shown(toFloat(a), digits);
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
