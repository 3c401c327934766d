// The shell starts the modules and passes messages between them. It takes no decisions about
// the model: it displays the worker's state.
import { createAsk, createQuestions } from "./ask.js";
import { put } from "./element.js";
import { createFiles, download } from "./files.js";
import { createKeys } from "./keys.js";
import { createLabs, firstLab, labOf } from "./labs.js";
import { createLecture, readLecture } from "./lecture.js";
import { createLink, createShare } from "./link.js";
import { compile, fetchFile } from "./load.js";
import { createLoading } from "./loading.js";
import { createNotices } from "./notices.js";
import { startOffline } from "./offline.js";
import { createPanel } from "./panel.js";
import { createProjector } from "./projector.js";
import { createReach } from "./reach.js";
import { createSession, programOf } from "./session.js";
import { createSimple } from "./simple.js";
import { encode } from "./snapshot.js";
import { createStage } from "./stage.js";
import { attempts, dropAside, readAside, readSaves, savesLost, setAside, whole, writeSave } from "./store.js";
import { whyNoSession } from "./support.js";
import { createTheme, currentTheme } from "./theme.js";
import { createTips, listTips } from "./tips.js";
import { createTour } from "./tour.js";
import { createVisit } from "./visit.js";

const byId = (id) => document.getElementById(id);

const pictureProgram = "app.wasm";

const root = document.documentElement;
const notices = createNotices(byId("notices"));
const loading = createLoading();
const labs = createLabs(byId("labs"));
const visit = createVisit(send, () => !currentTheme().reducedMotion, attempts);
const lecture = readLecture(location.search);
let readAddress = false; // whether the page has said what it does not understand of its address
const panel = createPanel({ lecture, send: ask, choose: () => files.choose(), image: savePicture, sweep: toggleSweep, curve: drawCurve, say: (text) => notices.say({ text }) });
const tips = createTips(byId("tip"));
const stage = createStage(byId("canvas"), {
  port: (port) => session.connect(port),
  drawn: pictureDrawn,
  command: ask,
  key: (key, shift) => (key === "Escape" ? escape() : key === "Control+z" ? change(shift) : keys.press(key)),
  files: (dropped) => files.take(dropped),
  hover: speak,
  signs: showSigns,
  picture: keepPicture,
  opened: (frame) => files.watch(frame),
  error: pictureFailed,
});
const keys = createKeys(byId("shortcuts"), (key) =>
  panel.key(key) ?? { "?": openHelp, p: () => byId("projector").click() }[key], change);
const files = createFiles({
  input: byId("file"),
  curtain: byId("drop"),
  largest: () => largest,
  open: (name, bytes) => ask({ kind: "file", name }, bytes),
  complain,
});
const link = createLink(follow);
const dialog = createAsk(byId("ask"));
const question = createQuestions(dialog, { answer: (id) => ask({ kind: "press", name: id }), elsewhere });
const tour = createTour(byId("tour"), byId("tour-button"), {
  lab: () => lab,
  state: () => latest,
  send: ask,
  picture: stage.light,
  say: notices.say,
  complain,
  settled: notices.dismissNews,
  begins: () => simple.leave(),
});
const simple = createSimple(byId("everything"), { picture: stage.plain, play: () => send({ kind: "press", name: "play" }) });
const projector = createProjector(byId("projector"), (factor) => stage.zoom(factor));

const ahead = new AbortController(); // of the fetch of a model before the worker asks for it; `lab` is this model's lab
let session = null; // null until the engine is ready
let lab = firstLab; // the lab of the visible panel and state
let largest = Infinity; // MiB of the largest file that the lab accepts
let latest = null; // the last state
let sweep = null; // draws sweeps; loaded after the first view
let survey = null; // the panel on ε and ẑ dim; loaded after the first view
let surveyed = false; // whether the last state had the panel on ε and ẑ dim
let curve = null; // draws a setting as a curve; loaded after the first view
let signs = null; // explains the picture's symbols; loaded after the picture
let sweeping = false; // whether the visitor's own sweep is running
let asked = ""; // the setting that the visitor has changed last
let finished = false;
let ended = false; // whether the session cannot continue
let past = false; // whether the files that this page would load are of another version

function send(command, bytes) {
  session?.send(command, bytes);
}

