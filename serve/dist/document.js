// A stand-in for the browser's object `document`, with the members that the panel's scripts
// (assets/shell/panel.js) need. With it, they build a panel without a browser. content returns
// the panel as HTML.
"use strict";

const elements = new Map(); // by id
const empty = new Set(["input"]); // elements without an end tag
const shown = ["disabled", "hidden", "checked"]; // properties that become boolean attributes

const escapeText = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const escapeValue = (text) => escapeText(text).replaceAll('"', "&quot;");

class Element {
  constructor(tag) {
    this.tagName = tag.toUpperCase();
    this.tag = tag;
    this.attributes = new Map();
    this.children = []; // elements and strings
    this.parentElement = null;
    this.dataset = {};
    this.styles = [];
    this.style = { setProperty: (name, value) => this.styles.push(`${name}: ${typeof value === "number" ? Number(value.toFixed(4)) : value}`) };
    this.classList = {
      add: (name) => this.classList.toggle(name, true),
      toggle: (name, on) => {
        const names = new Set((this.attributes.get("class") ?? "").split(" ").filter(Boolean));
        if (on) names.add(name);
        else names.delete(name);
        if (names.size > 0) this.setAttribute("class", [...names].join(" "));
        else this.removeAttribute("class");
      },
    };
  }
  setAttribute(name, value) {
    this.attributes.set(name, String(value));
    if (name === "id") elements.set(String(value), this);
    if (name === "type") this.type = String(value);
  }
  get id() {
    return this.attributes.get("id") ?? "";
  }
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  removeAttribute(name) {
    this.attributes.delete(name);
  }
  adopt(child) {
    if (!(child instanceof Element)) return String(child);
    const siblings = child.parentElement?.children;
    if (siblings) siblings.splice(siblings.indexOf(child), 1);
    child.parentElement = this;
    return child;
  }
  append(...children) {
    for (const child of children) this.children.push(this.adopt(child));
  }
  replaceChildren(...children) {
    this.children = [];
    this.append(...children);
  }
  after(other) {
    const at = this.parentElement;
    const child = at.adopt(other);
    at.children.splice(at.children.indexOf(this) + 1, 0, child);
  }
  prepend(child) {
    this.children.unshift(this.adopt(child));
  }
  get firstChild() {
    return this.children[0] ?? null;
  }
  get textContent() {
    return this.children.map((child) => (child instanceof Element ? child.textContent : child)).join("");
  }
  set textContent(text) {
    this.children = text === "" ? [] : [String(text)];
  }
  addEventListener() {}
  contains() {
    return false;
  }
  querySelector() {
    return null;
  }
  get inner() {
    return this.children.map((child) => (child instanceof Element ? child.html : escapeText(child))).join("");
  }
  get html() {
    const all = new Map(this.attributes);
    for (const name of ["min", "max", "step", "value"]) if (this[name] !== undefined) all.set(name, String(this[name]));
    for (const name of shown) {
      if (this[name] === true) all.set(name, "");
      if (this[name] === false) all.delete(name);
    }
    if (this.styles.length > 0) all.set("class", [all.get("class"), named(this.styles.join(";"))].filter(Boolean).join(" "));
    const start = [this.tag, ...[...all].map(([name, value]) => (value === "" ? name : `${name}="${escapeValue(value)}"`))].join(" ");
    return empty.has(this.tag) ? `<${start}>` : `<${start}>${this.inner}</${this.tag}>`;
  }
}

// The page forbids inline styles, so styles become rules for classes.
const rules = new Map(); // names of classes by style
function named(style) {
  if (!rules.has(style)) rules.set(style, `at-${rules.size}`);
  return rules.get(style);
}

// The page's own elements are created when the scripts ask for them.
const asked = new Map();
const document = {
  documentElement: new Element("html"),
  activeElement: null,
  createElement: (tag) => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
  getElementById(id) {
    if (elements.has(id)) return elements.get(id);
    const element = new Element("div");
    elements.set(id, element);
    asked.set(id, element);
    return element;
  },
};
const matchMedia = () => ({ matches: true });
const performance = { now: () => 0 };
const requestAnimationFrame = () => 0;
const cancelAnimationFrame = () => {};
const CSS = { escape: (text) => text };
const Intl = { NumberFormat: class {} };

// content returns the HTML inside each of the page's own elements, and the rules for its
// classes.
function content() {
  const parts = [...asked].map(([id, element]) => ({ id, html: element.inner }));
  return { parts, css: [...rules].map(([style, name]) => `.${name}.${name} { ${style}; }\n`).join("") };
}
