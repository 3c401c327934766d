// A setting drawn as a curve. The visitor drags its points, or moves them by the arrow keys.
// The page sends the curve as a formula, curve(r, END, y0, y1, …), as if it had been typed
// (model/system/formula). This module is fetched when a visitor opens the drawing.
import { make } from "./element.js";
import { short } from "./format.js";
import { draw } from "./svg.js";

const points = 17; // movable points
const largest = 10; // largest absolute value of a point
const fine = 0.05; // step of an arrow key; with Shift, five times larger
const often = 80; // smallest time in ms between two formulas sent while the pointer draws
const size = { width: 280, height: 170, left: 34, right: 8, top: 8, bottom: 24 };

// createCurve returns three functions. toggle(control, button) shows or closes the drawing of the
// control's setting below the button. show(state) must be called with every state. leave() closes
// the drawing.
export function createCurve({ send }) {
  let of = null; // the control with the setting that is drawn
  let button = null;
  let box = null;
  let svg = null;
  let y = []; // values of the points
  let line = []; // values of the drawn curve
  let end = 1; // end of the drawn range of r
  let high = 1; // value at the upper edge of the drawing; the lower edge is at -high
  let at = 0; // the point that Tab focuses
  let drags = null; // {index, value} at the last pointer position
  let sent = 0;
  let queued = 0;
  let marks = [];

  const px = (share) => size.left + share * (size.width - size.left - size.right);
  const py = (value) => size.top + ((high - value) / (2 * high)) * (size.height - size.top - size.bottom);
  const within = (value) => Math.max(-largest, Math.min(largest, value));

  function tell() {
    clearTimeout(queued);
    queued = 0;
    sent = performance.now();
    send({ kind: "set", name: of.value, value: `curve(r,${end},${y.map((v) => Number(v.toFixed(2))).join(",")})` });
  }

  // move sets the value of the point with the given index. If the last pointer position is given
  // (`from`), it interpolates the points between the two positions.
  function move(index, value, from) {
    const steps = from ? Math.abs(index - from.index) : 0;
    for (let k = 0; k <= steps; k++) {
      const part = steps ? k / steps : 1;
      const i = steps ? from.index + Math.sign(index - from.index) * k : index;
      y[i] = within(steps ? from.value + part * (value - from.value) : value);
    }
    line = y;
    redraw();
    const wait = sent + often - performance.now();
    if (wait <= 0) tell();
    else queued ||= setTimeout(tell, wait);
  }

  // place returns the point nearest to an event, and the value at the event.
  function place(event) {
    const r = svg.getBoundingClientRect();
    const share = ((event.clientX - r.left) / r.width * size.width - size.left) / (size.width - size.left - size.right);
    const down = (event.clientY - r.top) / r.height * size.height;
    return {
      index: Math.max(0, Math.min(points - 1, Math.round(share * (points - 1)))),
      value: high - ((down - size.top) / (size.height - size.top - size.bottom)) * 2 * high,
    };
  }

  function press(event) {
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    drags = place(event);
    choose(drags.index);
    move(drags.index, drags.value);
  }

  function drag(event) {
    if (!drags) return;
    if (!(event.buttons & 1)) return release(); // its end was lost, for example to another window
    const to = place(event);
    move(to.index, to.value, drags);
    drags = to;
  }

  function release() {
    if (!drags) return;
    drags = null;
    tell();
  }

  function choose(index) {
    marks[at].setAttribute("tabindex", "-1");
    at = index;
    marks[at].setAttribute("tabindex", "0");
    marks[at].focus({ preventScroll: true });
  }

  function key(event) {
    const step = (event.shiftKey ? 5 : 1) * fine;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: points - 1 }[event.key];
    const by = { ArrowUp: step, ArrowDown: -step, PageUp: 10 * step, PageDown: -10 * step }[event.key];
    if (to === undefined && by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (by !== undefined) move(at, y[at] + by);
    else if (to >= 0 && to < points) choose(to);
  }

  function redraw() {
    svg.querySelector(".mean").setAttribute("points", line.map((v, i) => `${px(i / (line.length - 1))},${py(Math.max(-1.1 * high, Math.min(1.1 * high, v)))}`).join(" "));
    for (const [i, mark] of marks.entries()) {
      mark.setAttribute("transform", `translate(${px(i / (points - 1))} ${py(y[i])})`);
      mark.setAttribute("aria-valuenow", y[i].toFixed(2));
      mark.setAttribute("aria-valuetext", `F(${short((end * i) / (points - 1))}) = ${y[i].toFixed(2)}`);
    }
  }

  // build draws the fixed parts of the drawing.
  function build() {
    marks = y.map((_, i) => draw("g", { class: "knot", role: "slider", tabindex: i === at ? "0" : "-1", "aria-orientation": "vertical", "aria-label": "force at a distance", "aria-valuemin": -largest, "aria-valuemax": largest },
      draw("circle", { r: 9, class: "reach" }), draw("circle", { r: 3.5 })));
    const text = (x, at, anchor, words) => draw("text", { x, y: at, "text-anchor": anchor }, words);
    const across = [0, 0.5, 1].map((share) => [draw("line", { class: "grid", x1: px(share), x2: px(share), y1: size.top, y2: size.height - size.bottom }), text(px(share), size.height - 8, share === 1 ? "end" : "middle", share === 1 ? `r = ${short(end)}` : short(share * end))]);
    const up = [high / 1.2, 0, -high / 1.2].map((v) => [draw("line", { class: "grid", x1: px(0), x2: px(1), y1: py(v), y2: py(v) }), text(size.left - 5, py(v) + 4, "end", short(Number(v.toPrecision(2))))]);
    const name = text(size.left + 6, size.top + 10, "start", "F(r)");
    svg = draw("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "group", "aria-label": "The force F(r), drawn" }, ...[...across, ...up].flat(), name, draw("polyline", { class: "mean" }), ...marks);
    svg.addEventListener("pointerdown", press);
    svg.addEventListener("pointermove", drag);
    svg.addEventListener("pointerup", release);
    svg.addEventListener("pointercancel", release);
    svg.addEventListener("lostpointercapture", release);
    svg.addEventListener("keydown", key);
    box.replaceChildren(svg, make("p", { class: "note" }, "Draw F(r), or move its points with the arrow keys. Your drawing replaces the formula. Beyond the end of the drawing, the force is constant."));
  }

  function leave() {
    clearTimeout(queued);
    box?.remove();
    button?.setAttribute("aria-expanded", "false");
    [of, box, drags, queued] = [null, null, null, 0];
  }

  return {
    toggle(control, by) {
      const was = of;
      leave();
      if (was?.id === control.id) return;
      [of, button] = [control, by];
      button.setAttribute("aria-expanded", "true");
      box = make("div", { class: "sweep curve" });
      button.parentElement.after(box);
    },
    show(state) {
      const text = state.values?.[of?.id];
      if (!box || !text || drags || queued) return;
      let values;
      [end, ...values] = text.split(" ").map(Number);
      line = values.map((v) => (Number.isFinite(v) ? v : 0));
      const every = (line.length - 1) / (points - 1);
      y = Array.from({ length: points }, (_, i) => within(line[Math.round(i * every)]));
      const top = 1.2 * Math.max(1, Math.ceil(2 * Math.max(...y.map(Math.abs))) / 2);
      if (top !== high || !svg?.isConnected) {
        const focused = svg?.contains(document.activeElement);
        high = top;
        build();
        if (focused) marks[at].focus({ preventScroll: true });
      }
      redraw();
    },
    leave,
  };
}
