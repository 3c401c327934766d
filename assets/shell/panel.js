// The panel of a lab: groups of controls next to the picture, transport and figures below it. Its HTML
// comes from Go (model/wire/markup): that of the first lab is in index.html, that of another lab comes
// with its wire.Panel.
import { bindControl } from "./control.js";
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

// createPanel binds and fills a lab's panel. It passes context to bindControl.
export function createPanel(context) {
  const { lecture } = context;
  const status = createStatus();
  let controls = [];
  let groups = []; // {section, details, ids}; ids lists the group's controls
  let words = new Map(); // the words that a search matches, by control element
  let keys = {};
  let beside = []; // {id, label, group} of the controls next to the picture
  let described = []; // ids of the controls that a lecture may hide or lock
  let built = "";
  let next = null; // the next lab's panel, until its first state arrives

  // A visitor can use the first lab's controls before they are bound. The visitor's input is stored,
  // and entered again into the bound controls.
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

  function add(control) {
    const made = bindControl(control, context);
    controls.push(made);
    if (control.key) keys[control.key] = made.press;
    return made;
  }

  // unfolds reports whether a group starts unfolded. It does if a lecture shows one of its
  // controls, or if the visitor has unfolded it before.
  const unfolds = (lab, id, ids) => lecture.shows(ids) || Boolean(remembered()[lab]?.[id]);

  function addGroup(lab, { id, title, controls: described }) {
    const section = byId(`g-${id}`);
    const details = section.querySelector("details");
    for (const control of described ?? []) {
      const { element } = add(control);
      words.set(element, [title, control.label, control.hint, ...(control.options ?? []).map(({ label }) => label)].join(" ").toLowerCase());
    }
    const ids = (described ?? []).map((control) => control.id);
    if (details) {
      details.open = unfolds(lab, id, ids);
      // Only unfolding by the visitor is remembered, not unfolding by a search or a tour.
      details.firstChild.addEventListener("click", () => {
        if (!section.classList.contains("found")) remember(lab, id, !details.open);
      });
    }
    groups.push({ id, section, details, ids });
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

  // build shows a panel that is not shown yet. The page contains the first one already.
  function build(panel) {
    const now = JSON.stringify(panel);
    if (now === built) return;
    built = now;
    controls = [];
    groups = [];
    words = new Map();
    keys = {};
    for (const [id, html] of Object.entries(panel.html ?? {})) byId(id).innerHTML = html;
    for (const element of document.querySelectorAll("[data-share]")) element.style.setProperty("--share", element.dataset.share);
    for (const control of panel.transport ?? []) add(control);
    for (const described of panel.groups ?? []) addGroup(panel.lab, described);
    if (sought.value) seek();
    byId("seeking").hidden = Boolean(lecture.chosen); // a lecture shows few controls
    const { classList } = byId("transport").parentElement;
    classList.toggle("timed", byId("scrubs").children.length > 0);
    classList.toggle("plays", Boolean(byId("c-play")));
    status.build(panel.figures ?? []);
    beside = (panel.groups ?? []).flatMap(({ title, controls }) => (controls ?? []).map(({ id, label }) => ({ id, label, group: title })));
    described = beside.map(({ id }) => id);
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
