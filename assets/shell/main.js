// The shell: starts the parts and passes on what they say. It decides nothing
// about the model; the worker's state is the only truth.
import { createControls } from "./controls.js";
import { createFiles, download } from "./files.js";
import { createKeys } from "./keys.js";
import { createLabs, isDoor, labOf } from "./labs.js";
import { copy, createLink } from "./link.js";
import { compile } from "./load.js";
import { createNotices } from "./notices.js";
import { startOffline } from "./offline.js";
import { createPanel } from "./panel.js";
import { createProjector } from "./projector.js";
import { createReach } from "./reach.js";
import { createSession } from "./session.js";
import { encode } from "./snapshot.js";
import { createStage } from "./stage.js";
import { createStatus } from "./status.js";
import { dropSave, readSaves, writeSave } from "./store.js";
import { whyNoSession } from "./support.js";
import { createTheme, currentTheme } from "./theme.js";
import { createTips, listTips } from "./tips.js";

const byId = (id) => document.getElementById(id);

const demo = "demo"; // the lab whose panel is the page's own

const root = document.documentElement;
const notices = createNotices(byId("notices"));
const labs = createLabs(byId("labs"));
const controls = createControls(ask);
const status = createStatus();
const panel = createPanel({ send: ask, choose: () => files.choose(), image: savePicture, say: (text) => notices.say({ text }) });
const tips = createTips(byId("tip"));
const stage = createStage(byId("canvas"), {
  port: (port) => session.connect(port),
  progress: (bytes) => progress("picture", bytes),
  drawn: pictureDrawn,
  command: ask,
  key: (key) => (key === "Escape" ? escape() : keys.press(key)),
  file: (file) => files.take([file]),
  hover: (text) => {
    byId("spoken").textContent = text;
  },
  picture: keepPicture,
  opened: (frame) => files.watch(frame),
  error: pictureFailed,
});
const keys = createKeys(byId("shortcuts"), (key) =>
  (lab === demo ? controls.keys[key] : panel.key(key)) ?? { "?": openHelp, p: () => byId("projector").click() }[key]);
const files = createFiles({
  input: byId("file"),
  curtain: byId("drop"),
  largest: () => (lab === demo ? 16 : 256), // 5000 numbers or a model; a few trajectories
  open: (name, bytes) => ask({ kind: "file", name }, bytes),
  complain,
});
const link = createLink(follow);
const projector = createProjector(byId("projector"), (factor) => stage.zoom(factor));

// What the page says in the demo, and goes back to.
const own = { accept: byId("file").accept, drop: byId("drop-text").textContent, picture: byId("canvas").title };

let session = null; // until the engine is there
let lab = demo; // whose panel and state are shown
let heading = demo; // the lab that the worker is to run, which it may not have
let latest = null; // state
let saves = new Map(); // the last save of each lab
const left = new Map(); // what the address said when a lab was left, and its settings then
let save = null; // the last {bytes, fragment, running} of the session
let proven = false; // the worker that made it went on from the save before
let finished = false;

function send(command, bytes) {
  session?.send(command, bytes);
}

// ask is send for what the visitor does: going on puts an earlier error away.
function ask(command, bytes) {
  notices.dismissError();
  send(command, bytes);
}

function complain(text) {
  notices.say({ text, error: true });
}

// block says why the lab cannot run. The still picture stays.
function block(text) {
  const box = byId("blocked");
  box.textContent = text;
  box.hidden = false;
  byId("loading").hidden = true;
}

function pictureDrawn() {
  byId("view").classList.add("live");
  byId("loading").hidden = true;
  finishStart();
}

// pictureFailed also hears of a browser that cannot draw at all: the picture's
// page finds that out for itself before it loads anything.
function pictureFailed(text) {
  if (byId("view").classList.contains("live")) complain(text);
  else block(`${text} The picture stays a still one; training and its figures work.`);
  finishStart();
}

