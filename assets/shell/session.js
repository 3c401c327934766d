// The session: the compute worker. A successor replaces it if it dies, or if it does not contain
// the lab that the visitor opens. The successor receives the commands that the dead worker did not
// answer. If it dies of them too, they are dropped.
import { firstLab, labOf } from "./labs.js";
import { watchEnd } from "./lifeline.js";

const firstProgram = "worker-first.wasm"; // contains only the lab that the page opens with
const fullProgram = "worker.wasm"; // contains every lab

// programOf returns the worker's program for a lab.
export const programOf = (lab) => (lab === firstLab ? firstProgram : fullProgram);

// plain requests arithmetic without SIMD, which gives the same bits on every machine.
const plain = new URLSearchParams(location.search).has("plain");

const tick = globalThis.watchTick ?? 2000; // ms between two checks of the worker; a test may set it
const usualPatience = 6; // ticks for which a worker may owe a message before it counts as dead
const memory = 60_000; // ms after which the death of a worker is forgotten
const lives = 4; // after so many deaths within `memory` ms, the session is not started again

// While another program loads, the page keeps only these commands for the next worker; they say
// where to start. All other commands concern the lab that the visitor is leaving.
const opening = ["link", "restore", "train", "file"];

// createSession starts a worker with a program and its compiled module. When the visitor opens
// a lab that the program does not contain, the worker saves its session, and another worker
// with the program of all labs takes over. The handlers are called as follows:
//   load(program)         resolves to another program's module
//   moving(on)            another program begins to load (true), or loading ends (false)
//   ready(deaths, moved)  a worker is ready. deaths counts the workers that have died. moved says
//                         whether the worker replaces one that did not contain the visitor's lab.
//   panel(panel)          a session begins; panel is its wire.Panel
//   state(state, last)    last says whether the worker has answered every command
//   notice(notice, kind)  the worker answers a command of this kind with a wire.Notice
//   late(name, loaded, again)  a file that the worker fetches is late, see load.js
//   file(name, bytes)     the worker has made a file for the visitor
//   saved(save)           resolves once {lab, parts, fragment, running} is stored, or cannot be;
//                         parts are [{key, bytes}], see visit.js
//   lost(text)            the worker has died, and a successor starts
//   over(text)            the session cannot continue
// If the page already loads a file that the first worker will request, `first` is {name, bytes} of
// this file; otherwise it is null. The bytes are a promise, which resolves to null after a failure.
export function createSession(program, module, handlers, first) {
  let worker;
  let ready = false;
  let waiting = []; // messages for a worker that is not ready yet
  let training = false; // whether training or a sweep is running; the worker then sends many messages
  let restoring = false; // whether a worker was asked to resume a save and has not answered
  let quiet = 0;
  let patience = usualPatience;
  let deaths = [];
  let moving = null; // token of the switch to fullProgram that is under way; null if there is none
  let held = []; // messages for the worker that takes over
  let next = null; // module of the worker that takes over, once it has loaded
  let moved = false;
  let commands = 0; // number of commands sent to the worker
  let answered = 0; // how many of them the worker's last state answers
  let unanswered = []; // the others, as {message, repeated}; repeated says whether another worker died before it answered
  let heavy = 0; // how many were sent up to the last one with a file; reading a file takes long

  function start() {
    ready = false;
    quiet = commands = answered = heavy = 0;
    unanswered = [];
    let knowsModules = false;
    const options = {
      get type() {
        knowsModules = true;
        return "module";
      },
    };
    const mine = new Worker(new URL("../worker.js", import.meta.url), options);
    worker = mine;
    if (!knowsModules) {
      mine.terminate();
      worker = null;
      handlers.over("The lab needs workers that load modules. Firefox has them since 2023, Chrome and Safari since 2021.");
      return;
    }
    mine.onmessage = ({ data }) => {
      if (mine === worker) receive(data, mine);
    };
    mine.onerror = (event) => {
      event.preventDefault();
      if (mine === worker) die(event.message ? `The session stopped on an error of its own (${event.message}).` : "The session stopped.");
    };
    watchEnd(mine);
    const ahead = first;
    first = null; // a successor fetches the file itself
    mine.postMessage({ type: "module", module, plain, expects: ahead?.name });
    ahead?.bytes.then((bytes) => mine.postMessage({ type: "ahead", name: ahead.name, bytes }));
  }

  function receive(data, mine) {
    quiet = 0;
    restoring = false;
    switch (data.type) {
      case "ready": {
        ready = true;
        const first = waiting;
        waiting = [];
        handlers.ready(deaths.length, moved);
        moved = false;
        for (const [message, transfer, repeated] of first) deliver(message, transfer, repeated);
        if (next) worker.postMessage({ type: "leave" });
        break;
      }
      case "left":
        takeOver();
        break;
      case "panel":
        handlers.panel(data.panel);
        break;
      case "state":
        training = data.trains;
        unanswered.splice(0, data.commands - answered);
        answered = data.commands;
        if (due()) look();
        handlers.state(data.state, data.commands === commands);
        break;
      case "notice":
        handlers.notice(data.notice, data.kind);
        break;
      case "saved":
        Promise.resolve(handlers.saved(data)).finally(() => mine === worker && mine.postMessage({ type: "stored", save: data.save }));
        break;
      case "late":
        handlers.late(data.name, data.loaded, () => mine.postMessage({ type: "again" }));
        break;
      case "file":
        handlers.file(data.name, data.bytes);
        break;
      case "fatal":
        if (data.stack) console.error(data.stack);
        die(data.text);
        break;
    }
  }

  function die(text) {
    worker.terminate();
    training = restoring = false;
    const now = performance.now();
    deaths = deaths.filter((t) => now - t < memory);
    deaths.push(now);
    if (deaths.length >= lives) {
      worker = null;
      handlers.over(`${text} This happened ${deaths.length} times within a minute, so the session was not restarted. Reload the page to try again.`);
      return;
    }
    if (answered < heavy) text += " It was reading your file; open it again.";
    else if (unanswered.some((each) => each.repeated)) text += " The same happened before, so your last change was left out.";
    else waiting = unanswered.filter(({ message }) => message.command.kind !== "restore").map(({ message }) => [message, [], true]).concat(waiting);
    handlers.lost(text);
    start();
  }

  // due reports whether the worker owes a message. It does while it trains or restores a save, and
  // while a command is unanswered. It does not while it reads a file, which takes long.
  const due = () => training || restoring || (answered !== commands && answered >= heavy);

  // look watches a worker that owes a message. It counts ticks instead of seconds, because a
  // page that was frozen has missed ticks as well as messages. Each successor gets more time,
  // so a slow worker is not declared dead again and again.
  let watch = 0;
  function look() {
    watch ||= setInterval(() => {
      if (!due()) {
        clearInterval(watch);
        watch = 0;
      } else if (++quiet >= patience) {
        patience *= 2;
        die("The session did not answer any more.");
      }
    }, tick);
  }

  // move loads the program with every lab, and asks the worker to save and stop.
  async function move() {
    const mine = (moving = {});
    handlers.moving(true);
    let got;
    try {
      got = await handlers.load(fullProgram);
    } catch (error) {
      if (moving !== mine) return;
      stay();
      handlers.notice({ text: error.message, error: true }, "link");
      return;
    }
    if (moving !== mine) return;
    next = got;
    if (ready) worker.postMessage({ type: "leave" });
  }

  function stay() {
    moving = null;
    held = [];
    handlers.moving(false);
  }

  function takeOver() {
    worker.terminate();
    [program, module, waiting] = [fullProgram, next, held];
    [moving, next, held, training, moved] = [null, null, [], false, true];
    handlers.moving(false);
    start();
  }

  function deliver(message, transfer, repeated = false) {
    if (message.command) {
      if (!due()) quiet = 0;
      commands++;
      unanswered.push({ message, repeated });
      if (message.command.kind === "restore") [restoring, quiet] = [true, 0];
      else if (message.bytes) heavy = commands;
      look();
    }
    worker.postMessage(message, transfer);
  }

  function post(message, transfer = []) {
    if (!worker) return;
    const { kind, value } = message.command ?? {};
    if (program !== fullProgram && (kind === "link" || kind === "restore")) {
      const lacks = programOf(labOf(value)) !== program;
      if (lacks && !moving) move();
      if (!lacks && moving && !next) stay(); // the visitor has returned before the program was loaded
    }
    if (moving && message.command) {
      if (opening.includes(kind)) held.push([message, transfer]);
    } else if (ready) deliver(message, transfer);
    else waiting.push([message, transfer]);
  }

  start();
  return {
    // send sends a wire.Command to the worker. bytes, if given, are a save or a file; they are
    // transferred, not copied.
    send: ({ kind, name = "", value = "" }, bytes) =>
      post({ type: "command", command: { kind, name, value: String(value) }, bytes }, bytes ? [bytes.buffer] : []),
    // connect gives the worker the port on which it sends frames.
    connect: (port) => post({ type: "port", port }, [port]),
    // visible tells the worker whether the page is visible.
    visible: (visible) => post({ type: "visible", visible }),
    // flush asks the worker to save now.
    flush: () => post({ type: "flush" }),
  };
}
