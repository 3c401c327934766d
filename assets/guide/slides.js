// Shows one slide at a time, with its lab. Arrow keys, Page Up and Page Down, Home, End and the
// space bar change the slide; a presenter's remote control sends such keys. While the lab has the
// focus, it reads the keys itself; the buttons work always. The address names the slide:
// slides.html#3.
"use strict";

const slides = [...document.querySelectorAll("section")];
const [back, on, at] = ["back", "on", "at"].map((id) => document.getElementById(id));
let now = -1;

// show shows slide k, counted from 0. Only this slide has a lab, so that only one lab computes.
function show(k) {
  k = Math.max(0, Math.min(slides.length - 1, k));
  if (k === now) return;
  if (now >= 0) {
    slides[now].classList.remove("now");
    slides[now].querySelector("iframe")?.remove();
  }
  now = k;
  const slide = slides[now];
  const lab = document.createElement("iframe");
  lab.title = `Lab: ${slide.firstElementChild.textContent}`;
  lab.src = `../index.html?${slide.dataset.lab}`;
  slide.append(lab);
  slide.classList.add("now");
  at.textContent = `${now + 1} of ${slides.length}`;
  back.disabled = now === 0;
  on.disabled = now === slides.length - 1;
  history.replaceState(null, "", `#${now + 1}`);
}

const keys = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity };
document.addEventListener("keydown", (event) => {
  if (!(event.key in keys) || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("button") && event.key === " ") return;
  event.preventDefault();
  show(now + keys[event.key]);
});
back.addEventListener("click", () => show(now - 1));
on.addEventListener("click", () => show(now + 1));
addEventListener("hashchange", () => show(asked()));
const asked = () => (Number.parseInt(location.hash.slice(1), 10) || 1) - 1;
show(asked());