// finishStart is for what can wait until the picture is there.
function finishStart() {
  if (finished) return;
  finished = true;
  startOffline({
    onready: () => {
      root.dataset.offline = "ready";
    },
    onupdate: (apply) => notices.say({ text: "A newer version of the lab is here.", action: "Reload to update", act: apply }),
  });
}

const loaded = { engine: 0, picture: 0 };

// progress shows how much of the two programs has come. The bundle knows how
// large they are; without it the bar only says that something happens.
function progress(part, bytes) {
  loaded[part] = bytes;
  const sum = loaded.engine + loaded.picture;
  const bar = byId("loading-bar");
  const total = Number(bar.dataset.bytes);
  const megabytes = (n) => (n / 1e6).toFixed(1);
  if (total > 0) bar.value = Math.min(1, sum / total);
  byId("loading-text").textContent = `Loading the engine: ${megabytes(sum)}${total > 0 ? ` of ${megabytes(total)}` : ""} MB`;
}

// A step is the part of a fragment that changes while a session trains.
const withoutStep = (fragment) => fragment.replace(/&step=\d+/, "");

// begin has the worker run the lab that a fragment names: to go on from its save,
// unless the visitor came by a link to something else.
function begin(fragment, own) {
  heading = labOf(fragment);
  save = saves.get(heading) ?? null;
  const same = isDoor(fragment) || (save?.own && own) || withoutStep(fragment) === withoutStep(save?.fragment ?? "");
  if (save && same) {
    resume();
  } else {
    save = null;
    // A lab that has nothing to save goes on from its settings.
    beginAnew((isDoor(fragment) && left.get(heading)?.settings) || fragment);
  }
}

function beginAnew(fragment) {
  if (fragment) send({ kind: "link", value: fragment });
  if (isDoor(fragment) && labOf(fragment) === demo) send({ kind: "drift", value: currentTheme().reducedMotion ? "off" : "on" });
}

// follow goes where the visitor has changed the address to.
function follow(fragment, before) {
  notices.dismissError();
  const next = labOf(fragment);
  if (!session) {
    labs.show(next);
  } else if (next === heading) {
    send({ kind: "link", value: fragment });
  } else {
    left.set(heading, { address: before, settings: latest?.fragment });
    proven = false;
    begin(fragment, fragment === left.get(next)?.address);
  }
}

function resume() {
  send({ kind: "restore", value: save.fragment }, save.bytes);
  if (save.running) send({ kind: "train" });
}

function workerReady(deaths) {
  session.visible(!document.hidden);
  stage.connect();
  if (deaths === 0) {
    begin(link.fragment(), link.own);
  } else if (save && (deaths === 1 || proven)) {
    resume();
    notices.say({ text: "The lab goes on from its last save." });
  } else {
    // The save itself may be what the worker dies of.
    save = null;
    beginAnew(link.fragment());
    notices.say({ text: "The lab starts again with the settings of the address." });
  }
  proven = false;
  controls.enable(true);
  panel.enable(true);
}

// showPanel turns the page to a lab; described is null for the demo.
function showPanel(name, described) {
  if (name !== lab) byId("live").textContent = "";
  lab = heading = name;
  latest = null;
  for (const of of ["status", "refitting", "playing", "saved"]) delete root.dataset[of];
  if (described) panel.build(described);
  labs.show(name, described?.title);
  byId("canvas").title = described?.picture || own.picture;
  byId("file").accept = described?.accepts || own.accept;
  byId("drop-text").textContent = described?.drop || own.drop;
}

function showState(state) {
  if (state.lab !== heading) return; // the visitor has left it
  latest = state;
  if (lab === demo) {
    controls.show(state);
    status.show(state);
    root.dataset.refitting = state.refitting;
  } else {
    panel.show(state);
    root.dataset.playing = state.playing;
  }
  root.dataset.status = state.status;
  link.show(state.fragment);
}

