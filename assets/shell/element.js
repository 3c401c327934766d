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

// icon returns one of the page's sprites by its name, or null if the page has no such
// sprite.
export function icon(name) {
  if (!name || !document.getElementById(`i-${name}`)) return null;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

// put sets an element's text if it differs.
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
