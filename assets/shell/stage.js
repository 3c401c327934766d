// The picture's frame: its messages, its channel to the worker, and its restart after a
// failure.

const grace = 3000; // longest time in ms from the loss of the WebGL context to the next picture
const memory = 60_000; // ms after which a failure of the picture is forgotten
const revivals = 4; // after so many failures within `memory` ms, the picture is not started again

// createStage runs the picture in frame, an iframe without a source, after start(program),
// which takes a promise of the compiled program. handlers:
//   port(port)        the worker's end of the channel for frames
//   drawn()           the first picture is drawn
//   command(command)  the visitor changed something in the picture
//   key(key)          the visitor pressed a key that the picture does not use
//   files(files)      the visitor dropped files on the picture
//   hover(text)       the values under the pointer
//   signs(drawn)      the drawn symbols, {names, places: [x, y, width, height, …]}
//   picture(pixels)   {width, height, bytes}, the answer to snapshot
//   opened(window)    the frame's window is loaded, the first time or again
//   error(text)
export function createStage(frame, handlers) {
  let compiled = null; // promise of the picture's program
  let listening = false; // whether the frame has requested its port
  let connected = false; // whether the worker can receive a port
  let drawn = false;
  let lost = 0; // timer that runs from the loss of the context
  let deaths = [];
  const settings = new Map(); // the last message of each type; a page that loads again receives them again

  const tell = (message, transfer = []) => frame.contentWindow.postMessage(message, location.origin, transfer);

  // set sends a message now and to every later page of the frame.
  function set(message) {
    settings.set(message.type, message);
    if (listening) tell(message);
  }

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
      handlers.error("The picture failed several times, so it was stopped. Training continues. Reload the page to try again.");
      return;
    }
    reload();
  }

  function reload() {
    listening = false;
    frame.classList.add("blank");
    frame.contentWindow.location.reload();
  }

  // arrived reports whether the frame contains the picture's page, and not the page of an error.
  function arrived() {
    try {
      return Boolean(frame.contentWindow.animate); // canvas.js defines it
    } catch {
      return false; // the browser's own page
    }
  }

  frame.addEventListener("load", () => {
    if (compiled && !arrived()) {
      handlers.error("The picture could not be loaded: is there a connection?");
      return;
    }
    for (const type of ["theme", "title"]) if (settings.has(type)) tell(settings.get(type)); // the page's script handles them
    compiled?.then((program) => tell({ type: "program", program }), (error) => handlers.error(error.message));
    handlers.opened(frame.contentWindow);
  });

  addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== location.origin || !data) return;
    switch (data.type) {
      case "ready":
        listening = true;
        for (const message of settings.values()) tell(message);
        connect();
        break;
      case "drawn":
        if (data.frames === 0) break; // the worker has sent no frame yet
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
        if (!data.repeat) handlers.key(data.key, data.shift);
        break;
      case "files":
        handlers.files(data.files);
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
    // connect creates a new channel between frame and worker, now or once the frame is
    // ready.
    connect() {
      connected = true;
      connect();
    },
    // theme has the fields of currentTheme.
    theme: (theme) => set({ type: "theme", ...theme }),
    // title names the picture for screen readers.
    title(text) {
      frame.title = text;
      set({ type: "title", text });
    },
    // snapshot requests the pixels of the next picture and reports whether they will come.
    snapshot() {
      if (listening) tell({ type: "snapshot" });
      return listening;
    },
    // light dims everything except one part of the picture; "" dims nothing.
    light: (part) => set({ type: "light", part }),
    // plain leaves out all but the main parts of the picture, and its numbers.
    plain: (on) => set({ type: "plain", on }),
    // zoom scales the picture by a factor.
    zoom: (factor) => set({ type: "zoom", factor }),
  };
}
