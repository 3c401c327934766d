// One control of a lab's panel, built from its description (wire.Control). It shows the
// worker's state and sends the visitor's input.
import { createChoice } from "./choice.js";
import { icon, make, put } from "./element.js";
import { createField, number } from "./field.js";
import { plain, short, typeset } from "./format.js";
import { rich, symbolic } from "./rich.js";
import { createRuns } from "./runs.js";
import { among, even, powers } from "./scale.js";
import { createSlider } from "./slider.js";

const glide = 110; // ms that a scrubber's thumb takes to reach a new value: a little more than the time between two states

const kinds = {
  slider: createSliderField,
  range: createRange,
  number: (control, context) => createText(control, context, "decimal"),
  field: (control, context) => createText(control, context, "text"),
  choice: createChoice,
  switch: createSwitch,
  button: (control, { send }) => createButton(control, () => send({ kind: "press", name: control.id })),
  open: (control, { choose }) => createButton({ icon: "open", ...present(control) }, choose),
  export: (control, { send }) => createButton({ icon: "save", ...present(control) }, () => send({ kind: "save", name: control.value })),
  image: (control, { image }) => createButton({ icon: "image", ...present(control) }, image),
  sweep: (control, { sweep }) => createButton(present(control), sweep),
  curve: (control, { curve }) => createButton(present(control), (event) => curve(control, event.currentTarget)),
  runs: createRuns,
};

// createControl makes a control, or null for a kind that this page does not know. The context:
//   send(command)           sends a command to the worker
//   choose()                asks for a file
//   image()                 saves the picture
//   sweep()                 shows the panel's sweep
//   curve(control, button)  lets the visitor draw a setting
//   say(text)               explains why an action had no effect
//   most                    the largest number of options in a row
// The result:
//   element        is inserted into the page
//   hint           the description, placed where only screen readers find it
//   isButton       whether it may share a line with other buttons
//   show(state)    shows its part of a wire.State
//   press()        is called for its shortcut; it does nothing while the control is hidden
export function createControl(control, context) {
  const kind = kinds[control.kind];
  if (!kind) return null;
  const built = kind(control, context);
  const { element, inputs } = built;
  const about = [control.hint, control.key && `Key: ${keyName(control.key)}.`].filter(Boolean).join(" ");
  const hint = make("p", { id: `c-${control.id}-hint` }, about);
  if (about) for (const input of inputs) input.setAttribute("aria-describedby", hint.id);

  let off = "";
  // A disabled control explains why it is disabled. A disabled button can still be reached by
  // Tab for its explanation. Other controls show their explanation when the pointer is over
  // them.
  function disable(reason) {
    if (reason === off) return;
    off = reason;
    element.classList.toggle("off", reason !== "");
    for (const input of inputs) {
      if (input.tagName === "BUTTON") input.setAttribute("aria-disabled", String(reason !== ""));
      else input.disabled = reason !== "";
      if (reason || about) input.setAttribute("aria-describedby", hint.id);
      else input.removeAttribute("aria-describedby");
    }
    if (reason && !built.isButton) element.setAttribute("aria-describedby", hint.id);
    else if (!built.isButton) element.removeAttribute("aria-describedby");
    hint.textContent = reason || about;
  }
  element.addEventListener("click", (event) => {
    if (!off || !event.target.closest("button")) return;
    event.preventDefault();
    event.stopPropagation();
    context.say(off);
  }, true);

  return {
    element,
    hint,
    isButton: Boolean(built.isButton),
    show(state) {
      element.hidden = Boolean(state.hidden?.[control.id]);
      disable(state.off?.[control.id] ?? "");
      built.show?.(state.values?.[control.id], state);
    },
    press() {
      if (element.hidden) return; // for example, a lecture's link may hide it
      const input = inputs[0];
      if (built.isButton || input.type === "checkbox") input.click();
      else input.focus();
    },
  };
}

