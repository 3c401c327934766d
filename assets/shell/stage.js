// The picture's frame: its messages, its channel to the worker, its revival.

const grace = 3000; // ms in which a lost WebGL context may come back by itself, and the picture be drawn
const memory = 60_000; // ms for which a revival counts
const revivals = 4; // within memory, after which the picture is given up

// createStage runs the picture in frame, an iframe that has no source yet, once
// start(program) has a promise of its compiled program. handlers:
//   port(port)        the far end of the channel that frames come through
//   drawn()           the first picture is there
//   command(command)  the visitor did something on the picture
//   key(key)          pressed a key that the picture has no use for
//   file(file)        dropped a file on it
//   hover(text)       points at these values
//   signs(drawn)      these symbols are drawn, {names, places: [x, y, width, height, …]}
//   picture(pixels)   {width, height, bytes} that snapshot asked for
//   opened(window)    the frame has (again) its window
//   error(text)
export function createStage(frame, handlers) {
  let compiled = null; // resolves to the picture's program
  let listening = false; // the frame has asked for its port
  let connected = false; // the worker may be given one
  let drawn = false;
  let lost = 0; // timer of a lost context
  let theme = null;
  let zoom = null;
  let light = null;
  let deaths = [];

  const tell = (message, transfer = []) => frame.contentWindow.postMessage(message, location.origin, transfer);

  function connect() {
    if (!listening || !connected) return;
    const { port1, port2 } = new MessageChannel();
    tell({ type: "port", port: port1 }, [port1]);
    handlers.port(port2);
  }

  function revive() {
    clearTimeout(lost);
    lost = 0;
    const now = performance.now();
    deaths = deaths.filter((t) => now - t < memory);
    deaths.push(now);
    if (deaths.length >= revivals) {
      handlers.error("The picture was lost again and again, so it was given up; training goes on, and reloading the page may bring the picture back.");
      return;
    }
    reload();
  }

  function reload() {
    listening = false;
    frame.classList.add("blank");
    frame.contentWindow.location.reload();
  }

  frame.addEventListener("load", () => {
    if (theme) tell(theme);
    compiled?.then((program) => tell({ type: "program", program }), (error) => handlers.error(error.message));
    handlers.opened(frame.contentWindow);
  });

  addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== location.origin || !data) return;
    switch (data.type) {
      case "ready":
        listening = true;
        if (theme) tell(theme);
        if (zoom) tell(zoom);
        if (light) tell(light);
        connect();
        break;
      case "drawn":
        if (data.frames === 0) break; // nothing has come that could be seen
        frame.classList.remove("blank");
        clearTimeout(lost);
        lost = 0;
        if (!drawn) handlers.drawn();
        drawn = true;
        break;
      case "command":
        handlers.command(data);
        break;
      case "key":
        if (!data.repeat) handlers.key(data.key);
        break;
      case "file":
        handlers.file(data.file);
        break;
      case "hover":
        handlers.hover(data.text);
        break;
      case "signs":
        handlers.signs(data);
        break;
      case "picture":
        handlers.picture(data);
        break;
      case "contextlost":
        lost ||= setTimeout(revive, grace);
        break;
      case "reload":
        reload();
        break;
      case "error":
        handlers.error(data.text);
        break;
    }
  });

  return {
    start(program) {
      compiled = program;
      frame.src = "canvas.html";
    },
    // connect gives frame and worker a new channel, now or once the frame listens.
    connect() {
      connected = true;
      connect();
    },
    theme({ dark, reducedMotion }) {
      theme = { type: "theme", dark, reducedMotion };
      if (listening) tell(theme);
    },
    // snapshot asks for the next picture's pixels and says whether there will be any.
    snapshot() {
      if (listening) tell({ type: "snapshot" });
      return listening;
    },
    // light dims all but a part of the picture, or nothing.
    light(part) {
      light = { type: "light", part };
      if (listening) tell(light);
    },
    // zoom draws the picture larger by a factor.
    zoom(factor) {
      zoom = { type: "zoom", factor };
      if (listening) tell(zoom);
    },
  };
}