// ask sends a visitor's action and dismisses an earlier error.
function ask(command, bytes) {
  if (command.kind === "set") asked = command.name;
  notices.dismissError();
  send(command, bytes);
}

// elsewhere opens the last file that the visitor has opened once more, in another lab.
function elsewhere(lab) {
  addEventListener("hashchange", files.again, { once: true }); // runs after the link's own listener
  location.hash = `lab=${lab}`;
}

function complain(text) {
  notices.say({ text, error: true });
}

let spoken = 0; // time of the last text about the picture that was read out
// speak reads out the values under the pointer. A run that plays changes them all the time.
function speak(text) {
  const moves = latest?.playing || latest?.task;
  if (text && moves && performance.now() - spoken < 10_000) return;
  spoken = text ? performance.now() : spoken;
  put(byId("spoken"), text);
}

function pictureDrawn() {
  loading.done();
  finishStart();
}

// pictureFailed reports why the picture cannot be drawn: an error, or a feature that the
// browser lacks. The picture's page checks these features before it loads anything.
function pictureFailed(text) {
  if (loading.live()) complain(text);
  else if (!ended) loading.block(`${text} The picture stays still. Training and its figures work.`);
  finishStart();
}

// finishStart does the work that can wait until the picture has appeared.
function finishStart() {
  if (finished) return;
  finished = true;
  startOffline({
    version: byId("loading-bar").dataset.version,
    onready: () => {
      root.dataset.offline = "ready";
    },
    onupdate: (apply) => notices.say({ text: "A newer version of the lab is available.", action: "Reload to update", act: apply }),
    onpast: () => {
      past = true;
      askReload();
    },
  });
}

const updated = "The lab was updated. Reload this tab to continue. Your work is kept.";

// askReload asks the visitor to reload an outdated page, because the page must not load
// files of another version.
function askReload() {
  session?.flush();
  notices.say({ text: updated, action: "Reload", act: () => location.reload() });
}

function follow(fragment, before) {
  notices.dismissError();
  if (session) visit.follow(fragment, { address: before, settings: latest?.fragment });
  else labs.show(labOf(fragment));
}

function workerReady(deaths, moved, saves) {
  if (deaths > 0 || moved) notices.late("", null); // about a file of the previous worker
  session.visible(!document.hidden);
  stage.connect();
  if (moved) {
    visit.move();
  } else if (deaths === 0) {
    const bad = visit.open(saves, link.fragment(), link.own, lecture.chosen);
    if (bad) putAside(bad, "The page ended several times while it restored its last session. That session was set aside and the lab starts again.");
    else offerAside();
  } else {
    const { resumed, bad } = visit.reopen(link.fragment());
    if (bad) putAside(bad, "The lab stopped while it restored its last session. That session was set aside and the lab starts again.");
    else notices.say({ text: resumed ? "The lab continues from its last save." : "The lab starts again with the settings of the address." });
  }
  panel.enable(true);
}

// get resolves to a compiled program.
function get(program, onarrived) {
  return compile(program, (bytes) => loading.progress(program, bytes), onarrived);
}

// load gets another program for the worker while a lab stays visible.
function load(program) {
  if (past) throw new Error(updated);
  loading.begin([program]);
  return get(program);
}

// moving(true) is called when the page leaves a lab, moving(false) when the next lab has
// arrived.
function moving(on) {
  panel.enable(!on);
  if (!on) loading.end();
}

// showPanel switches the page to a lab.
function showPanel(described) {
  if (described.lab !== lab) {
    if (latest) notices.dismissNews(); // news from before the first state are not about another lab
    notices.late("", null);
    byId("live").textContent = "";
    sweep?.leave();
    curve?.leave();
    signs?.show({ names: [], places: [] });
    sweeping = false;
  }
  lab = described.lab;
  if (lab !== ahead.lab) ahead.abort();
  visit.arrive(described);
  latest = null;
  for (const of of ["status", "playing", "saved"]) delete root.dataset[of];
  panel.open(described);
  if (!readAddress) {
    readAddress = true; // a lecture's link belongs to the first lab; other labs have other controls
    const strange = lecture.unknown([...described.transport, ...described.groups.flatMap(({ controls }) => controls ?? [])].map(({ id }) => id));
    if (strange.length > 0) notices.say({ text: `The page does not understand these parts of its address, before the #: ${strange.map((text) => JSON.stringify(text)).join(", ")}. The names are those of Share, “For a lecture…”.`, stays: true });
  }
  labs.show(lab, described.title);
  stage.title(described.picture);
  byId("file").accept = described.accepts;
  byId("drop-text").textContent = described.drop;
  largest = described.largest;
}

