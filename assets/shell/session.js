// The session: the compute worker and, should it die or lack a lab, its successors.
import { firstLab, labOf } from "./labs.js";

const firstProgram = "worker-first.wasm"; // has the lab that the page opens with, and no other
const fullProgram = "worker.wasm"; // has every lab

// programOf is the worker's program for a lab.
export const programOf = (lab) => (lab === firstLab ? firstProgram : fullProgram);

// plain asks for arithmetic without vectors, which gives the same bits everywhere.
const plain = new URLSearchParams(location.search).has("plain");

const tick = globalThis.watchTick ?? 2000; // ms between two looks at the worker, which a test may set
const usualPatience = 6; // ticks without a word before a worker of which one is due counts as dead
const memory = 60_000; // ms for which a death counts
const lives = 4; // deaths within memory after which no successor is started

// What a worker is told while another program is on its way to take over: where to
// go on. All else would be for the lab that is being left.
const opening = ["link", "restore", "train", "file"];

// createSession starts a worker on a program and its compiled module. When a lab is
// asked for that the program lacks, the worker saves its session and another one
// takes over, on the program that has every lab. handlers:
//   load(program)      resolves to another program's module
//   moving(on)         another program is being loaded, or has come, or has not
//   ready(deaths, moved)  a worker listens; deaths > 0: it is a successor; moved: it
//                      takes over from one that lacked a lab
//   panel(panel)       a session begins; panel is its wire.Panel
//   state(state, last)  last: it follows all that the worker has been told
//   notice(notice, kind), file(name, bytes)
//   saved({lab, parts, fragment, running}) resolves once it is stored, or cannot be;
//                      parts are [{key, bytes}], see visit.js
//   lost(text)         the worker died, a successor is on its way
//   over(text)         the session cannot go on
// first is a file that the first worker will ask for and that is on its way: its name,
// and a promise of its bytes, null where they cannot be had. It may be null.
export function createSession(program, module, handlers, first) {
  let worker;
  let ready = false;
  let waiting = []; // messages for a worker that does not listen yet
  let training = false; // or a sweep runs: the worker has much to say
  let restoring = false; // a worker was told to go on from a save and has not answered
  let quiet = 0;
  let patience = usualPatience;
  let deaths = [];
  let moving = null; // what identifies the move to the other program
  let held = []; // messages for the worker that takes over
  let next = null; // its module, once there
  let moved = false;
  let commands = 0; // that the worker has been given
  let answered = 0; // of these, those that its last state follows
  let heavy = 0; // of these, those up to the last that brought a file, which may take its time

  function start() {
    ready = false;
    quiet = commands = answered = heavy = 0;
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
      handlers.over("This browser’s workers cannot load modules, which the lab is made of; Firefox has them since 2023, Chrome and Safari since 2021.");
      return;
    }
    mine.onmessage = ({ data }) => {
      if (mine === worker) receive(data, mine);
    };
    mine.onerror = (event) => {
      event.preventDefault();
      if (mine === worker) die(`The session stopped on an error of its own${event.message ? ` (${event.message})` : ""}.`);
    };
    const ahead = first;
    first = null; // a successor fetches for itself
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
        for (const [message, transfer] of first) deliver(message, transfer);
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
      handlers.over(`${text} It did so ${deaths.length} times within a minute, so it was not started again; reload the page to try once more.`);
      return;
    }
    handlers.lost(text);
    start();
  }

  // due says whether a word of the worker is: all the time while it trains, and after a
  // command, but for files to read.
  const due = () => training || restoring || (answered !== commands && answered >= heavy);

  // look watches the worker while it owes a message. It counts ticks, not seconds: a page
  // that was frozen has missed ticks as well as messages. The next worker gets more time,
  // so that a slow machine's worker is not taken for dead again and again.
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

  // move gets the program that has every lab, and lets the worker save and go.
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

  function deliver(message, transfer) {
    if (message.command) {
      if (!due()) quiet = 0;
      commands++;
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
      if (!lacks && moving && !next) stay(); // the visitor has come back before it was there
    }
    if (moving && message.command) {
      if (opening.includes(kind)) held.push([message, transfer]);
    } else if (ready) deliver(message, transfer);
    else waiting.push([message, transfer]);
  }

  start();
  return {
    // send asks for a wire.Command; bytes are a save's or a file's, which go over to the
    // worker.
    send: ({ kind, name = "", value = "" }, bytes) =>
      post({ type: "command", command: { kind, name, value: String(value) }, bytes }, bytes ? [bytes.buffer] : []),
    // connect gives the worker the port to draw through.
    connect: (port) => post({ type: "port", port }, [port]),
    // visible says whether anybody looks at the page.
    visible: (visible) => post({ type: "visible", visible }),
    // flush asks for a save now.
    flush: () => post({ type: "flush" }),
  };
}
