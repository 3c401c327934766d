// A guided tour of a lab. Its short pages ask a question and then operate the lab.
// tours/LAB.json contains the pages of a lab's tour; tours/story.json presents the paper's
// method in one lab. Fields of a page:
//
//   id       names the page in the stored answers
//   title, text   heading and paragraphs, with the marks of rich.js
//   start    commands that run whenever the page opens
//   light    ids of controls, groups and figures to highlight
//   picture  highlighted parts of the picture; the rest is dimmed: set, target, code,
//            learned, dynamics, prediction, and for a shuffle orders and ordered
//   ask      {question, answers, right, reveal, then}: `right` is the index of the correct
//            answer, `reveal` explains it, and `then` lists commands that show it; each page
//            shuffles its answers in its own order
//
// A command is {"link": FRAGMENT}, {"set": ID, "value": TEXT}, {"press": ID} or {"play": true
// or false}.
import { make } from "./element.js";
import { firstLab } from "./labs.js";
import { createReach } from "./reach.js";
import { rich } from "./rich.js";
import { shuffled } from "./shuffled.js";

const memory = "macroscope.tours"; // key of the stored {LAB: {page, answers: {ID: index}}}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(memory)) ?? {};
  } catch {
    return {};
  }
}

function remember(kept) {
  try {
    localStorage.setItem(memory, JSON.stringify(kept));
  } catch {
    // Without storage, the tour starts from its first page after a reload.
  }
}

// The story, tours/story.json, runs in one lab only.
const story = "story";
const storyLab = "particles";