// present returns a control's description without its empty fields.
function present(control) {
  return Object.fromEntries(Object.entries(control).filter(([, value]) => value));
}

// keyName writes a key in words.
export function keyName(key) {
  return key === " " ? "Space" : key.length === 1 ? key.toUpperCase() : key.replace("Arrow", "");
}

// nameOf returns a control's label with its unit.
function nameOf(control, attributes) {
  const label = make("label", attributes, ...symbolic(control.label));
  if (control.unit) label.append(" ", make("span", { class: "unit" }, ...rich(control.unit)));
  return label;
}

function scaleOf({ stops, log, min, max, step }) {
  if (stops?.length > 0) return among(stops);
  return log ? powers(min, max) : even(min, max, step);
}

const spoken = (control) => (value) => [short(value), control.unit].filter(Boolean).join(" ");

function createSliderField(control, { send }) {
  const id = `c-${control.id}`;
  const set = (value) => send({ kind: "set", name: control.id, value });
  const input = make("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" });
  const range = make("input", { id: `${id}-slider`, type: "range", "aria-label": [control.label, control.unit].filter(Boolean).join(", ") });
  const ticks = control.ticks ?? [];
  const element = make("div", { class: ticks.length > 0 ? "control" : "control flat" }, nameOf(control, { for: id }), input, range);
  const showField = createField(input, (text) => set(number(text)), typeset);
  const slider = createSlider(range, { scale: scaleOf(control), ticks, words: spoken(control) }, (value) => set(plain(value)));
  return {
    element,
    inputs: [input, range],
    show(value) {
      if (value === undefined) return;
      showField(value);
      slider.show(Number(value));
    },
  };
}

function createRange(control, { send }) {
  const range = make("input", { id: `c-${control.id}`, type: "range", "aria-label": [control.label, control.unit].filter(Boolean).join(", ") });
  let max = control.max;
  const slider = createSlider(range, { scale: scaleOf(control), words: spoken(control), glide }, (value) => send({ kind: "set", name: control.id, value: plain(value) }));
  return {
    element: make("div", { class: "scrub" }, range),
    inputs: [range],
    show(value, state) {
      const end = state.max?.[control.id] ?? control.max;
      if (end !== max) {
        max = end;
        slider.setScale(scaleOf({ ...control, max }));
      }
      if (value !== undefined) slider.show(Number(value));
    },
  };
}

function createText(control, { send }, mode) {
  const id = `c-${control.id}`;
  const input = make("input", { id, type: "text", inputmode: mode, autocomplete: "off", spellcheck: "false" });
  const decimal = mode === "decimal";
  const show = createField(input, (text) => send({ kind: "set", name: control.id, value: decimal ? number(text) : text }), decimal ? typeset : undefined);
  return {
    element: make("div", { class: "line" }, nameOf(control, { for: id }), input),
    inputs: [input],
    show: (value) => value !== undefined && show(value),
  };
}

function createSwitch(control, { send }) {
  const input = make("input", { id: `c-${control.id}`, type: "checkbox", role: "switch" });
  input.addEventListener("change", () => send({ kind: "set", name: control.id, value: input.checked ? "on" : "off" }));
  return {
    element: make("label", { class: "switch" }, input, make("span", {}, ...rich(control.label))),
    inputs: [input],
    show(value) {
      if (value !== undefined) input.checked = value === "on";
    },
  };
}

function createButton(control, act) {
  const words = make("span", {}, control.label);
  const sign = icon(control.icon);
  const button = make("button", { id: `c-${control.id}`, type: "button", class: control.primary ? "primary" : undefined }, sign, words);
  const turns = ["train", "pause"].includes(control.icon);
  const show = (_, state) => {
    const begun = state.tasks?.[control.id];
    put(words, state.labels?.[control.id] || control.label);
    if (turns) sign.firstChild.setAttribute("href", begun === "running" ? "#i-pause" : "#i-train");
  };
  button.addEventListener("click", act);
  return { element: button, inputs: [button], isButton: true, show };
}