function showNotice(notice, kind) {
  notices.say(notice);
  if (!notice.error) return;
  if (kind === "link" && heading !== lab) {
    // There is no such lab, and the worker stays with the one that it has.
    heading = lab;
    save = saves.get(lab) ?? null;
    if (latest) link.show(latest.fragment);
  }
  if (kind === "restore") {
    saves.delete(heading);
    save = null;
    dropSave(heading).catch(() => {});
    beginAnew(link.fragment());
  }
}

let storageRefused = false;

async function keep(saved) {
  saves.set(saved.lab, { ...saved, own: true });
  if (saved.lab === heading) {
    save = saves.get(heading);
    proven = true;
  }
  try {
    await writeSave(saved);
    if (saved.lab === lab) root.dataset.saved = saved.fragment;
  } catch {
    if (!storageRefused) notices.say({ text: "This browser keeps nothing for this page, so a reload starts again; Save the model keeps a copy." });
    storageRefused = true;
  }
}

// savePicture asks for the picture, keepPicture makes a file of it.
function savePicture() {
  if (!byId("view").classList.contains("live") || !stage.snapshot()) {
    complain("There is no picture to save yet.");
  }
}

async function keepPicture(pixels) {
  const frame = latest?.values?.at;
  const name = `macroscope-${lab}${frame ? `-${frame}` : ""}.png`;
  try {
    download(name, await encode(pixels));
    notices.say({ text: `Saved as ${name}.` });
  } catch (error) {
    complain(error.message);
  }
}

// painted resolves once the page has been painted, so that nothing holds that up;
// a hidden tab is not painted and does not wait.
function painted() {
  return new Promise((resolve) => {
    if (document.hidden) resolve();
    document.addEventListener("visibilitychange", resolve, { once: true });
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

async function start() {
  labs.show(labOf(link.fragment()));
  createReach(byId("view"));
  createTheme(byId("theme"), (theme) => stage.theme(theme));

  const why = whyNoSession();
  if (why) {
    block(why);
    return;
  }
  await painted();
  stage.start();
  const [module, kept] = await Promise.all([
    compile("worker.wasm", (bytes) => progress("engine", bytes)),
    readSaves().catch(() => new Map()),
  ]);
  saves = kept;
  session = createSession(module, {
    ready: workerReady,
    state: showState,
    notice: showNotice,
    panel: showPanel,
    file: (name, bytes) => {
      download(name, bytes);
      notices.say({ text: `Saved as ${name}.` });
    },
    saved: keep,
    lost: complain,
    over: (text) => {
      controls.enable(false);
      panel.enable(false);
      complain(text);
    },
  });
}

function openHelp() {
  if (!byId("help-dialog").open) byId("help-dialog").showModal();
}

listTips(byId("help-top"), document.querySelectorAll(".top-buttons [aria-describedby]"));
listTips(byId("help-controls"), document.querySelectorAll(".for-demo [aria-describedby]"));
byId("choose").addEventListener("click", () => files.choose());
byId("help").addEventListener("click", openHelp);
byId("help-close").addEventListener("click", () => byId("help-dialog").close());
byId("help-dialog").addEventListener("click", (event) => {
  if (event.target === event.currentTarget) event.currentTarget.close(); // the backdrop
});

byId("share").addEventListener("click", async () => {
  link.flush();
  const copied = await copy(location.href);
  notices.say({ text: copied ? "The link is on the clipboard; it opens the lab with these settings." : "The link could not be copied; take it from the address bar." });
});

byId("sheet").addEventListener("click", () => {
  const open = byId("panel").classList.toggle("open");
  root.classList.toggle("sheet-open", open);
  byId("sheet").setAttribute("aria-expanded", String(open));
});

function escape() {
  if (!tips.hide() && !projector.leave()) notices.dismiss();
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !byId("help-dialog").open) escape();
});

document.addEventListener("visibilitychange", () => {
  session?.visible(!document.hidden);
  if (document.hidden) {
    link.flush();
    session?.flush();
  }
});
addEventListener("pagehide", () => {
  link.flush();
  session?.flush();
});

start().catch((error) => block(error.message));
