// The controls of the demo's panel, which is the page's own. They show the
// worker's state and send what the visitor wants; what a value may be is the
// worker's to say.
import { createField, number } from "./field.js";
import { plain, short } from "./format.js";
import { among, even, powers } from "./scale.js";
import { createSlider } from "./slider.js";

const byId = (id) => document.getElementById(id);

const sizes = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 2500, 3000, 4000, 5000];

const sliders = {
  eps: { scale: powers(1e-8, 1), ticks: [1e-8, 1e-4, 0.01, 0.1, 1], words: (v) => `${short(v)}, in units of x` },
  zdim: { scale: even(1, 16, 1), ticks: [1, 2, 4, 8, 12, 16], words: (v) => (v === 1 ? "1 number" : `${v} numbers`) },
  n: { scale: among(sizes), ticks: [10, 50, 200, 1000, 5000], words: (v) => `${v} particles` },
};

// createControls wires every control to send(command) and returns show(state).
export function createControls(send) {
  const set = (name, value) => send({ kind: "set", name, value });
  const shows = [];

  for (const name of ["eps", "zdim", "n", "set", "seed"]) {
    const input = byId(name);
    const show = createField(input, (text) => set(name, input.type === "text" ? number(text) : text));
    shows.push((state) => show(String(state[name])));
  }
  for (const name of Object.keys(sliders)) {
    const slider = createSlider(byId(`${name}-slider`), sliders[name], (value) => set(name, plain(value)));
    shows.push((state) => slider.show(state[name]));
  }

  const drift = byId("drift");
  drift.addEventListener("change", () => send({ kind: "drift", value: drift.checked ? "on" : "off" }));
  shows.push((state) => {
    drift.checked = state.drift;
  });

  const press = (id, command) => byId(id).addEventListener("click", () => send(command()));
  for (const kind of ["step", "reset", "newseed", "another", "shipped"]) press(kind, () => ({ kind }));
  press("download", () => ({ kind: "save", name: "model" }));
  press("runto-go", () => ({ kind: "runto", value: byId("runto").value }));
  press("add", () => ({ kind: "add", value: number(byId("position").value) }));
  press("remove", () => ({ kind: "remove", value: number(byId("position").value) }));
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
    // keys are the shortcuts and what they do.
    keys: {
      " ": () => train.click(),
      s: () => send({ kind: "step" }),
      n: () => send({ kind: "another" }),
      r: () => send({ kind: "reset" }),
    },
  };
}

function onEnter(id, act) {
  byId(id).addEventListener("keydown", (event) => {
    if (event.key === "Enter") act();
  });
}
