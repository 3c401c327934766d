// The panel of a lab that describes it (wire.Panel): its groups of controls beside
// the picture, its transport and figures below. The demo's panel is the page's own.
import { createControl, keyName } from "./control.js";
import { make, put } from "./element.js";
import { createLabStatus } from "./labstatus.js";
import { rich } from "./rich.js";

const byId = (id) => document.getElementById(id);

// createPanel returns what builds a lab's panel and fills it. context is that of
// createControl.
export function createPanel(context) {
  const status = createLabStatus();
  let controls = [];
  let keys = {};
  let built = "";

  function add(control, more = {}) {
    const made = createControl(control, { ...context, ...more });
    if (!made) return null;
    byId("lab-hints").append(made.hint);
    controls.push(made);
    if (control.key) keys[control.key] = made.press;
    return made;
  }

  function transport(described) {
    const made = described.map((control) => [control, add(control, { most: 3 })]).filter(([, m]) => m);
    const of = (wanted) => made.filter(([{ kind }]) => (kind === "range") === wanted).map(([, m]) => m.element);
    byId("lab-scrubs").replaceChildren(...of(true));
    byId("lab-buttons").replaceChildren(...of(false));
  }

  function group({ id, title, note, closed, controls: described }) {
    const heading = make("h2", { id: `g-${id}-name` }, ...rich(title));
    const body = [];
    if (note) body.push(make("p", { class: "note" }, ...rich(note)));
    let line = null; // of buttons
    for (const control of described ?? []) {
      const made = add(control);
      if (!made) continue;
      if (!made.isButton) line = null;
      else if (!line) body.push((line = make("div", { class: "actions" })));
      (line ?? { append: (e) => body.push(e) }).append(made.element);
    }
    const section = make("section", { class: "group", id: `g-${id}`, "aria-labelledby": heading.id });
    if (closed) section.append(make("details", {}, make("summary", {}, heading), make("div", { class: "inner" }, ...body)));
    else section.append(heading, ...body);
    return section;
  }

  return {
    // build makes the controls of a panel anew, unless they are there.
    build(panel) {
      const now = JSON.stringify(panel);
      if (now === built) return;
      built = now;
      controls = [];
      keys = {};
      byId("lab-hints").replaceChildren();
      byId("tagline").textContent = panel.tagline;
      transport(panel.transport ?? []);
      byId("lab-groups").replaceChildren(make("legend", { class: "hidden" }, "Controls"), ...(panel.groups ?? []).map(group));
      status.build(panel.figures ?? []);
      help(panel);
    },
    show(state) {
      for (const control of controls) control.show(state);
      status.show(state);
    },
    // enable makes the controls usable, or not.
    enable(on) {
      byId("lab-groups").disabled = !on;
      byId("lab-transport").disabled = !on;
    },
    // key is what a shortcut does, undefined if it is none.
    key: (key) => keys[key],
  };
}

const term = (name, text) => make("div", {}, make("dt", {}, ...rich(name)), make("dd", {}, ...rich(text)));

// help fills the lab's part of the help dialog.
function help({ title, tagline, help: entries, try: first, figures, transport, groups, drop }) {
  byId("help-lab").replaceChildren(...rich(title));
  byId("help-tagline").replaceChildren(...rich(tagline));
  byId("help-try").replaceChildren(...(first ?? []).map((sentence) => make("li", {}, ...rich(sentence))));
  byId("help-terms").replaceChildren(...(entries ?? []).map((entry) => term(entry.term, entry.text)));
  byId("help-figures").replaceChildren(...(figures ?? []).filter(({ hint }) => hint).map(({ label, hint }) => term(label, hint)));
  const all = [...(transport ?? []), ...(groups ?? []).flatMap((group) => group.controls ?? [])];
  byId("help-keys").replaceChildren(...all.filter(({ key }) => key).map(({ key, label }) =>
    make("div", {}, make("dt", {}, make("kbd", {}, keyName(key))), make("dd", {}, label))));
  byId("help-lab-controls").replaceChildren(...all.filter(({ hint }) => hint).map(({ label, hint }) => term(label, hint)));
  put(byId("help-drop"), drop ?? "");
}
