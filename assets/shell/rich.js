// Sentences with emphasis and symbols. A lab writes plain text: **…** stands out,
// […|target] has a colour that means something in the picture, […|aside] and […|more]
// are left out where there is little room, […|intro] on a phone, Greek letters, ẑ and z̄ are symbols, and q_X is q with
// the index X.
import { make } from "./element.js";
import { typeset } from "./format.js";

const marks = /\*\*(.+?)\*\*|\[([^[\]|]+)\|([a-z]+)\]|(\p{L}[\u0302\u0304]?)_(\p{Lu}{2,3}|\p{L}|\d)(?![\p{L}\d])|([Α-Ωα-ωϕẑ][\u0302\u0304]?|z\u0304)(?!\p{L})/gu;

const optional = ["aside", "more", "intro"];

// rich returns the nodes of a sentence, its numbers typeset.
export function rich(sentence) {
  const text = typeset(sentence);
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(marks)) {
    if (found.index > from) nodes.push(text.slice(from, found.index));
    const [all, strong, marked, kind, letter, index, symbol] = found;
    if (strong !== undefined) nodes.push(make("b", {}, ...rich(strong)));
    else if (optional.includes(kind)) nodes.push(make("span", { class: kind }, ...rich(marked)));
    else if (marked !== undefined) nodes.push(make("b", { class: `ink-${kind}` }, ...rich(marked)));
    else if (letter !== undefined) nodes.push(make("i", { class: "m" }, letter, make("sub", {}, index)));
    else nodes.push(make("i", { class: "m" }, symbol));
    from = found.index + all.length;
  }
  if (from < text.length) nodes.push(text.slice(from));
  return nodes;
}

// symbolic is rich of a name, which is a symbol if it is one letter.
export function symbolic(name) {
  return [...name].length === 1 ? [make("i", { class: "m" }, name)] : rich(name);
}

// putRich writes a sentence into an element unless it is there already.
export function putRich(element, text) {
  if (element.dataset.said === text) return;
  element.dataset.said = text;
  element.replaceChildren(...rich(text));
}
