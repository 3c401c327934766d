// The visit: which lab the worker runs, and where this lab starts. A lab starts from a save,
// from a link, or from the settings that it had when the visitor left it.
import { isDoor, labOf } from "./labs.js";
import { whole } from "./store.js";

// The step is the part of a fragment that changes during training.
const withoutStep = (fragment) => fragment.replace(/&step=\d+/, "");

const tries = 3; // number of pages that may end during a restore before the save counts as the cause

// createVisit tells a worker where to start, by send(command, bytes). moves() reports whether
// playback may start by itself. attempts counts the pages of this tab that have begun to
// restore a save and have not succeeded.
export function createVisit(send, moves, attempts) {
  let saves = new Map(); // the last {parts, fragment, running, own} of each lab
  const left = new Map(); // {address, settings} of each lab when the visitor left it
  let lab = labOf(""); // the requested lab, which the worker's program may lack
  let save = null; // the last save of this lab's session
  let restoring = false; // whether a worker was asked to resume the save and has not sent its own save yet
  let door = ""; // the requested lab, if it was requested without settings and its panel is awaited
  let timed = false; // whether the worker's lab has runs that play
  let begins = false; // whether a lab was requested and its panel is awaited
  let moved = false; // whether a new worker has replaced the worker of the earlier labs

  // resume restores the save. newer is a fragment that can have later changes than the save, or "".
  function resume(newer = "") {
    [restoring, begins] = [true, true];
    attempts.add();
    send({ kind: "restore", value: save.fragment, name: isDoor(newer) || withoutStep(newer) === withoutStep(save.fragment) ? "" : newer }, whole(save));
    if (save.running) send({ kind: "train" });
  }

  const take = (fragment) => send({ kind: "link", name: isDoor(fragment) ? "door" : "", value: fragment });

  // still keeps a run from playing for visitors who prefer less motion, until they play it.
  function still() {
    if (!moves()) send({ kind: "set", name: "play", value: "off" });
  }

  function anew(fragment) {
    save = null;
    [restoring, begins] = [false, true];
    door = isDoor(fragment) ? lab : "";
    take(fragment || `lab=${lab}`);
  }

  // begin resumes the lab's save, unless the visitor followed a link to another state. own
  // is the last fragment that this tab wrote if it wrote this one too, otherwise "".
  function begin(fragment, own) {
    lab = labOf(fragment);
    save = saves.get(lab) ?? null;
    [restoring, door] = [false, ""];
    if (save && (isDoor(fragment) || (save.own && own) || withoutStep(fragment) === withoutStep(save.fragment))) resume(save.own && labOf(own) === lab ? own : "");
    // A lab without a save resumes from its settings.
    else anew((isDoor(fragment) && left.get(lab)?.settings) || fragment);
  }

  return {
    lab: () => lab,
    // open starts the page's first worker, from a save or from the address. A lecture link without
    // settings starts from the lab's own ones, so that every audience sees the same; only a save of this
    // tab has priority, because it would be overwritten. If several pages have ended while they restored
    // this save, open returns the save instead of resuming it.
    open(kept, fragment, own, lecture) {
      saves = kept;
      if (lecture && isDoor(fragment) && !saves.get(labOf(fragment))?.own) saves.delete(labOf(fragment));
      const bad = (attempts.count() >= tries && saves.get(labOf(fragment))) || null;
      if (bad) {
        saves.delete(bad.lab);
        attempts.forget();
      }
      begin(fragment, own);
      return bad;
    },
    // follow opens the address that the visitor has entered. `before` contains the previous
    // address and settings.
    follow(fragment, before) {
      const next = labOf(fragment);
      if (next === lab) {
        take(fragment);
        if (timed) still();
        return;
      }
      left.set(lab, before);
      begin(fragment, fragment === left.get(next)?.address ? fragment : "");
    },
    // arrive records the worker's lab when its panel arrives. A lab that plays by itself starts
    // to play, unless the visitor has followed a link to another state.
    arrive(panel) {
      if (panel.lab !== lab) save = saves.get(panel.lab) ?? null;
      lab = panel.lab;
      const all = door === lab ? (panel.groups ?? []).flatMap(({ controls }) => controls ?? []) : [];
      for (const { id } of all.filter((control) => control.moves)) send({ kind: "set", name: id, value: moves() ? "on" : "off" });
      if (door === lab) door = "";
      timed = (panel.transport ?? []).some(({ id }) => id === "play");
      if (begins && timed) still();
      begins = moved = false;
    },
    // move records that a new worker without any state takes over.
    move() {
      moved = true;
    },
    // stay returns to the worker's lab, because the requested lab does not exist in the worker.
    stay(name) {
      if (door) door = name;
      lab = name;
      save = saves.get(name) ?? null;
      if (save && moved) resume();
    },
    // keep stores a save from the worker. If the worker has sent a part before, it now sends
    // only the part's key, and keep takes the bytes from the previous save.
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
    // reopen starts again in a new worker after the previous worker has died, and reports
    // whether it resumes a save. If the previous worker was restoring a save, the save may have
    // caused its death: reopen then returns this save as bad and does not resume it again.
    reopen(fragment) {
      const bad = restoring ? save : null;
      const resumed = save !== null && !bad;
      if (resumed) resume();
      else anew(fragment);
      if (bad) saves.delete(lab);
      return { resumed, bad };
    },
    // refuse starts without the save, which the worker cannot read, and returns the save.
    refuse(fragment) {
      const bad = save;
      saves.delete(lab);
      anew(fragment);
      return bad;
    },
  };
}
