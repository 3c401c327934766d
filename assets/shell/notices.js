// Notices of one sentence each. Screen readers read them out, and visitors can dismiss them.

import { put } from "./element.js";
import { typeset } from "./format.js";

const reading = 7000; // ms after which news without an action disappears
const deciding = 15_000; // ms after which news with an action disappears, if `passes` is true

// createNotices shows notices in box, which contains three regions: alerts, news, and a file that
// is late. At most one error, one piece of news and one late file are visible at a time, and with
// them the notices that stay. say shows an error or a piece of news, and returns a function that
// removes it:
//   text    the sentence
//   error   whether it is an error; otherwise it is news
//   action  the label of a button; without it there is no button
//   act     is called when the button is pressed
//   choices the buttons, instead of action and act, if there are several: {label, act, keeps}; the
//           notice stays after the press of a button that keeps it
//   field   the input that an error is about; it refers to the sentence while the notice is there
//   closed  is called if the visitor closes the notice without pressing a button
//   stays   whether later news leave the notice, because its cause lasts; the visitor can close it
//   passes  whether news disappears after a while; by default only news without a button does
export function createNotices(box) {
  const [alerts, news, delays] = box.children;

  let count = 0; // number of notices so far

  // point makes a field refer to a sentence, beside its description, and returns the inverse.
  function point(field, sentence) {
    const described = field.getAttribute("aria-describedby");
    sentence.id = `notice-${++count}`;
    field.setAttribute("aria-describedby", [described, sentence.id].filter(Boolean).join(" "));
    field.setAttribute("aria-invalid", "true");
    return () => {
      if (described) field.setAttribute("aria-describedby", described);
      else field.removeAttribute("aria-describedby");
      field.removeAttribute("aria-invalid");
    };
  }

  function dismiss(item) {
    clearTimeout(item.timer);
    item.leaveField?.();
    item.remove();
  }

  function stay(item, time) {
    clearTimeout(item.timer);
    item.timer = setTimeout(() => {
      if (item.matches(":hover, :focus-within")) stay(item, time);
      else dismiss(item);
    }, time);
  }

  // latest returns the notice in a region that the next one replaces.
  const latest = (region) => [...region.children].find((item) => !item.stays);

  function say({ text, error = false, action, act, choices = action ? [{ label: action, act }] : [], stays = false, passes = choices.length === 0 && !stays, closed, field }) {
    const region = error ? alerts : news;
    const before = stays ? null : latest(region);
    if (before) dismiss(before);
    const item = add(region, { text, error, choices, closed });
    item.stays = stays;
    if (field) item.leaveField = point(field, item.firstChild);
    item.passes = !error && passes;
    if (item.passes) stay(item, choices.length > 0 ? deciding : reading);
    return () => dismiss(item);
  }

  // add adds a notice to a region, and returns its element.
  function add(region, { text, error = false, choices, closed }) {
    const item = document.createElement("div");
    item.className = error ? "notice error" : "notice";
    const sentence = document.createElement("p");
    sentence.textContent = typeset(text);
    item.append(sentence);
    for (const { label, act, keeps } of choices) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.addEventListener("click", () => {
        if (!keeps) dismiss(item);
        act();
      });
      item.append(button);
    }
    const close = document.createElement("button");
    close.type = "button";
    close.className = "quiet square";
    close.setAttribute("aria-label", "Dismiss");
    close.textContent = "×";
    close.addEventListener("click", () => {
      dismiss(item);
      closed?.();
    });
    item.append(close);
    region.append(item);
    return item;
  }

  let muted = ""; // the late file whose notice the visitor has closed

  return {
    say,
    // late says how many bytes of a file have arrived that takes long; again() fetches the file
    // anew. If loaded is null, the file is no longer late.
    late(name, loaded, again) {
      const item = delays.firstChild;
      if (loaded === null) {
        muted = "";
        if (item) dismiss(item);
        return;
      }
      if (name === muted) return;
      const text = `Still fetching ${name}: ${(loaded / 1e6).toFixed(1)} MB so far.`;
      if (item?.file === name) {
        item.again = again;
        put(item.firstChild, typeset(text)); // keeps the focus on the button
        return;
      }
      if (item) dismiss(item);
      const added = add(delays, { text, choices: [{ label: "Try again", act: () => added.again() }], closed: () => (muted = name) });
      [added.file, added.again] = [name, again];
    },
    // dismissError removes the error, for example when the visitor continues.
    dismissError() {
      const item = latest(alerts);
      if (item) dismiss(item);
    },
    // dismissNews removes news that would disappear anyway, for example when it is about
    // another lab.
    dismissNews() {
      const item = latest(news);
      if (item?.passes) dismiss(item);
    },
    // dismiss removes one notice, news first.
    dismiss() {
      const first = latest(news) ?? latest(alerts) ?? news.firstChild;
      if (first) dismiss(first);
    },
  };
}