// showState shows a state. If `last` is false, the state precedes the visitor's last action. It may
// be older than a link that the visitor has opened, so it does not change the address or the tour.
function showState(state, last) {
  if (state.lab !== visit.lab()) return; // the visitor has left this lab
  latest = state;
  panel.show(state);
  question(state.ask);
  root.dataset.playing = state.playing;
  root.dataset.status = state.status;
  simple.show(state);
  if (last) {
    link.show(state.fragment);
    tour.show(state);
  }
  sweep?.show(state);
  curve?.show(state);
  if (survey || state.survey) showSurvey();
  if (state.survey && !surveyed) sweep?.leave(); // the sweep gives way to the panel on ε and ẑ dim
  surveyed = Boolean(state.survey);
  const runs = state.tasks?.sweeprun === "running";
  if (runs && !sweeping && !sweep?.shown()) openSweep(); // opens the chart, so that the sweep's points are visible
  sweeping = runs;
}

// showSurvey shows the panel on ε and ẑ dim while the state has one.
async function showSurvey() {
  survey ??= later(() => import("./survey.js"), "The panel").then((module) => module?.createSurvey(byId("survey"), { send: ask }));
  const panel = await survey;
  panel?.show(latest?.survey);
  if (!panel && !latest?.survey) survey = null; // the module did not load; showing the panel again fetches it again
}

// leaveSurvey closes the panel on ε and ẑ dim, and reports whether it was open.
function leaveSurvey() {
  const open = Boolean(latest?.survey);
  if (open) ask({ kind: "set", name: "survey", value: "off" });
  return open;
}

// openSweep opens the drawing of sweeps and resolves to the drawing's heading, or to nothing if
// the drawing does not open.
async function openSweep() {
  leaveSurvey();
  const { file, title } = panel.sweep();
  const of = lab;
  const module = await later(() => import("./sweep.js"), "The sweep");
  if (!module || of !== lab) return null;
  sweep ??= module.createSweep(byId("sweep"), { send: ask, state: () => latest, complain });
  if (latest) sweep.show(latest);
  return sweep.open(file, title);
}

// later loads a module that the first view does not need. After a failure it reports the
// error and resolves to undefined.
async function later(load, what) {
  if (past) return askReload();
  return load().catch(() => complain(`${what} could not be loaded. Check the connection and try again.`));
}

// drawCurve opens the drawing of a setting next to its button. A second press closes it.
async function drawCurve(control, button) {
  const module = await later(() => import("./curve.js"), "The drawing");
  if (!module) return;
  curve ??= module.createCurve({ send: ask });
  curve.toggle(control, button);
  if (latest) curve.show(latest);
}

// showSigns adds explanations to the symbols in the picture. If the module cannot be loaded,
// the symbols are still explained in the help dialog.
async function showSigns(drawn) {
  const module = signs || past ? null : await import("./signs.js").catch(() => null);
  signs ??= module?.createSigns(byId("canvas"));
  signs?.show(drawn);
}

// toggleSweep handles the button that opens the drawing of sweeps. A second press closes it.
async function toggleSweep() {
  if (sweep?.leave()) return;
  (await openSweep())?.focus({ preventScroll: true });
}

function showNotice(notice, kind) {
  const { press } = notice;
  const toured = press && !notice.error && tour.open(); // during a tour, no offer to undo a command is shown; the tour offers to undo all when it ends
  const field = (notice.error && kind === "set" && byId(`c-${asked}`)) || null;
  if (!toured) notices.say(press ? { ...notice, act: () => send({ kind: "press", name: press }), passes: true } : { ...notice, field });
  if (!notice.error) return;
  if (kind === "link" && visit.lab() !== lab) {
    // The link names a lab that does not exist, so the worker keeps its lab.
    visit.stay(lab);
    if (latest) link.show(latest.fragment);
  }
  if (kind === "restore") {
    const bad = visit.refuse(link.fragment());
    if (bad) putAside(bad, unreadable);
  }
}

