// The controls of the panel. They show the worker's state and send what the
// visitor wants; what a value may be is the worker's to say.
import { among, decades, whole } from "./scale.js";
import { plain, short } from "./format.js";

const byId = (id) => document.getElementById(id);

const sizes = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 2500, 3000, 4000, 5000];

const sliders = {
  eps: { scale: decades, ticks: [1e-8, 1e-4, 0.01, 0.1, 1], words: (v) => `${short(v)}, in units of x` },
  zdim: { scale: whole(1, 16), ticks: [1, 2, 4, 8, 12, 16], words: (v) => (v === 1 ? "1 number" : `${v} numbers`) },
  n: { scale: among(sizes), ticks: [10, 50, 200, 1000, 5000], words: (v) => `${v} particles` },
};

// createControls wires every control to send(command) and returns show(state).
export function createControls(send) {
  const set = (name, value) => send({ kind: "set", name, value });
  const shows = [];

  for (const name of ["eps", "zdim", "n", "set", "seed"]) shows.push(field(name, set));
  for (const name of Object.keys(sliders)) shows.push(slider(name, set));

  const drift = byId("drift");
  drift.addEventListener("change", () => send({ kind: "drift", value: drift.checked ? "on" : "off" }));
  shows.push((state) => {
    drift.checked = state.drift;
  });

  const press = (id, command) => byId(id).addEventListener("click", () => send(command()));
  for (const kind of ["step", "reset", "newseed", "another", "shipped"]) press(kind, () => ({ kind }));
  press("download", () => ({ kind: "save", name: "model" }));
  press("runto-go", () => ({ kind: "runto", value: byId("runto").value }));
  press("add", () => ({ kind: "add", value: number("position") }));
  press("remove", () => ({ kind: "remove", value: number("position") }));
  onEnter("runto", () => byId("runto-go").click());
  onEnter("position", () => byId("add").click());

  const train = byId("train");
  const trainLabel = train.querySelector("span");
  const trainIcon = train.querySelector("use");
  let running = false;
  press("train", () => ({ kind: running ? "pause" : "train" }));
  shows.push((state) => {
    if ((state.status === "training") === running) return;
    running = state.status === "training";
    trainLabel.textContent = running ? "Pause" : "Train";
    trainIcon.setAttribute("href", running ? "#i-pause" : "#i-train");
  });

  return {
    show(state) {
      for (const show of shows) show(state);
    },
    // enable makes the controls usable, or not.
    enable(on) {
      byId("panel-groups").disabled = !on;
      for (const id of ["train", "step", "reset", "newseed"]) byId(id).disabled = !on;
    },
  };
}

// number is a text field's content with the signs that a page may show for
// minus and for the decimal point made plain.
function number(id) {
  return byId(id).value.trim().replace("−", "-").replace(",", ".");
}

function onEnter(id, act) {
  byId(id).addEventListener("keydown", (event) => {
    if (event.key === "Enter") act();
  });
}

// field sends what was typed once it is complete, and shows the state unless
// somebody is typing.
function field(name, set) {
  const input = byId(name);
  let typing = false;
  let latest = null;
  const show = () => {
    if (latest !== null && !typing) input.value = latest;
  };
  input.addEventListener("input", () => {
    typing = true;
  });
  input.addEventListener("change", () => {
    typing = false;
    set(name, input.type === "text" ? number(name) : input.value);
  });
  input.addEventListener("blur", () => {
    typing = false;
    show();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !typing) return;
    typing = false;
    show();
    event.stopPropagation();
  });
  return (state) => {
    latest = typeof state[name] === "number" ? plain(state[name]) : state[name];
    show();
  };
}

// slider sends values while it is dragged, at most one a frame of the screen, and
// shows the state unless it is held.
function slider(name, set) {
  const { scale, ticks, words } = sliders[name];
  const input = byId(`${name}-slider`);
  input.min = scale.min;
  input.max = scale.max;
  input.step = scale.step;
  addTicks(input, scale, ticks);
  let held = false;
  let queued = false;
  let latest = null;
  const share = () => {
    const part = (input.value - scale.min) / (scale.max - scale.min);
    input.style.setProperty("--share", part);
  };
  const show = () => {
    if (latest === null || held || queued) return;
    input.value = scale.place(latest);
    input.setAttribute("aria-valuetext", words(latest));
    share();
  };
  input.addEventListener("input", () => {
    share();
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      const value = scale.at(Number(input.value));
      input.setAttribute("aria-valuetext", words(value));
      set(name, plain(value));
    });
  });
  input.addEventListener("pointerdown", () => {
    held = true;
  });
  for (const end of ["pointerup", "pointercancel", "blur"]) {
    input.addEventListener(end, () => {
      held = false;
      requestAnimationFrame(show);
    });
  }
  return (state) => {
    latest = state[name];
    show();
  };
}

// addTicks writes the scale below a slider. The words are for the eye; a screen
// reader has the value's text.
function addTicks(input, scale, values) {
  const row = document.createElement("div");
  row.className = "ticks";
  row.setAttribute("aria-hidden", "true");
  for (const value of values) {
    const tick = document.createElement("span");
    tick.textContent = short(value);
    tick.style.setProperty("--share", (scale.place(value) - scale.min) / (scale.max - scale.min));
    row.append(tick);
  }
  input.after(row);
}
