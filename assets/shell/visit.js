// The visit: which lab the worker is to run, and what it goes on from, be it a save,
// a link, or the settings that a lab was left with.
import { isDoor, labOf } from "./labs.js";

// A step is the part of a fragment that changes while a session trains.
const withoutStep = (fragment) => fragment.replace(/&step=\d+/, "");

// createVisit tells a worker where to begin by send(command, bytes). moves() says
// whether things may move by themselves.
export function createVisit(send, moves) {
  let saves = new Map(); // the last {bytes, fragment, running, own} of each lab
  const left = new Map(); // {address, settings} of each lab when it was left
  let lab = labOf(""); // that the worker is to run, which it may not have
  let save = null; // the last of its session
  let proven = false; // the worker that made it went on from the save before
  let door = false; // the lab was entered by its front door, without settings
  let moved = false; // the worker is another than the one that the labs were left in

  function resume() {
    send({ kind: "restore", value: save.fragment }, save.bytes);
    if (save.running) send({ kind: "train" });
  }

  function anew(fragment) {
    save = null;
    send({ kind: "link", value: fragment || `lab=${lab}` });
    door = isDoor(fragment);
  }

  // begin goes on from the lab's save, unless the visitor came by a link to something
  // else. own says that the fragment is one that this tab had left.
  function begin(fragment, own) {
    lab = labOf(fragment);
    save = saves.get(lab) ?? null;
    proven = door = false;
    if (save && (isDoor(fragment) || (save.own && own) || withoutStep(fragment) === withoutStep(save.fragment))) resume();
    // A lab that saves nothing goes on from its settings.
    else anew((isDoor(fragment) && left.get(lab)?.settings) || fragment);
  }

  return {
    lab: () => lab,
    // open begins with what the tab has kept.
    open(kept, fragment, own) {
      saves = kept;
      begin(fragment, own);
    },
    // follow goes where the visitor has changed the address to; before has the
    // address and the settings that there were.
    follow(fragment, before) {
      const next = labOf(fragment);
      if (next === lab) {
        send({ kind: "link", value: fragment });
        return;
      }
      left.set(lab, before);
      begin(fragment, fragment === left.get(next)?.address);
    },
    // arrive says which lab the worker runs, by its panel. What moves by itself
    // begins to, where the visitor has not come for something else.
    arrive(panel) {
      if (panel.lab !== lab) save = saves.get(panel.lab) ?? null;
      lab = panel.lab;
      const all = door ? (panel.groups ?? []).flatMap(({ controls }) => controls ?? []) : [];
      for (const { id } of all.filter((control) => control.moves)) send({ kind: "set", name: id, value: moves() ? "on" : "off" });
      door = moved = false;
    },
    // move says that another worker, which knows nothing yet, takes over.
    move() {
      moved = true;
    },
    // stay goes back to the lab that the worker runs, since it has not the one that
    // was asked for.
    stay(name) {
      lab = name;
      save = saves.get(name) ?? null;
      if (save && moved) resume();
    },
    // keep takes a save of the worker's.
    keep(saved) {
      saves.set(saved.lab, { ...saved, own: true });
      if (saved.lab !== lab) return;
      save = saves.get(lab);
      proven = true;
    },
    // reopen begins again in another worker, after so many deaths, and says whether
    // it does so from a save.
    reopen(deaths, fragment) {
      const good = save !== null && (deaths === 1 || proven); // else it may be what workers die of
      proven = false;
      if (good) resume();
      else anew(fragment);
      return good;
    },
    // refuse begins without the save, which the worker cannot read.
    refuse(fragment) {
      saves.delete(lab);
      anew(fragment);
    },
  };
}
