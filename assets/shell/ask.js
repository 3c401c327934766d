// A modal question. The lab waits for the answer.
import { make } from "./element.js";
import { rich } from "./rich.js";
import { draw } from "./svg.js";

// createAsk returns open(question, cancel) and close(). question is {title, text, facts, points,
// dots, buttons}: facts lists {term, text}, points lists sentences, dots lists x, y and species of
// particles, and buttons lists {label, primary, act}. open calls cancel if the dialog closes without
// an answer.
export function createAsk(dialog) {
  let cancelled = null;

  const term = ({ term, text }) => make("div", {}, make("dt", {}, ...rich(term)), make("dd", {}, ...rich(text)));

  // picture draws particles at equal scales in x and y.
  function picture(dots) {
    const at = Array.from({ length: dots.length / 3 }, (_, i) => ({ x: dots[3 * i], y: -dots[3 * i + 1], species: dots[3 * i + 2] }));
    const [left, top] = ["x", "y"].map((d) => Math.min(...at.map((p) => p[d])));
    const [right, bottom] = ["x", "y"].map((d) => Math.max(...at.map((p) => p[d])));
    const size = Math.max(right - left, bottom - top) || 1;
    const wide = Math.max(right - left, size / 4) / size, high = Math.max(bottom - top, size / 8) / size;
    const place = (v, low, room) => 4 + 200 * ((v - low) / size) + room;
    return draw("svg", { viewBox: `0 0 ${8 + 200 * wide} ${8 + 200 * high}`, role: "img", "aria-label": "The particles of the first frame" },
      ...at.map(({ x, y, species }) => draw("circle", { class: species > 1 ? "second" : "first", cx: place(x, left, 100 * (wide - (right - left) / size)), cy: place(y, top, 100 * (high - (bottom - top) / size)), r: 1.6 })));
  }

  function button({ label, primary, act }) {
    const made = make("button", { type: "button", class: primary ? "primary" : undefined }, label);
    made.addEventListener("click", () => {
      close();
      act();
    });
    return made;
  }

  const close = () => dialog.close();

  // When Escape is pressed, the browser closes the dialog and sends this event.
  dialog.addEventListener("cancel", () => cancelled?.());

  return {
    open({ title, text, facts, points, dots, buttons }, cancel) {
      dialog.replaceChildren(...[
        make("h2", { id: "ask-title" }, title),
        text && make("p", {}, ...rich(text)),
        dots?.length > 0 && make("figure", { class: "frame" }, picture(dots), make("figcaption", {}, "The first frame")),
        facts?.length > 0 && make("dl", { class: "symbols names" }, ...facts.map(term)),
        points?.length > 0 && make("ul", { class: "points" }, ...points.map((point) => make("li", {}, ...rich(point)))),
        make("div", { class: buttons.length > 3 ? "answers menu" : "answers" }, ...buttons.map(button), button({ label: "Cancel", act: () => cancel?.() })),
      ].filter(Boolean));
      cancelled = cancel;
      if (!dialog.open) dialog.showModal();
      dialog.querySelector(".answers button").focus();
    },
    close,
  };
}

// createQuestions returns a function that shows a lab's question (a wire.Ask) in the dialog of
// createAsk, or closes the dialog when there is no question. answer("accept") and
// answer("cancel") send the visitor's answer to the lab. elsewhere(lab) opens the file that the
// question is about in another lab.
export function createQuestions(ask, { answer, elsewhere }) {
  let shown = "";
  return (question) => {
    const now = question?.title ? JSON.stringify(question) : "";
    if (now === shown) return;
    const before = shown;
    shown = now;
    if (!now) {
      if (before) ask.close();
      return;
    }
    const { title, text, facts, points, dots, accept, lab } = question;
    const act = () => {
      answer(lab ? "cancel" : "accept");
      if (lab) elsewhere(lab);
    };
    ask.open({ title, text, facts, points, dots, buttons: accept ? [{ label: accept, primary: true, act }] : [] }, () => answer("cancel"));
  };
}
