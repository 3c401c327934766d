// The panel of a lab, built from wire.Panel: groups of controls next to the picture, transport
// and figures below it. The build also runs this script, so index.html already contains the
// first lab's panel.
import { createControl, keyName } from "./control.js";
import { make, put } from "./element.js";
import { entryOf, rich, signs, symbolic } from "./rich.js";
import { createStatus } from "./status.js";

const byId = (id) => document.getElementById(id);

const memory = "macroscope.folds"; // key of the stored {LAB: {GROUP: whether it is unfolded}}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(memory)) ?? {};
  } catch {
    return {};
  }
}

function remember(lab, group, open) {
  try {
    const all = remembered();
    localStorage.setItem(memory, JSON.stringify({ ...all, [lab]: { ...all[lab], [group]: open } }));
  } catch {
    // Without storage, the group is folded again after a reload.
  }
}

// createPanel builds and fills a lab's panel. It passes context to createControl.
export function createPanel(context) {
  const { lecture = { hides: () => false, locks: () => false, shows: () => false } } = context;
  const status = createStatus();
  let controls = [];
  let groups = []; // {section, details, ids}; ids lists the group's controls
  let words = new Map(); // the words that a search matches, by control element
  let keys = {};
  let beside = []; // {id, label, group} of the controls next to the picture
  let described = []; // ids of the controls that a lecture may hide or lock
  let built = "";
  let next = null; // the next lab's panel, until its first state arrives

  // The build writes the first lab's controls into the page. A visitor can use these before the
  // script has built its own. The visitor's input is stored, and entered again into the
  // script's controls.
  const early = new Map(); // values by the ids of inputs
  byId("groups").addEventListener("input", ({ target }) => {
    if (built === "" && target.id) early.set(target.id, target.value);
  });
  function repeat() {
    for (const [id, value] of early) {
      const input = byId(id);
      if (!input || input.disabled) continue;
      input.value = value;
      for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
    }
    early.clear();
  }

  function add(control, more = {}) {
    const made = createControl(control, { ...context, ...more });
    if (!made) return null;
    byId("hints").append(made.hint);
    controls.push(made);
    if (control.key) keys[control.key] = made.press;
    return made;
  }

  function transport(described) {
    const made = described.map((control) => [control, add(control, { most: 3 })]).filter(([, m]) => m);
    const of = (wanted) => made.filter(([{ kind }]) => (kind === "range") === wanted).map(([, m]) => m.element);
    byId("scrubs").replaceChildren(...of(true));
    byId("buttons").replaceChildren(...of(false));
  }

  // leads reports whether a control is on the same line as the heading of its group.
  const leads = (control, note, closed) => !note && !closed && control?.kind === "slider" && control.ticks?.length > 0;

  // unfolds reports whether a group starts unfolded. It does if a lecture shows one of its
  // controls, or if the visitor has unfolded it before.
  const unfolds = (lab, id, ids) => lecture.shows(ids) || Boolean(remembered()[lab]?.[id]);

  function group(lab, { id, title, note, closed, peek, controls: described }) {
    const heading = make("h2", { id: `g-${id}-name` }, ...rich(title));
    const body = [];
    if (note) body.push(make("p", { class: "note" }, ...rich(note)));
    let field = null; // the last field; a button after it may join its line
    let line = null; // the line that the next button joins
    for (const [i, control] of (described ?? []).entries()) {
      const made = add(control);
      if (!made) continue;
      words.set(made.element, [title, control.label, control.hint, ...(control.options ?? []).map(({ label }) => label)].join(" ").toLowerCase());
      if (!made.isButton) {
        body.push(made.element);
        if (i === 0 && leads(control, note, closed)) made.element.prepend(make("div", { class: "name" }, heading, made.element.firstChild));
        [field, line] = [made.element, null];
      } else if (control.beside && field) {
        field.classList.add("joined");
        field.append(made.element);
      } else {
        if (!line) body.push((line = make("div", { class: "actions" })));
        line.append(made.element);
        field = null;
      }
    }
    const ids = (described ?? []).map((control) => control.id);
    const section = make("section", { class: peek ? "group peek" : "group", id: `g-${id}`, "aria-labelledby": heading.id });
    let details = null;
    if (closed) {
      details = make("details", {}, make("summary", {}, heading), make("div", { class: "inner" }, ...body));
      if (unfolds(lab, id, ids)) details.setAttribute("open", "");
      // Only unfolding by the visitor is remembered, not unfolding by a search or a tour.
      details.firstChild.addEventListener("click", () => {
        if (!section.classList.contains("found")) remember(lab, id, !details.open);
      });
      section.append(details);
    } else if (leads(described?.[0], note, closed)) section.append(...body);
    else section.append(heading, ...body);
    groups.push({ id, section, details, ids });
    return section;
  }

  const sought = byId("seek");

  // seek shows only the controls that match every search word.
  function seek() {
    const parts = sought.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    const { lab } = built ? JSON.parse(built) : {};
    for (const { id, section, details, ids } of groups) {
      let any = false;
      for (const [element, text] of words) {
        if (!section.contains(element)) continue;
        const found = parts.every((part) => text.includes(part));
        element.classList.toggle("unfound", !found);
        any ||= found;
        count += found ? 1 : 0;
      }
      section.classList.toggle("unfound", !any);
      section.classList.toggle("found", any && parts.length > 0);
      if (details) details.open = parts.length > 0 ? any : unfolds(lab, id, ids);
    }
    byId("seek-none").hidden = count > 0;
  }
  sought.addEventListener("input", seek);

  // build makes the controls of a panel that is not built yet.
  function build(panel) {
    const now = JSON.stringify(panel);
    if (now === built) return;
    built = now;
    controls = [];
    groups = [];
    words = new Map();
    keys = {};
    byId("hints").replaceChildren();
    byId("tagline").textContent = panel.tagline;
    transport(panel.transport ?? []);
    byId("groups").replaceChildren(make("legend", { class: "hidden" }, "Controls"), ...(panel.groups ?? []).map((described) => group(panel.lab, described)));
    if (sought.value) seek();
    byId("seeking").hidden = Boolean(lecture.chosen); // a lecture shows few controls
    status.build(panel.figures ?? []);
    beside = (panel.groups ?? []).flatMap(({ title, controls }) => (controls ?? []).map(({ id, label }) => ({ id, label, group: title })));
    described = beside.map(({ id }) => id);
    help(panel);
    document.documentElement.dataset.panel = panel.lab;
  }

  // asked returns a state whose `hidden` and `off` also contain the controls that the address
  // hides and locks.
  function asked(state) {
    const [hidden, off] = [{ ...state.hidden }, { ...state.off }];
    for (const id of described) {
      if (lecture.hides(id)) hidden[id] = true;
      if (lecture.locks(id)) off[id] = "Locked by the author of this link.";
    }
    return { ...state, hidden, off };
  }

  return {
    // sweep returns the lab's published sweep, {file, title}.
    sweep() {
      const { value, label } = built ? JSON.parse(built).groups.flatMap(({ controls }) => controls ?? []).find(({ kind }) => kind === "sweep") : {};
      return { file: value, title: label };
    },
    // listed returns the controls next to the picture, {id, label, group}.
    listed: () => beside,
    // open sets another lab's panel. The panel appears with the next state, so all of its
    // controls have a value from the start.
    open(panel) {
      next = panel;
    },
    show(state) {
      if (next) build(next);
      next = null;
      for (const control of controls) control.show(asked(state));
      for (const { section, ids } of groups) section.hidden = (ids.length > 0 || lecture.chosen) && ids.every((id) => state.hidden?.[id] || lecture.hides(id));
      status.show(state);
      repeat();
    },
    // enable makes all controls usable or unusable.
    enable(on) {
      byId("groups").disabled = !on;
      byId("transport").disabled = !on;
    },
    // key returns the action of a shortcut, or undefined.
    key: (key) => keys[key],
  };
}

