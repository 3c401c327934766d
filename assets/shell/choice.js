// A choice among a lab's options. If the options are few and short, they are buttons in a row;
// otherwise they are a menu.
import { make } from "./element.js";
import { rich } from "./rich.js";

const room = 32;

// createChoice makes a wire.Control of kind choice. It becomes a row of buttons if there are at
// most `most` options and if their labels together have at most `room` letters.
export function createChoice(control, { send, most = 5 }) {
  const options = control.options ?? [];
  const letters = options.reduce((sum, { label }) => sum + label.length, 0);
  const set = (value) => send({ kind: "set", name: control.id, value });
  return options.length <= most && letters <= room ? segment(control, options, set) : menu(control, options, set);
}

function menu(control, options, set) {
  const id = `c-${control.id}`;
  const select = make("select", { id }, ...options.map(({ value, label }) => make("option", { value }, label)));
  select.addEventListener("change", () => set(select.value));
  return {
    element: make("div", { class: "line" }, make("label", { for: id }, ...rich(control.label)), select),
    inputs: [select],
    show(value) {
      // If the value is not among the options, for example after the user has edited settings,
      // nothing is selected.
      if (value !== undefined && select.value !== value) select.value = value;
    },
  };
}

function segment(control, options, set) {
  const id = `c-${control.id}`;
  const radios = options.map(({ value }) => make("input", { type: "radio", id: `${id}-${value}`, name: id, value }));
  const boxes = options.map(({ label }, i) => make("label", {}, radios[i], make("span", {}, ...rich(label))));
  const group = make("div", { id, class: "segment", role: "radiogroup", "aria-labelledby": `${id}-name` }, ...boxes);
  group.addEventListener("change", (event) => set(event.target.value));
  return {
    element: make("div", { class: "choice" }, make("span", { id: `${id}-name` }, ...rich(control.label)), group),
    inputs: radios,
    show(value) {
      if (value === undefined) return;
      for (const radio of radios) radio.checked = radio.value === value;
    },
  };
}
