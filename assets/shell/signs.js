// Explains the symbols drawn in the picture, as tips.js explains the symbols in the text. An
// empty element lies over each symbol. The pointer passes through it, and Tab reaches the first
// element of each symbol. This module is fetched after the picture has appeared.
import { make } from "./element.js";
import { entryOf } from "./rich.js";

const margin = 4; // CSS pixels of tolerance around a symbol

// entry returns the help's entry for a symbol; ẑ_1 has the entry of ẑ.
const entry = (name) => [name, name.split("_")[0]].map((sign) => document.getElementById(entryOf(sign))).find(Boolean);

// createSigns shows symbols over frame, the picture's iframe.
export function createSigns(frame) {
  const layer = make("div", { class: "signs", role: "group", "aria-label": "Symbols in the picture" });
  frame.after(layer);
  let shown = new Map(); // elements by "ID N": ID names the symbol's explanation, N counts the earlier places of the symbol
  let watched = null; // the frame's document; a lost context replaces it
  let over = frame;

  // point tells tips.js which symbol the pointer is over.
  function point(to, event) {
    if (to === over) return;
    over = to;
    to.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, pointerType: event?.pointerType }));
  }

  const under = ({ clientX: x, clientY: y }) => [...shown.values()].find(({ offsetLeft: left, offsetTop: top, offsetWidth: w, offsetHeight: h }) =>
    x > left - margin && x < left + w + margin && y > top - margin && y < top + h + margin) ?? frame;

  function watch(page) {
    watched = page;
    page.addEventListener("pointermove", (event) => point(event.buttons ? frame : under(event), event));
    page.addEventListener("pointerout", (event) => event.relatedTarget || point(frame, event));
    page.addEventListener("pointerdown", () => over.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true })));
  }

  return {
    // show shows the symbols with these names. places has x, y, width and height in CSS pixels
    // for each.
    show({ names, places }) {
      if (frame.contentDocument !== watched) watch(frame.contentDocument);
      const before = shown;
      const count = new Map();
      shown = new Map();
      names.forEach((name, i) => {
        const text = entry(name);
        if (!text) return;
        const n = count.get(text.id) ?? 0;
        count.set(text.id, n + 1);
        const key = `${text.id} ${n}`;
        const element = before.get(key) ?? make("span", { "data-sign": text.id, ...(n ? { "aria-hidden": "true" } : { role: "img", tabindex: "0" }) });
        if (!n) element.setAttribute("aria-label", text.textContent);
        for (const [k, side] of ["left", "top", "width", "height"].entries()) element.style[side] = `${places[4 * i + k]}px`;
        shown.set(key, element);
        if (!element.isConnected) layer.append(element);
      });
      for (const [key, element] of before) {
        if (shown.has(key)) continue;
        element.blur();
        if (element === over) point(frame);
        element.remove();
      }
      layer.hidden = shown.size === 0;
    },
  };
}
