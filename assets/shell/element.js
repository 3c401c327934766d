// Functions that make elements of the page.

// make returns an element with attributes and children. An undefined or false attribute is
// omitted; a true one has no value.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const texts = new WeakMap(); // the text that put has set last, by element

// put sets an element's text if it differs from the last one. The element may contain a translation of it.
export function put(element, text) {
  if (texts.get(element) === text) return;
  texts.set(element, text);
  if (element.textContent !== text) element.textContent = text;
}