const unreadable = "A session that could not be restored was set aside.";

// putAside keeps a save that could not be resumed, explains why, and offers the save as a file.
async function putAside(save, text) {
  offer(await setAside(save).catch(() => save), text);
}

async function offerAside() {
  if (savesLost()) notices.say({ text: "The browser has deleted the saved sessions, as it does when space runs out. The lab starts without them." });
  try {
    const save = await readAside();
    if (save) offer(save, unreadable);
  } catch {
    notices.say({ text: "Earlier sessions could not be read: the browser has no space, or stores nothing for this page. The lab starts without them." });
  }
}

// offer offers a save as a file. Only the visitor can know whether the file has arrived, so the save is
// kept, and offered at every visit, until the visitor deletes it.
function offer(save, text) {
  const bytes = whole(save);
  const remove = { label: "Delete it", act: () => dropAside(save).then(offerAside, () => {}) };
  const keep = { label: "Save it as a file", act: () => give(`macroscope-${save.lab}.session`, bytes), keeps: true };
  notices.say({ text, choices: bytes.length > 0 ? [keep, remove] : [remove], stays: true });
}

// give asks the browser to save a file. A page does not learn whether the browser does it.
function give(name, bytes) {
  download(name, bytes);
  const framed = self !== top ? " If it saves nothing, this frame may not save files: open the lab in a tab of its own, or add allow-downloads to the frame’s sandbox." : "";
  notices.say({ text: `The browser was asked to save ${name}.${framed}` });
}

const again = globalThis.saveAgain ?? 10_000; // ms after which saves that could not be stored are tried again; a test may set it
const left = new Map(); // the last save of each lab, if it could not be stored, or not completely
let storing = Promise.resolve(); // saves are stored one after another
let retry = 0; // timer of the next try
let refused = null; // {nothing, end} of the notice that nothing is stored, or not everything; null if all is

// keep stores a save. If the storage refuses it, the page says so, and tries again until there is
// space.
function keep(saved) {
  visit.keep(saved);
  link.flush(); // an address that differs from the save after a reload is then newer
  return (storing = storing.then(() => store(saved)));
}

async function store(saved) {
  const complete = await writeSave(saved).catch(() => null);
  if (complete) left.delete(saved.lab);
  else left.set(saved.lab, saved);
  if (complete !== null && saved.lab === lab) root.dataset.saved = saved.fragment;
  clearTimeout(retry);
  if (left.size > 0) {
    retry = setTimeout(tryAgain, again);
    const nothing = complete === null;
    if (refused?.nothing === nothing) return;
    refused?.end();
    refused = { nothing, end: notices.say({ text: nothing ? nothingKept : dataLeftOut, stays: true }) };
  } else if (refused) {
    refused.end();
    refused = null;
    notices.say({ text: "The browser has space again. Everything is kept." });
  }
}

function tryAgain() {
  for (const saved of left.values()) storing = storing.then(() => left.get(saved.lab) === saved && store(saved));
}

const nothingKept = "This session could not be kept: the browser has no space, or stores nothing for this page. A reload returns to the last save. Free some space, or press Save everything, which writes the session to a file.";
const dataLeftOut = "Your file, or the simulated trajectories of a training, could not be kept: the browser has no space for them. Free some space, or open the file again after a reload.";

// savePicture requests the picture, and keepPicture saves it as a file.
function savePicture() {
  if (!loading.live() || !stage.snapshot()) {
    complain("There is no picture to save yet.");
  }
}

async function keepPicture(pixels) {
  const frame = latest?.values?.at;
  const name = `macroscope-${lab}${frame ? `-${frame}` : ""}.png`;
  try {
    give(name, await encode(pixels));
  } catch (error) {
    complain(error.message);
  }
}

