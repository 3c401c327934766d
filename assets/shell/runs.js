// The list of trainings that a lab keeps. The visitor chooses model 1 and model 2, or
// deletes a training; the notice of a deletion can undo it.
import { make } from "./element.js";
import { rich } from "./rich.js";

// createRuns returns a function that shows a wire.State's runs in list. The list sets runA (model 1),
// runB (model 2; an empty value ends the comparison) or dropRun (the run to delete) to the name of a
// run. The element before it says that there are none.
export function createRuns(list, { send }) {
  let shown = "";
  return ({ runs }) => {
    const now = JSON.stringify(runs ?? []);
    if (now === shown) return;
    shown = now;
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.is : null;
    list.replaceChildren(...(runs ?? []).map((run) => row(run, send)));
    list.querySelector(`[data-is="${CSS.escape(focused ?? "")}"]`)?.focus();
    list.previousElementSibling.hidden = list.children.length > 0;
  };
}

function row({ name, detail, shown, fixed }, send) {
  const set = (setting, value) => send({ kind: "set", name: setting, value });
  const choose = (which, setting, words) => {
    const on = shown === which;
    const button = make("button", {
      type: "button", class: `pick ${which}`, "data-is": `${which} ${name}`, "aria-pressed": String(on), "aria-label": `${words} ${name}`,
    }, which === "a" ? "1" : "2");
    button.addEventListener("click", () => set(setting, on && which === "b" ? "" : name));
    return button;
  };
  const drop = make("button", { type: "button", class: "quiet drop-run", "data-is": `drop ${name}`, "aria-label": `Delete ${name}` }, "×");
  drop.addEventListener("click", () => set("dropRun", name));
  return make("li", {},
    make("div", {}, make("b", {}, name), make("span", { class: "note" }, ...rich(detail))),
    make("div", { class: "picks" }, choose("a", "runA", "Show"), choose("b", "runB", "Compare with"), ...(fixed ? [] : [drop])));
}
