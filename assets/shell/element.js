// Making elements of the page.

// make returns an element with attributes and children. An attribute that is
// undefined or false is left out; one that is true is there without a value.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// icon returns one of the page's sprites by its name, null if there is none.
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

// put writes text into an element unless it is there already.
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