// painted resolves after the next paint, so later work does not delay the paint. A hidden tab
// is not painted; there it resolves at once.
function painted() {
  return new Promise((resolve) => {
    if (document.hidden) resolve();
    document.addEventListener("visibilitychange", resolve, { once: true });
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

async function start() {
  labs.show(labOf(link.fragment()));
  createReach(byId("stage"));
  createTheme(byId("theme"), (theme) => stage.theme(theme));

  if (root.dataset.from) return; // early.js has said why the lab does not start
  const why = whyNoSession();
  if (why) {
    loading.block(why);
    return;
  }
  await painted();
  const program = programOf(labOf(link.fragment()));
  loading.begin([pictureProgram, program]);
  // The picture takes longer to start than the worker, so the picture's program downloads
  // first.
  const picture = get(pictureProgram);
  stage.start(picture);
  const [saves] = await Promise.all([readSaves().catch(() => new Map()), picture.catch(() => {})]);
  // The network is idle while the worker starts, so the model downloads meanwhile.
  const model = firstModel(link.fragment(), saves);
  ahead.lab = labOf(link.fragment());
  let first = null;
  const module = await get(program, () => {
    if (model) first = { name: model, bytes: fetchFile(model, (...late) => notices.late(model, ...late), ahead.signal).catch(() => null) }; // the worker then reports the failure
  });
  session = createSession(program, module, {
    load,
    moving,
    ready: (deaths, moved) => workerReady(deaths, moved, saves),
    state: showState,
    notice: showNotice,
    panel: showPanel,
    late: notices.late,
    file: give,
    saved: keep,
    lost: complain,
    over: (text) => {
      ended = true;
      panel.enable(false);
      if (loading.live()) complain(text);
      else loading.block(text);
    },
  }, first);
}

// firstModel returns the model that a worker will request, or "" if it is unknown: a save
// contains its own models, and a link may need another model.
function firstModel(fragment, saves) {
  const models = new Map(Object.entries(JSON.parse(byId("loading-bar").dataset.models)));
  return saves.has(labOf(fragment)) || /(^|&)(method|params)=/.test(fragment) ? "" : models.get(labOf(fragment)) ?? "";
}

function openHelp() {
  if (!byId("help-dialog").open) byId("help-dialog").showModal();
}

// change undoes the visitor's last change, or brings back the one that was undone last.
function change(forth) {
  ask({ kind: "press", name: forth ? "forth" : "back" });
}

// pressIn presses the button that a link in the headline or in the warning names. These may change between the
// press and the release of a pointer, so the press counts.
function pressIn({ type, target, button, detail }) {
  const name = target.closest("[data-press]")?.dataset.press;
  if (name && (type === "click" ? detail === 0 : button === 0)) send({ kind: "press", name });
}
for (const id of ["summary", "warning"]) {
  for (const type of ["pointerdown", "click"]) byId(id).addEventListener(type, pressIn);
}
const lectures = createLecture(byId("ask"), { state: () => latest, controls: panel.listed });
const guide = (page) => () => open(`guide/${page}.html`, "_blank", "noopener");
byId("teach").addEventListener("click", () => dialog.open({
  title: "Teach",
  buttons: [
    { label: "The paper’s story, step by step", primary: true, act: tour.tell },
    { label: "A set or a list? Shuffle", act: () => send({ kind: "press", name: "shuffle" }) },
    { label: "A link for a lecture…", act: lectures.open },
    { label: "Two lessons", act: guide("lesson") },
    { label: "Worksheet", act: guide("worksheet") },
    { label: "Slides", act: guide("slides") },
  ],
}));

listTips(byId("help-top"), document.querySelectorAll(".top-buttons [aria-describedby]"));
byId("help").addEventListener("click", openHelp);
byId("help-close").addEventListener("click", () => byId("help-dialog").close());
byId("help-dialog").addEventListener("click", (event) => {
  if (event.target === event.currentTarget) event.currentTarget.close(); // closes the dialog on a click beside it
});

createShare(byId("share"), {
  link,
  state: () => latest,
  ask: dialog,
  save: () => send({ kind: "save", name: "bundle" }),
  say: notices.say,
  lecture: lectures.open,
});

byId("sheet").addEventListener("click", () => {
  const open = byId("panel").classList.toggle("open");
  root.classList.toggle("sheet-open", open);
  byId("sheet").setAttribute("aria-expanded", String(open));
});

function escape() {
  if (!tips.hide() && !projector.leave() && !sweep?.leave() && !leaveSurvey() && !tour.leave()) notices.dismiss();
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) escape();
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

// An open dialog is printed alone.
addEventListener("beforeprint", () => root.classList.toggle("prints-dialog", Boolean(document.querySelector("dialog[open]"))));

globalThis.started = true; // for early.js
start().catch((error) => loading.block(error.message));
