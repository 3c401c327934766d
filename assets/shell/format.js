// Numbers as text.

const grouped = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

// count writes a whole number with thin spaces between groups.
export function count(n) {
  return grouped.format(n).replaceAll(",", "\u202f");
}

const plainly = (x) => x === 0 || (Math.abs(x) >= 1e-4 && Math.abs(x) < 1e5);

// short writes x with three digits. It uses a power of ten below 10⁻⁴ and from 10⁵.
export function short(x) {
  if (!Number.isFinite(x)) return "–";
  return plainly(x) ? minus(String(Number(x.toPrecision(3)))) : scientific(x);
}

// labels returns the function that writes the values of one axis. If short writes one of them with a power of ten, labels
// writes all of them with powers of ten, except 0, 1 and 10.
export function labels(values) {
  if (values.every(plainly)) return short;
  return (x) => ([0, 1, 10].includes(Math.abs(x)) ? short(x) : scientific(x));
}

function scientific(x) {
  const [mantissa, exponent] = x.toExponential(2).split("e");
  const front = minus(String(Number(mantissa)));
  return front === "1" ? power(exponent) : `${front}×${power(exponent)}`;
}

// power writes a power of ten. exponent is in a program's notation, such as "-05".
function power(exponent) {
  return `10${[...String(Number(exponent))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("")}`;
}

// typeset sets the numbers of a program's text as in print: 2.8e-05 becomes 2.8×10⁻⁵, a hyphen
// before a digit becomes a minus sign, and no line ends before a percent sign. Names in quotation
// marks stay as they are.
export function typeset(text) {
  return text.replace(/"(?:[^"\\]|\\.)*"|[^"]+/g, (part) =>
    part.startsWith('"') ? part : part
      .replace(/(\d) %/g, "$1\u00a0%")
      .replace(/(\d)e([+-]\d+)/g, (_, digit, exponent) => `${digit}×${power(exponent)}`)
      .replace(/(^|[\s(])-(?=\d)/g, "$1−"));
}

// untypeset is the inverse of typeset.
export function untypeset(text) {
  return text
    .replaceAll("−", "-")
    .replace(/(^|×)10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/, (_, times, power) => `${times ? "" : 1}e${[...power].map((c) => (c === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c))).join("")}`);
}

function minus(text) {
  return text.replace("-", "−");
}

// plain writes x for an input field, in a form that Go and JavaScript both parse.
export function plain(x) {
  return String(x);
}

// span writes a duration. seconds is its length.
export function span(seconds) {
  if (!Number.isFinite(seconds) || seconds < 0) return "–";
  const s = Math.ceil(seconds);
  if (s < 60) return `${s}\u202fs`;
  const m = Math.floor(s / 60);
  if (m < 60) return `${m}:${String(s % 60).padStart(2, "0")}\u202fmin`;
  return `${Math.floor(m / 60)}:${String(m % 60).padStart(2, "0")}\u202fh`;
}

// about writes a duration approximately. seconds is its length.
export function about(seconds) {
  const round = (x, to) => Math.max(to, Math.round(x / to) * to);
  if (seconds < 55) return `${round(seconds, seconds < 10 ? 1 : 5)}\u202fs`;
  const m = seconds / 60;
  if (m < 55) return `${round(m, m < 10 ? 1 : 5)}\u202fmin`;
  return `${round(m / 60, m < 600 ? 0.5 : 1)}\u202fh`;
}
