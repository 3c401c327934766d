// The session: the compute worker and, should it die, its successors.

const tick = 2000; // ms between two looks at the worker
const patience = 6; // ticks without a word before a training worker counts as dead
const memory = 60_000; // ms for which a death counts
const lives = 4; // deaths within memory after which no successor is started

// createSession starts a worker on module, a compiled program. handlers:
//   ready(deaths)      a worker listens; deaths > 0: it is a successor
//   panel(lab, panel)  a session of a lab begins; panel is a wire.Panel, null for
//                      the demo's, which is the page's own
//   state(state), notice(notice, kind), file(name, bytes)
//   saved({lab, bytes, fragment, running})
//   lost(text)         the worker died, a successor is on its way
//   over(text)         the session cannot go on
export function createSession(module, handlers) {
  let worker;
  let ready = false;
  let waiting = [];
  let training = false;
  let quiet = 0;
  let deaths = [];

  function start() {
    ready = false;
    quiet = 0;
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
      if (mine === worker) receive(data);
    };
    mine.onerror = (event) => {
      event.preventDefault();
      if (mine === worker) die(`The session stopped on an error of its own${event.message ? ` (${event.message})` : ""}.`);
    };
    mine.postMessage({ type: "module", module });
  }

  function receive(data) {
    quiet = 0;
    switch (data.type) {
      case "ready": {
        ready = true;
        const first = waiting;
        waiting = [];
        handlers.ready(deaths.length);
        for (const [message, transfer] of first) worker.postMessage(message, transfer);
        break;
      }
      case "panel":
        handlers.panel(data.lab, data.panel);
        break;
      case "state":
        training = data.state.status === "training";
        handlers.state(data.state);
        break;
      case "notice":
        handlers.notice(data.notice, data.kind);
        break;
      case "saved":
        handlers.saved(data);
        break;
      case "file":
        handlers.file(data.name, data.bytes);
        break;
      case "fatal":
        die(data.text);
        break;
    }
  }

  function die(text) {
    worker.terminate();
    training = false;
    const now = performance.now();
    deaths = deaths.filter((t) => now - t < memory);
    deaths.push(now);
    if (deaths.length >= lives) {
      clearInterval(watch);
      worker = null;
      handlers.over(`${text} It did so ${deaths.length} times within a minute, so it was not started again; reload the page to try once more.`);
      return;
    }
    handlers.lost(text);
    start();
  }

  // Ticks are counted, not seconds: a page that was frozen has missed ticks as
  // well as messages.
  const watch = setInterval(() => {
    quiet++;
    if (training && quiet >= patience) die("The session did not answer any more.");
  }, tick);

  function post(message, transfer = []) {
    if (!worker) return;
    if (ready) worker.postMessage(message, transfer);
    else waiting.push([message, transfer]);
  }

  start();
  return {
    // send asks for a wire.Command; bytes are a save's, or a file's, which go over to
    // the worker.
    send: ({ kind, name = "", value = "" }, bytes) =>
      post({ type: "command", command: { kind, name, value: String(value) }, bytes }, kind === "file" ? [bytes.buffer] : []),
    // connect gives the worker the port to draw through.
    connect: (port) => post({ type: "port", port }, [port]),
    // visible says whether anybody looks at the page.
    visible: (visible) => post({ type: "visible", visible }),
    // flush asks for a save now.
    flush: () => post({ type: "flush" }),
  };
}
