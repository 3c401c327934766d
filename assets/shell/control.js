// One control of a lab's panel. Its HTML is in the page (model/wire/markup); bindControl connects it
// with the worker: it shows the worker's state and sends the visitor's input.
import { put } from "./element.js";
import { createField, number } from "./field.js";
import { plain, short, typeset } from "./format.js";
import { createRuns } from "./runs.js";
import { among, even, powers } from "./scale.js";
import { createSlider } from "./slider.js";

const glide = 110; // ms that a scrubber's thumb takes to reach a new value: a little more than the time between two states

// What the buttons do, by kind.
const acts = {
  button: ({ id }, { send }) => send({ kind: "press", name: id }),
  open: (_, { choose }) => choose(),
  export: ({ value }, { send }) => send({ kind: "save", name: value }),
  image: (_, { image }) => image(),
  sweep: (_, { sweep }) => sweep(),
  curve: (control, { curve }, button) => curve(control, button),
};

// The other kinds. Each function gets a wire.Control, its inputs, and set(value), which sends a value.
// It returns a function that shows a value and a wire.State.
const kinds = {
  slider(control, [input, range], set) {
    const showField = createField(input, (text) => set(number(text)), typeset);
    const slider = createSlider(range, { scale: scaleOf(control), words: spoken(control) }, (value) => set(plain(value)));
    return (value, state) => {
      showField(value);
      slider.show(Number(value));
      slider.mark(state.knows?.[control.id], Number(value));
    };
  },
  range(control, [range], set) {
    let max = null; // of the last state
    const slider = createSlider(range, { scale: scaleOf(control), words: spoken(control), glide }, (value) => set(plain(value)));
    return (value, state) => {
      const end = state.max?.[control.id] ?? control.max;
      if (end !== max) {
        max = end;
        slider.setScale(scaleOf({ ...control, max }));
      }
      slider.show(Number(value));
    };
  },
  number: (_, [input], set) => createField(input, (text) => set(number(text)), typeset),
  field: (_, [input], set) => createField(input, set),
  choice(_, inputs, set) {
    for (const input of inputs) input.addEventListener("change", () => set(input.value));
    return (value) => {
      // If the value is not among the options, for example after the user has edited settings,
      // nothing is selected.
      for (const input of inputs) {
        if (input.type === "radio") input.checked = input.value === value;
        else if (input.value !== value) input.value = value;
      }
    };
  },
  switch(_, [input], set) {
    input.addEventListener("change", () => set(input.checked ? "on" : "off"));
    return (value) => {
      input.checked = value === "on";
    };
  },
};

function bindButton(control, button, context) {
  const [words, sign] = [button.querySelector("span"), button.querySelector("use")];
  const turns = ["train", "pause"].includes(control.icon);
  button.addEventListener("click", () => acts[control.kind](control, context, button));
  return (state) => {
    put(words, state.labels?.[control.id] || control.label);
    if (turns) sign.setAttribute("href", state.tasks?.[control.id] === "running" ? "#i-pause" : "#i-train");
  };
}

// bindControl binds a wire.Control. The context:
//   send(command)           sends a command to the worker
//   choose()                asks for a file
//   image()                 saves the picture
//   sweep()                 shows the panel's sweep
//   curve(control, button)  lets the visitor draw a setting
//   say(text)               explains why an action had no effect
// The result:
//   element        is the control's outermost element
//   show(state)    shows its part of a wire.State
//   press()        is called for its shortcut; it does nothing while the control is hidden
export function bindControl(control, context) {
  const { id } = control;
  const element = document.querySelector(`[data-control="${id}"]`);
  const hint = document.getElementById(`c-${id}-hint`);
  const { about = hint.textContent } = hint.dataset;
  const isButton = element.tagName === "BUTTON";
  const inputs = isButton ? [element] : [...element.querySelectorAll("input, select")];
  const show = isButton ? bindButton(control, element, context)
    : control.kind === "runs" ? createRuns(document.getElementById(`c-${id}`), context)
    : showValue(kinds[control.kind](control, inputs, (value) => context.send({ kind: "set", name: id, value })));

  function showValue(show) {
    return (state) => state.values?.[id] !== undefined && show(state.values[id], state);
  }

  let off = "about" in hint.dataset ? hint.textContent : ""; // the reason why the control is disabled
  // A disabled control explains why it is disabled. A disabled button can still be reached by
  // Tab for its explanation. Other controls show their explanation when the pointer is over
  // them.
  function disable(reason) {
    if (reason === off) return;
    off = reason;
    element.classList.toggle("off", reason !== "");
    for (const input of inputs) {
      if (isButton) input.setAttribute("aria-disabled", String(reason !== ""));
      else input.disabled = reason !== "";
      if (reason || about) input.setAttribute("aria-describedby", hint.id);
      else input.removeAttribute("aria-describedby");
    }
    if (reason && !isButton) element.setAttribute("aria-describedby", hint.id);
    else if (!isButton) element.removeAttribute("aria-describedby");
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
    show(state) {
      element.hidden = Boolean(state.hidden?.[id]);
      disable(state.off?.[id] ?? "");
      show(state);
    },
    press() {
      if (element.hidden) return; // for example, a lecture's link may hide it
      const [input] = inputs;
      if (isButton || input.type === "checkbox") input.click();
      else input.focus();
    },
  };
}

function scaleOf({ stops, log, min, max, step }) {
  if (stops?.length > 0) return among(stops);
  return log ? powers(min, max) : even(min, max, step);
}

const spoken = (control) => (value) => [short(value), control.unit].filter(Boolean).join(" ");
