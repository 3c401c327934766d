// The shell: starts the parts and passes on what they say. It decides nothing
// about the model; the worker's state is the only truth.
import { createControls } from "./controls.js";
import { createFiles, download } from "./files.js";
import { createKeys } from "./keys.js";
import { copy, createLink } from "./link.js";
import { compile } from "./load.js";
import { createNotices } from "./notices.js";
import { startOffline } from "./offline.js";
import { createSession } from "./session.js";
import { createStage } from "./stage.js";
import { createStatus } from "./status.js";
import { dropSave, readSave, writeSave } from "./store.js";
import { whyNoSession } from "./support.js";
import { createTheme, currentTheme } from "./theme.js";
import { createTips, listTips } from "./tips.js";

const byId = (id) => document.getElementById(id);

const root = document.documentElement;
const notices = createNotices(byId("notices"));
const controls = createControls(ask);
const status = createStatus();
const tips = createTips(byId("tip"));
const stage = createStage(byId("canvas"), {
  port: (port) => session.connect(port),
  progress: (bytes) => progress("picture", bytes),
  drawn: pictureDrawn,
  command: ask,
  key: (key) => keys.press(key),
  file: (file) => files.take([file]),
  hover: (text) => {
    byId("spoken").textContent = text;
  },
  opened: (frame) => files.watch(frame),
  error: pictureFailed,
});
const keys = createKeys(byId("shortcuts"), {
  " ": () => byId("train").click(),
  s: () => ask({ kind: "step" }),
  n: () => ask({ kind: "another" }),
  r: () => ask({ kind: "reset" }),
  "?": openHelp,
});
const files = createFiles({
  input: byId("file"),
  button: byId("choose"),
  curtain: byId("drop"),
  open: (name, bytes) => ask({ kind: "file", name }, bytes),
  complain,
});
const link = createLink((fragment) => ask({ kind: "link", value: fragment }));

let session = null; // until the engine is there
let save = null; // the last {bytes, fragment, running}
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

// begin gives the first worker its first commands: to go on from the save, unless
// the visitor came by a link to something else.
function begin() {
  const fragment = link.fragment();
  const same = fragment === "" || (save?.own && link.own) || withoutStep(fragment) === withoutStep(save?.fragment ?? "");
  if (save && same) {
    resume();
  } else {
    save = null;
    beginAnew(fragment);
  }
}

function beginAnew(fragment) {
  if (fragment) send({ kind: "link", value: fragment });
  else send({ kind: "drift", value: currentTheme().reducedMotion ? "off" : "on" });
}

function resume() {
  send({ kind: "restore", value: save.fragment }, save.bytes);
  if (save.running) send({ kind: "train" });
}

function workerReady(deaths) {
  session.visible(!document.hidden);
  stage.connect();
  if (deaths === 0) {
    begin();
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
}

function showState(state) {
  controls.show(state);
  status.show(state);
  root.dataset.status = state.status;
  root.dataset.refitting = state.refitting;
  link.show(state.fragment);
}

function showNotice(notice, kind) {
  notices.say(notice);
  if (kind === "restore" && notice.error) {
    save = null;
    dropSave().catch(() => {});
    beginAnew(link.fragment());
  }
}

let storageRefused = false;

async function keep({ bytes, fragment, running }) {
  save = { bytes, fragment, running };
  proven = true;
  try {
    await writeSave(save);
    root.dataset.saved = fragment;
  } catch {
    if (!storageRefused) notices.say({ text: "This browser keeps nothing for this page, so a reload starts again; Save the model keeps a copy." });
    storageRefused = true;
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
  createTheme(byId("theme"), (theme) => stage.theme(theme));

  const why = whyNoSession();
  if (why) {
    block(why);
    return;
  }
  await painted();
  stage.start();
  const [module, saved] = await Promise.all([
    compile("worker.wasm", (bytes) => progress("engine", bytes)),
    readSave().catch(() => undefined),
  ]);
  save = saved ?? null;
  session = createSession(module, {
    ready: workerReady,
    state: showState,
    notice: showNotice,
    panel: () => {},
    file: (name, bytes) => {
      download(name, bytes);
      notices.say({ text: `Saved as ${name}.` });
    },
    saved: keep,
    lost: complain,
    over: (text) => {
      controls.enable(false);
      complain(text);
    },
  });
}

function openHelp() {
  if (!byId("help-dialog").open) byId("help-dialog").showModal();
}

listTips(byId("help-controls"));
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

addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || byId("help-dialog").open) return;
  if (!tips.hide()) notices.dismiss();
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