// createTour shows the tours in box. The button begins and ends a tour. context:
//   lab()      the visible lab
//   state()    the lab's last state (wire.State)
//   send(command)
//   picture(part)  highlights a part of the picture, or no part if it is ""
//   say(notice), complain(text)
//   begins()   is called when a tour begins
//   settled()  dismisses the notices
export function createTour(box, button, { lab, state, send, picture, say, complain, settled, begins }) {
  let of = ""; // name of the open tour; "" if none
  let pages = [];
  let at = 0;
  let before = ""; // the lab's fragment before the tour
  let ended = ""; // `before` of a tour that has ended, while that tour's last link is pending; otherwise ""
  let arrived = null; // (state) => whether the last link has arrived; null: none is pending
  let waiting = []; // commands to run after a link has arrived
  let lit = [];
  let unfolded = []; // groups that the tour has unfolded to highlight their controls
  let back = null; // the Back button
  let next = null; // the button that goes on, or ends the tour

  const kept = (name) => remembered()[name] ?? { page: 0, answers: {} };

  function keep(change) {
    const all = remembered();
    all[of] = { ...kept(of), ...change };
    remember(all);
  }

  function command({ link, set, value, press, play }) {
    if (link !== undefined) send({ kind: "link", value: link });
    else if (set !== undefined) send({ kind: "set", name: set, value });
    else if (press !== undefined) send({ kind: "press", name: press });
    else if (document.getElementById("c-play")) send({ kind: "set", name: "play", value: play ? "on" : "off" });
    // In a lab without playback, play starts the training.
    else if ((state()?.tasks?.train === "running") !== play) send({ kind: "press", name: "train" });
  }

  function run(commands) {
    const last = commands.findLastIndex(({ link }) => link !== undefined);
    if (last >= 0) {
      waiting = [];
      for (const one of commands.slice(0, last + 1)) command(one);
      // A link to a frame has arrived once the lab stops playing, because the lab simulates up
      // to this frame first.
      const stands = commands[last].link.includes("&frame=");
      arrived = (now) => !(stands && now.playing);
    }
    const rest = commands.slice(last + 1);
    if (arrived) waiting.push(...rest);
    else rest.forEach(command);
  }

  function light(ids) {
    for (const name of ["lit", "holds-lit"]) for (const element of document.querySelectorAll(`.${name}`)) element.classList.remove(name);
    for (const folded of unfolded) folded.open = false;
    unfolded = [];
    lit = ids.map((id) => document.getElementById(`g-${id}`) ?? document.getElementById(`c-${id}`) ?? document.getElementById(id)).filter(Boolean);
    lit = lit.map((element) => (element.matches("section, button, dl") ? element : element.closest(".control, .line, .choice, .switch, .scrub") ?? element));
    for (const element of lit) {
      element.classList.add("lit");
      for (let around = element.parentElement; around; around = around.parentElement) around.classList.add("holds-lit");
      const folded = element.closest("details:not([open])") ?? element.querySelector(":scope > details:not([open])");
      if (!folded) continue;
      folded.open = true;
      unfolded.push(folded);
    }
    for (const element of [...lit].reverse()) element.scrollIntoView({ block: "center" });
  }

  function answer(page, index) {
    keep({ answers: { ...kept(of).answers, [page.id]: index } });
    run(page.ask.then ?? []);
    show(false);
    box.querySelector(".reveal").focus();
  }

  // A page that is higher than the available space is shown in two steps: its text, then its
  // question or the explanation.
  const folded = () => box.matches(".stepped:not(.second)") && pages[at].ask;
  const opened = () => box.matches(".stepped.second");

  function fold() {
    const inner = box.querySelector(".pages");
    if (!inner) return;
    const second = box.classList.contains("second");
    box.classList.remove("stepped", "second");
    box.classList.toggle("stepped", inner.scrollHeight > inner.clientHeight + 1);
    box.classList.toggle("second", second);
    back.disabled = at === 0 && !opened();
    next.textContent = at === pages.length - 1 && !folded() ? "End" : "Next";
  }
  addEventListener("resize", fold);

  function unfold(second) {
    box.classList.toggle("second", second);
    fold();
    box.querySelector(second ? ".pages :is(.question, .reveal)" : "h2").focus({ preventScroll: true });
  }

  function question(page) {
    const { question: text, answers, right, reveal } = page.ask;
    const given = kept(of).answers[page.id];
    if (given === undefined) {
      const choices = shuffled(answers, `${of}:${page.id}`).map((index) => {
        const choice = make("button", { type: "button", "data-answer": String(index) }, ...rich(answers[index]));
        choice.addEventListener("click", () => answer(page, index));
        return choice;
      });
      const show = make("button", { type: "button", class: "quiet" }, "Show me");
      show.addEventListener("click", () => answer(page, -1));
      return [make("p", { class: "question", id: "tour-question", tabindex: "-1" }, ...rich(text)), make("div", { class: "answers", role: "group", "aria-labelledby": "tour-question" }, ...choices, show)];
    }
    const verdict = given < 0 ? "" : given === right ? "**As you said.** " : `**Not quite.** You said: “${answers[given]}”. `;
    const again = make("button", { type: "button", class: "quiet" }, "Show again");
    again.addEventListener("click", () => run([...(page.start ?? []), ...(page.ask.then ?? [])]));
    const anew = make("button", { type: "button", class: "quiet" }, "Ask again");
    anew.addEventListener("click", () => {
      const { [page.id]: _, ...others } = kept(of).answers;
      keep({ answers: others });
      show(true);
    });
    return [make("p", { class: "reveal", tabindex: "-1" }, ...rich(verdict + reveal)), make("div", { class: "again" }, ...(page.ask.then?.length > 0 ? [again] : []), anew)];
  }

  // show draws the page. If entered is true, it also runs the page's start commands.
  function show(entered) {
    const page = pages[at];
    box.classList.toggle("second", !entered);
    if (entered) run(page.start ?? []);
    const heading = make("h2", { id: "tour-title", tabindex: "-1" }, ...rich(page.title));
    const close = make("button", { type: "button", class: "quiet square", "aria-label": "End the tour" }, "×");
    close.addEventListener("click", end);
    back = make("button", { type: "button" }, "Back");
    back.addEventListener("click", () => (opened() ? unfold(false) : turn(at - 1)));
    const last = at === pages.length - 1;
    next = make("button", { type: "button", class: "primary" });
    next.addEventListener("click", () => (folded() ? unfold(true) : last ? end() : turn(at + 1)));
    box.replaceChildren(
      make("header", {}, heading, close),
      make("div", { class: "pages" }, ...page.text.map((words) => make("p", {}, ...rich(words))), ...(page.ask ? question(page) : [])),
      make("footer", {}, back, make("span", { class: "note" }, `page ${at + 1} of ${pages.length}`), next),
    );
    box.classList.toggle("asks", Boolean(box.querySelector(".question")));
    createReach(box.querySelector(".pages"));
    light(page.light ?? []);
    fold();
    picture(page.picture ?? "");
    if (entered) heading.focus({ preventScroll: true });
  }

  function turn(to) {
    at = to;
    keep({ page: at });
    show(true);
  }

  // begin opens a page of a tour in the current lab.
  async function begin(name, page) {
    const where = lab();
    try {
      const response = await fetch(new URL(`../tours/${name}.json`, import.meta.url));
      if (!response.ok) throw new Error(`${response.status}`);
      pages = await response.json();
    } catch {
      complain("The tour could not be loaded. Check the connection and try again.");
      return;
    }
    if (where !== lab()) return; // the visitor has opened another lab
    welcomed();
    settled();
    begins();
    of = name;
    before = state()?.fragment ?? "";
    box.hidden = false;
    document.documentElement.classList.add("touring");
    button.setAttribute("aria-expanded", "true");
    button.classList.remove("new");
    at = Math.max(0, Math.min(pages.length - 1, page ?? kept(of).page));
    turn(at);
  }

  // close hides the tour; the lab keeps its state.
  function close() {
    of = "";
    waiting = [];
    light([]);
    picture("");
    box.hidden = true;
    box.replaceChildren();
    document.documentElement.classList.remove("touring");
    button.setAttribute("aria-expanded", "false");
  }

  function end() {
    if (at === pages.length - 1) keep({ page: 0, answers: {} });
    close();
    button.focus();
    if (arrived) ended = before; // the offer waits, because the notice about the link would replace it
    else offer(before);
  }

  // offer lets the visitor restore the lab's earlier state, if it has changed.
  function offer(was) {
    if (!was || was === state()?.fragment) return;
    say({ text: "The tour has ended. The lab can return to its state before the tour.", action: "Return", act: () => send({ kind: "link", value: was }), passes: true });
  }

  button.addEventListener("click", () => (of ? end() : begin(lab())));

  // welcomed closes the introduction of a first visit.
  function welcomed() {
    delete document.documentElement.dataset.welcome;
    try {
      localStorage.setItem("macroscope.welcomed", "yes");
    } catch {
      // Without storage, the introduction appears again at the next visit.
    }
  }
  document.getElementById("welcome-tour").addEventListener("click", () => begin(lab()));
  document.getElementById("welcome-close").addEventListener("click", welcomed);

  // tell begins the story.
  function tell() {
    if (of) close();
    if (lab() === storyLab) begin(story);
    else {
      wanted = { name: story, lab: storyLab };
      location.hash = `lab=${storyLab}`;
    }
  }

  // The tour's button is highlighted until the visitor opens a tour.
  if (Object.keys(remembered()).length === 0) button.classList.add("new");

  // The address can request a page (?tour or ?tour=3) or the story (?tour=story).
  const asked = new URLSearchParams(location.search).get("tour");
  let wanted = asked === null || asked === story ? null : { page: asked === "" ? undefined : Number.parseInt(asked, 10) - 1 || 0 };
  if (asked === story) wanted = { name: story, lab: storyLab, leads: true };

  return {
    // show is called with every state in which no sent command is unanswered. It runs the
    // commands that wait for a link. If the address requests a tour, it begins the tour once
    // the tour's lab is active.
    show(now) {
      if (now.lab !== firstLab) welcomed();
      if (of && now.lab !== (of === story ? storyLab : of)) close();
      if (wanted?.leads && now.lab !== wanted.lab) {
        wanted.leads = false;
        location.hash = `lab=${wanted.lab}`;
      }
      if (wanted && (wanted.lab ?? now.lab) === now.lab) {
        const { name, page } = wanted;
        wanted = null;
        begin(name ?? now.lab, page);
        return;
      }
      if (!arrived?.(now)) return;
      const next = waiting;
      [arrived, waiting] = [null, []];
      for (const one of next) command(one);
      if (!of) offer(ended);
      ended = "";
    },
    tell,
    // open reports whether a tour is open or its last link is still pending.
    open: () => of !== "" || ended !== "",
    // leave ends the tour and reports whether one was open.
    leave() {
      const was = of !== "";
      if (was) end();
      return was;
    },
  };
}
