// The visit: which lab the worker runs, and from where it starts: a save, a link, or the
// settings that a lab was left with.
import { isDoor, labOf } from "./labs.js";
import { whole } from "./store.js";

// A step is the part of a fragment that changes while a session trains.
const withoutStep = (fragment) => fragment.replace(/&step=\d+/, "");

const tries = 3; // pages that may end while they restore a save, before it counts as what they end of

// createVisit tells a worker where to begin by send(command, bytes). moves() says
// whether things may move by themselves. attempts counts the pages of this tab that
// began to restore a save and have not shown that they could.
export function createVisit(send, moves, attempts) {
  let saves = new Map(); // the last {parts, fragment, running, own} of each lab
  const left = new Map(); // {address, settings} of each lab when it was left
  let lab = labOf(""); // that the worker is to run, which it may not have
  let save = null; // the last of its session
  let restoring = false; // a worker was told to go on from it and has not shown that it can, by a save of its own
  let door = ""; // the lab that was entered by its front door, without settings, until it is there
  let moved = false; // the worker is another than the one that the labs were left in

  function resume() {
    restoring = true;
    attempts.add();
    send({ kind: "restore", value: save.fragment }, whole(save));
    if (save.running) send({ kind: "train" });
  }

  const take = (fragment) => send({ kind: "link", name: isDoor(fragment) ? "door" : "", value: fragment });

  function anew(fragment) {
    save = null;
    restoring = false;
    door = isDoor(fragment) ? lab : "";
    take(fragment || `lab=${lab}`);
  }

  // begin resumes the lab's save, unless the visitor came by a link to another state. own
  // says that this tab wrote the fragment.
  function begin(fragment, own) {
    lab = labOf(fragment);
    save = saves.get(lab) ?? null;
    [restoring, door] = [false, ""];
    if (save && (isDoor(fragment) || (save.own && own) || withoutStep(fragment) === withoutStep(save.fragment))) resume();
    // A lab without a save resumes from its settings.
    else anew((isDoor(fragment) && left.get(lab)?.settings) || fragment);
  }

  return {
    lab: () => lab,
    // open begins with the tab's save, and returns the save on which pages ended, if
    // there is one; that save is not resumed.
    open(kept, fragment, own) {
      saves = kept;
      const bad = (attempts.count() >= tries && saves.get(labOf(fragment))) || null;
      if (bad) {
        saves.delete(bad.lab);
        attempts.forget();
      }
      begin(fragment, own);
      return bad;
    },
    // follow goes where the visitor has changed the address to; before has the
    // address and the settings that there were.
    follow(fragment, before) {
      const next = labOf(fragment);
      if (next === lab) {
        take(fragment);
        return;
      }
      left.set(lab, before);
      begin(fragment, fragment === left.get(next)?.address);
    },
    // arrive says which lab the worker runs, by its panel. A lab that plays on its own
    // starts to, unless the visitor came for another state.
    arrive(panel) {
      if (panel.lab !== lab) save = saves.get(panel.lab) ?? null;
      lab = panel.lab;
      const all = door === lab ? (panel.groups ?? []).flatMap(({ controls }) => controls ?? []) : [];
      for (const { id } of all.filter((control) => control.moves)) send({ kind: "set", name: id, value: moves() ? "on" : "off" });
      if (door === lab) door = "";
      moved = false;
    },
    // move says that another worker, which knows nothing yet, takes over.
    move() {
      moved = true;
    },
    // stay goes back to the lab that the worker runs, since it lacks the one that
    // was asked for.
    stay(name) {
      if (door) door = name;
      lab = name;
      save = saves.get(name) ?? null;
      if (save && moved) resume();
    },
    // keep takes a save of the worker's, in which a part that it gave before has its
    // key alone.
    keep(saved) {
      const before = new Map(saves.get(saved.lab)?.parts.map(({ key, bytes }) => [key, bytes]));
      for (const part of saved.parts) part.bytes ??= before.get(part.key);
      saved.parts = saved.parts.filter(({ bytes }) => bytes);
      saves.set(saved.lab, { ...saved, own: true });
      if (saved.lab !== lab) return;
      save = saves.get(lab);
      restoring = false;
      attempts.forget();
    },
    // reopen begins again in another worker, after one has died, and says whether it
    // does so from a save. A save that was being restored may have caused the death: then
    // bad is that save, and it is not resumed again.
    reopen(fragment) {
      const bad = restoring ? save : null;
      const resumed = save !== null && !bad;
      if (resumed) resume();
      else anew(fragment);
      if (bad) saves.delete(lab);
      return { resumed, bad };
    },
    // refuse begins without the save, which the worker cannot read, and returns it.
    refuse(fragment) {
      const bad = save;
      saves.delete(lab);
      anew(fragment);
      return bad;
    },
  };
}
