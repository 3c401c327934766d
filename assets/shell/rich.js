// Sentences with emphasis and symbols. A lab writes plain text with marks: **…** is emphasised;
// […|target] has a colour with a meaning in the picture; […|aside] and […|more] are omitted
// where there is little space, […|intro] is omitted on a phone; […|press NAME] is a link that presses
// the lab's button NAME. Greek letters, ẑ and z̄ are
// symbols, and q_X is q with the index X. Names in quotation marks, for example of files, are not
// searched for marks.
import { make, put } from "./element.js";
import { typeset } from "./format.js";

const marks = /"(?:[^"\\]|\\.)*"|\*\*(.+?)\*\*|\[([^[\]|]+)\|([a-z]+(?: [a-z]+)?)\]|(\p{L}[\u0302\u0304]?)_(\p{Lu}{2,3}|\p{L}|\d)(?![\p{L}\d])|([Α-Ωα-ωϕẑ][\u0302\u0304]?|z\u0304)(?!\p{L})/gu;

const optional = ["aside", "more", "intro"];

// inks maps each colour to the symbol that it stands for.
const inks = { target: "q_X", latent: "ẑ", learned: "p_θ" };

// entryOf returns the id of a symbol's explanation. tips.js shows the explanation next to the
// symbol.
export const entryOf = (sign) => `symbol-${sign}`;
const explained = (sign, reached) => ({ "data-sign": entryOf(sign), tabindex: reached ? "0" : undefined });

// rich returns the nodes of a sentence with typeset numbers. If reached is true, its
// symbols can be focused.
export function rich(sentence, reached = false) {
  const text = typeset(sentence);
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(marks)) {
    if (found.index > from) nodes.push(text.slice(from, found.index));
    const [all, strong, marked, kind, letter, index, symbol] = found;
    if (strong !== undefined) nodes.push(make("b", {}, ...rich(strong, reached)));
    else if (kind?.startsWith("press ")) nodes.push(make("button", { type: "button", class: "link", "data-press": kind.slice(6) }, ...rich(marked)));
    else if (optional.includes(kind)) nodes.push(make("span", { class: kind }, ...rich(marked, reached)));
    else if (marked !== undefined) nodes.push(make("b", { class: `ink-${kind}`, ...(inks[kind] ? explained(inks[kind], reached) : {}) }, ...rich(marked)));
    else if (letter !== undefined) nodes.push(make("i", { class: "m", ...explained(`${letter}_${index}`, reached) }, letter, make("sub", {}, index)));
    else if (symbol !== undefined) nodes.push(make("i", { class: "m", ...explained(symbol, reached) }, symbol));
    else nodes.push(all); // a name in quotation marks
    from = found.index + all.length;
  }
  if (from < text.length) nodes.push(text.slice(from));
  return nodes;
}

const numbers = /(−?\d(?:[\d.,\u202f:]*\d)?(?:×10)?[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*)/;

// separate puts every number in an element of its own, which no translator touches and which reads from
// left to right.
function separate(element) {
  for (const node of [...element.childNodes]) {
    if (node.nodeType === Node.TEXT_NODE) {
      // Every second part is a number.
      node.replaceWith(...node.data.split(numbers).map((part, i) => (i % 2 ? make("span", { class: "n", translate: "no" }, part) : part)).filter(Boolean));
    } else if (!node.matches(".m")) separate(node);
  }
}

const written = new WeakMap(); // by element: its text, the HTML without numbers, and the elements of the numbers

// putRich writes a sentence into an element, unless the element already contains it. If only numbers
// differ, the words stay, because a translator translates each new text.
export function putRich(element, text, reached) {
  const before = written.get(element);
  if (before?.text === text) return;
  const fresh = make("p", {}, ...rich(text, reached));
  separate(fresh);
  const values = [...fresh.querySelectorAll(".n")];
  const found = values.map((value) => value.textContent);
  for (const value of values) value.textContent = "";
  const words = fresh.innerHTML;
  const same = before?.words === words && before.values.every((value) => element.contains(value));
  (same ? before.values : values).forEach((value, i) => put(value, found[i]));
  written.set(element, { text, words, values: same ? before.values : values });
  if (!same) element.replaceChildren(...fresh.childNodes);
}
