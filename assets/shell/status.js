// Shows the text and figures of a lab's state (wire.State): the sentence above the picture,
// the figures below it, progress, warnings, and the text for screen readers.
import { createAnnouncer } from "./announce.js";
import { make, put } from "./element.js";
import { span, typeset } from "./format.js";
import { putRich, rich } from "./rich.js";

const byId = (id) => document.getElementById(id);

// plainOf returns a sentence without its marks.
const plainOf = (text) => (text ? make("p", {}, ...rich(text)).textContent : "");

// createStatus returns build(figures), which begins with a lab's figures, and show(state), which shows
// a state.
export function createStatus() {
  let described = [];
  let read = new Map(); // the texts of the figures that were read out last, by id
  const announce = createAnnouncer((sentence) => {
    byId("live").textContent = sentence;
  });

  function build(figures) {
    described = figures;
    read = new Map();
  }

  function figures(state) {
    for (const { id, text, none } of state.figures ?? []) {
      const place = byId(`f-${id}`);
      if (!place) continue;
      put(place, typeset(text || "–"));
      // A figure appears when it has its first value, and then stays. That of the visitor's file goes with
      // the file.
      if (id === "own") place.parentElement.hidden = !text;
      else if (!none) place.parentElement.hidden = false;
    }
    byId("figures-fold").hidden = [...byId("more-figures").children].every(({ hidden }) => hidden);
  }

  // summarise writes the sentence. Its symbols can be focused, and a focused symbol keeps
  // its focus when the sentence changes.
  function summarise(text) {
    const place = byId("summary");
    const focused = document.activeElement?.closest?.("#summary [tabindex]");
    const signs = () => [...place.querySelectorAll("[tabindex]")];
    const at = focused ? signs().indexOf(focused) : -1;
    putRich(place, text, true);
    if (at >= 0) signs()[at]?.focus({ preventScroll: true });
  }

  // The task and the warning share a line, and the warning takes precedence.
  function task({ task: text, progress, secsLeft }) {
    byId("task").hidden = !text;
    byId("progress").hidden = !text;
    if (!text) return;
    putRich(byId("task"), secsLeft > 0 ? `${text}: ${span(secsLeft)} left` : text);
    byId("progress").value = Number.isFinite(progress) ? progress : 0;
  }

  // sentence composes what is read out: what runs, the warning, and the figures; while something runs, only those
  // that have changed.
  function sentence({ task, warning, figures = [] }, changed) {
    const now = new Map(figures.filter(({ none }) => !none).map(({ id, text }) => [id, text]));
    const parts = described.filter(({ id }) => now.has(id) && (!task || now.get(id) !== read.get(id))).map(({ id, label, unit }) =>
      [label, now.get(id), unit].filter(Boolean).join(" ") + (id === "loss" && !changed ? trend(read.get(id), now.get(id)) : ""));
    read = now;
    return typeset([[task, ...parts].filter(Boolean).join(", "), plainOf(warning)].filter(Boolean).map((part) => part.replace(/[.]?$/, ".")).join(" "));
  }

  const trend = (before, now) => (before === undefined ? "" : Number(now) < Number(before) ? ", falling" : ", not falling");

  return {
    build,
    show(state) {
      summarise(state.summary ?? "");
      figures(state);
      task(state);
      const warning = byId("warning");
      putRich(warning, state.warning ?? "");
      warning.parentElement.classList.toggle("silent", !state.warning && !state.task);
      putRich(byId("provenance"), [state.model && `Model: ${state.model}.`, state.kernel && `Computed with ${state.kernel}.`].filter(Boolean).join(" "));
      announce(state, (changed) => sentence(state, changed));
    },
  };
}