const term = (name, text) => make("div", {}, make("dt", {}, ...symbolic(name)), make("dd", {}, ...rich(text)));

// help fills the help dialog's section on the lab.
function help({ title, tagline, help: entries, try: first, figures, transport, groups, drop }) {
  byId("help-lab").replaceChildren(...rich(title));
  byId("help-tagline").replaceChildren(...rich(tagline));
  byId("help-try").replaceChildren(...(first ?? []).map((sentence) => make("li", {}, ...rich(sentence))));
  byId("help-terms").replaceChildren(...(entries ?? []).map(({ term: sign, name, text }) => term(sign, name ? `**${name}**: ${text}` : text)));
  byId("help-figures").replaceChildren(...(figures ?? []).filter(({ hint }) => hint).map(({ label, hint }) => term(label, hint)));
  const all = [...(transport ?? []), ...(groups ?? []).flatMap((group) => group.controls ?? [])];
  byId("help-keys").replaceChildren(...all.filter(({ key }) => key).map(({ key, label }) =>
    make("div", {}, make("dt", {}, make("kbd", {}, keyName(key))), make("dd", {}, label))));
  byId("help-controls").replaceChildren(...all.filter(({ hint }) => hint).map(({ label, hint }) => term(label, hint)));
  put(byId("help-drop"), drop ?? "");
  // The explanations of symbols. tips.js shows each next to its symbol.
  const said = new Set();
  for (const { term: sign, name, text } of entries ?? []) {
    for (const one of name ? signs(sign) : []) {
      if (said.has(one)) continue;
      said.add(one);
      byId("hints").append(make("p", { id: entryOf(one) }, `${one.replace("_", "")}, ${name}: ${text}`));
    }
  }
}
