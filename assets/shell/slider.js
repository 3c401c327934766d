// A slider that shows the worker's value and does not move while the visitor drags it.

const echo = 400; // ms after an input during which the worker's state may be older than the input
const still = matchMedia("(prefers-reduced-motion: reduce)");

// known returns where the values are for which a model was trained, from low to high: the ends as shares of the
// slider, and whether a value is outside.
export function known(scale, [low, high], value) {
  const share = (v) => (scale.place(v) - scale.min) / (scale.max - scale.min);
  const slack = 1e-6 * Math.abs(value); // the worker's numbers have few digits
  return { from: share(low), to: share(high), outside: value < low - slack || value > high + slack };
}

// createSlider sends values while input is dragged: the first at once, then at most one per
// animation frame. words(value) is the text for a screen reader. glide is the time in ms in
// which the thumb moves to a nearby value; without glide, the thumb jumps.
export function createSlider(input, { scale, words, glide = 0 }, send) {
  let held = false;
  let queued = false;
  let latest = null; // the last value from the worker
  let sent = null; // the last place that the visitor chose, until the worker's state confirms it
  let waiting = 0;
  let gliding = 0;

  function share() {
    const part = scale.max > scale.min ? (input.value - scale.min) / (scale.max - scale.min) : 0;
    input.style.setProperty("--share", part);
  }

  function stand(place) {
    input.value = place;
    share();
  }

  function show() {
    if (latest === null || held || queued) return;
    const place = scale.place(latest);
    if (sent !== null) {
      if (Math.abs(place - sent) > 0.05 * (scale.max - scale.min)) return;
      followed();
    }
    input.setAttribute("aria-valuetext", words(latest));
    cancelAnimationFrame(gliding);
    const from = Number(input.value);
    const near = Math.abs(place - from) < 0.1 * (scale.max - scale.min);
    if (!glide || !near || still.matches) {
      stand(place);
      return;
    }
    const began = performance.now();
    const move = (now) => {
      const part = Math.min(1, Math.max(0, (now - began) / glide));
      const next = scale.min + scale.step * Math.round((from + part * (place - from) - scale.min) / scale.step);
      if (next !== Number(input.value)) stand(next);
      if (part < 1) gliding = requestAnimationFrame(move);
    };
    gliding = requestAnimationFrame(move);
  }

  function followed() {
    clearTimeout(waiting);
    sent = null;
  }

  // tell sends the value at the thumb's place and returns the place.
  function tell() {
    const place = Number(input.value);
    const value = scale.at(place);
    input.setAttribute("aria-valuetext", words(value));
    send(value);
    return place;
  }

  input.addEventListener("input", () => {
    cancelAnimationFrame(gliding);
    share();
    clearTimeout(waiting);
    sent = Number(input.value);
    waiting = setTimeout(() => {
      sent = null;
      show();
    }, echo);
    if (queued) return; // the callback of this frame sends the latest value
    queued = true;
    const now = tell();
    requestAnimationFrame(() => {
      queued = false;
      if (Number(input.value) !== now) tell();
    });
  });
  input.addEventListener("pointerdown", () => {
    held = true;
    cancelAnimationFrame(gliding);
  });
  function release() {
    held = false;
    requestAnimationFrame(show);
  }
  for (const end of ["pointerup", "pointercancel", "lostpointercapture", "change", "blur"]) input.addEventListener(end, release);
  // The release of a pointer may be lost, for example to another window.
  input.addEventListener("pointermove", ({ buttons }) => held && !(buttons & 1) && release());

  return {
    show(value) {
      latest = value;
      show();
    },
    // mark shows where a range of values is on the track, and whether the value is outside.
    mark(range, value) {
      const { from, to, outside } = range ? known(scale, range, value) : {};
      input.classList.toggle("knows", Boolean(range));
      input.classList.toggle("outside", Boolean(outside));
      if (!range) return;
      input.style.setProperty("--from", from);
      input.style.setProperty("--to", to);
    },
    setScale(next) {
      scale = next;
      [input.min, input.max, input.step] = [scale.min, scale.max, scale.step];
      share();
    },
  };
}
