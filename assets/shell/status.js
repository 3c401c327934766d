// Shows the text and figures of a lab's state (wire.State): the sentence above the picture,
// the figures below it, progress, warnings, and the text for screen readers.
import { put } from "./element.js";
import { span, typeset } from "./format.js";
import { putRich } from "./rich.js";

const byId = (id) => document.getElementById(id);
const readingPause = 10_000; // smallest time in ms between two announcements while something runs

// createStatus returns build(figures), which begins with a lab's figures, and show(state), which shows
// a state.
export function createStatus() {
  let described = [];
  let lastRead = 0;
  let lastTask = "";
  let lastStatus = "";
  let lastLoss = NaN;

  function build(figures) {
    described = figures;
    lastStatus = "";
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

  // trend reports how the loss has changed since the last announcement.
  function trend(id, text, changed) {
    if (id !== "loss") return "";
    const before = lastLoss;
    lastLoss = Number(text);
    return changed || !Number.isFinite(before) ? "" : lastLoss < before ? ", falling" : ", not falling";
  }

  function readOut(state) {
    const now = performance.now();
    const changed = state.task !== lastTask || state.status !== lastStatus;
    if (!changed && (!state.task || now - lastRead < readingPause)) return;
    if (!changed || !state.task || now - lastRead > 1000) {
      lastRead = now;
      const parts = described.map(({ id, label, unit }) => {
        const { text, none } = state.figures?.find((figure) => figure.id === id) ?? { none: true };
        return none ? "" : [label, text, unit].filter(Boolean).join(" ") + trend(id, text, changed);
      });
      byId("live").textContent = typeset(`${[state.task, ...parts].filter(Boolean).join(", ")}.`);
    }
    lastTask = state.task;
    lastStatus = state.status;
  }

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
      readOut(state);
    },
  };
}
