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

  function resume() {
    send({ kind: "restore", value: save.fragment }, save.bytes);
    if (save.running) send({ kind: "train" });
  }

  function anew(fragment) {
    save = null;
    if (fragment) send({ kind: "link", value: fragment });
    if (isDoor(fragment) && lab === labOf("")) send({ kind: "drift", value: moves() ? "on" : "off" });
  }

  // begin goes on from the lab's save, unless the visitor came by a link to something
  // else. own says that the fragment is one that this tab had left.
  function begin(fragment, own) {
    lab = labOf(fragment);
    save = saves.get(lab) ?? null;
    proven = false;
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
    // arrive says which lab the worker runs.
    arrive(name) {
      if (name !== lab) save = saves.get(name) ?? null;
      lab = name;
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
