// A modal question. The lab waits for the answer.
import { make } from "./element.js";
import { rich } from "./rich.js";

// createAsk returns open(question, cancel) and close(). question is {title, text, facts, points,
// buttons}: facts lists {term, text}, points lists sentences, and buttons lists {label, primary,
// act}. open calls cancel if the dialog closes without an answer.
export function createAsk(dialog) {
  let cancelled = null;

  const term = ({ term, text }) => make("div", {}, make("dt", {}, ...rich(term)), make("dd", {}, ...rich(text)));

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
    open({ title, text, facts, points, buttons }, cancel) {
      dialog.replaceChildren(...[
        make("h2", { id: "ask-title" }, title),
        text && make("p", {}, ...rich(text)),
        facts?.length > 0 && make("dl", { class: "symbols names" }, ...facts.map(term)),
        points?.length > 0 && make("ul", { class: "points" }, ...points.map((point) => make("li", {}, ...rich(point)))),
        make("div", { class: "answers" }, ...buttons.map(button), button({ label: "Cancel", act: () => cancel?.() })),
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
    const { title, text, facts, points, accept, lab } = question;
    const act = () => {
      answer(lab ? "cancel" : "accept");
      if (lab) elsewhere(lab);
    };
    ask.open({ title, text, facts, points, buttons: accept ? [{ label: accept, primary: true, act }] : [] }, () => answer("cancel"));
  };
}
