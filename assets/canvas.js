// The page inside the picture's iframe. It starts the Ebitengine program, which the shell has
// compiled, and keeps Ebitengine from handling events that belong to the outer page.
// wasm/bridge/canvas.go describes the messages between the two pages.
"use strict";

{
  const post = (message) => parent.postMessage(message, location.origin);
  const fail = (text) => post({ type: "error", text });

  // hear calls act with every message of a type from the shell.
  const hear = (type, act) => addEventListener("message", ({ origin, data }) => {
    if (origin === location.origin && data?.type === type) act(data);
  });

  // Ebitengine's handlers would call preventDefault on all of these events. That would block
  // scrolling by wheel or finger, the context menu and Tab. Ebitengine does not need these
  // events, because the program has its own listeners for pointers and keys.
  const kept = [
    "mousedown", "mouseup", "mousemove", "wheel", "touchstart", "touchmove", "touchend",
    "contextmenu", "keydown", "keyup",
  ];
  for (const type of kept) {
    addEventListener(type, (event) => event.stopPropagation(), { capture: true, passive: true });
  }

  // The shell opens files that are dropped here.
  addEventListener("dragover", (event) => {
    event.stopPropagation();
    event.preventDefault();
  }, true);
  addEventListener("drop", (event) => {
    event.stopPropagation();
    event.preventDefault();
    post({ type: "files", files: [...(event.dataTransfer?.files ?? [])] });
  }, true);

  // Ebitengine reloads this page after a lost context. The shell then receives "ready" again.
  addEventListener("webglcontextlost", () => post({ type: "contextlost" }), true);

  // Ebitengine reads the pixel ratio once, so the page reloads when it changes. On paper it has another one.
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", ({ matches }) => matches || matchMedia("print").matches || post({ type: "reload" }));

  // paint sets the background. It is visible until the canvas is drawn.
  const paint = (dark) => document.documentElement.classList.toggle("dark", dark);
  paint(matchMedia("(prefers-color-scheme: dark)").matches);
  hear("theme", ({ dark }) => paint(dark));

  // The browser prints the canvas black, because it keeps no drawing. canvas.css prints this copy instead: that of
  // the last picture before a rest, or, while the picture changes, of the last second.
  const paper = document.createElement("canvas");
  paper.className = "paper";
  let copied = -Infinity;
  function copy(time) {
    const canvas = document.querySelector("canvas");
    if (!canvas || matchMedia("print").matches) return;
    copied = time;
    [paper.width, paper.height] = [canvas.width, canvas.height];
    paper.getContext("2d").drawImage(canvas, 0, 0);
    if (!paper.isConnected) document.body.append(paper);
  }

  // Ebitengine requests every animation frame, even when there is nothing new to draw. The
  // program stops the frames with animate(false). A request made while they are stopped waits
  // for animate(true).
  const request = requestAnimationFrame.bind(globalThis);
  let animating = true;
  let waiting = null;
  const drawn = (callback) => (time) => {
    callback(time);
    if (!animating || time > copied + 1000) copy(time);
  };
  globalThis.requestAnimationFrame = (callback) => {
    if (animating) return request(drawn(callback));
    waiting = callback;
    return 0;
  };
  globalThis.animate = (on) => {
    animating = on;
    if (on && waiting) {
      request(drawn(waiting));
      waiting = null;
    }
  };

  // Ebitengine looks for gamepads in every frame. The browser would then poll the gamepads all
  // the time.
  Navigator.prototype.getGamepads = () => [];

  // The shader smooths its own edges. The browser's antialiasing, on by default, would only
  // halve the frame rate.
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, attributes) {
    if (kind === "2d") return getContext.call(this, kind, attributes);
    return getContext.call(this, kind, { ...attributes, antialias: false, depth: false, stencil: false, alpha: false });
  };

  const compiled = new Promise((resolve) => hear("program", ({ program }) => resolve(program)));

  // The shell sends the picture's name. This page must not observe the frame that contains it: the frame
  // outlives this page, and would keep the page's memory after every reload.
  let title = "Picture";
  const label = () => document.querySelector("canvas")?.setAttribute("aria-label", title);
  hear("title", ({ text }) => {
    title = text;
    label();
  });

  const start = async () => {
    if (!document.createElement("canvas").getContext("webgl2")) {
      fail("The picture needs WebGL 2, which this browser lacks.");
      return;
    }
    const go = new Go();
    const instance = await WebAssembly.instantiate(await compiled, go.importObject);
    const ended = go.run(instance);
    const canvas = document.querySelector("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    label();
    await ended;
    fail("The picture stopped. Reload the page to bring it back.");
  };

  start().catch((error) => fail(`The picture could not be started (${error.message}).`));
}
