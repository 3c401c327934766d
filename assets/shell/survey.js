// The panel “what ε and ẑ dim do”: the KL of the displayed picture as a curve over ε and over
// ẑ dim, and the error of the prediction over ẑ dim. The worker measures them while it has
// nothing else to do (model/lab/session/survey). A click or a key goes to an ε or a ẑ dim.
import { axis } from "./axis.js";
import { make, put } from "./element.js";
import { labels, plain, short } from "./format.js";
import { rich } from "./rich.js";
import { draw } from "./svg.js";

const margin = { left: 50, right: 12, top: 8, bottom: 30 };
const height = 136;
const letter = 7; // px per letter of a label
const least = 5e-4; // smallest KL on the axis; smaller ones are the noise of their measurement
const often = 40; // ms; while the pointer is dragged, a new x is sent at most once in this time

const sentences = {
  MRE: "MRE is the mean relative error of the prediction up to this frame.",
  RMSE: "RMSE is the distance of the predicted mean from this run, as a share of the training range. The run is one of many that chance allows, so it is never 0.",
};

// createPlot returns {element, show(of)}, a plot of y against x. send gets the x that the
// visitor chooses; near(x, xs) returns the allowed value nearest to x. Fields of `of`:
// name, axis (the label of the x axis), xs, ys, all (the values that the y axis must include),
// here (the present [x, y]), log (whether x is logarithmic), and unit (of y, or "").
function createPlot({ symbol, measure, near, send }) {
  const title = make("span", {});
  const value = make("span", { class: "value" });
  const back = draw("g", {});
  const line = draw("polyline", { class: "mean ink-0" });
  const stand = draw("g", { class: "stand ink-0" }, draw("line", {}), draw("circle", { r: 7 }));
  const points = draw("g", { class: "ink-0" });
  const svg = draw("svg", { role: "group" }, back, stand, line, points);
  const element = make("div", { class: "plot" }, make("p", { class: "legend" }, title, value), svg);
  let of = null;
  let x = null;
  let y = null;
  let at = 0; // the point that Tab focuses
  let sent = 0;
  let width = 0;
  let read = null; // the x under the pointer

  const words = (u, v) => `${symbol} ${short(u)}: ${measure} ${v === null ? "not measured yet" : `${short(v)}${of.unit}`}`;

  // between returns the drawn curve's y at x = u, or null if it is not measured there.
  function between(u) {
    const k = of.xs.findIndex((v) => v >= u);
    if (k < 0 || of.ys[k] === null) return null;
    if (of.xs[k] === u || k === 0 || of.ys[k - 1] === null) return of.ys[k];
    const share = (x.at(u) - x.at(of.xs[k - 1])) / (x.at(of.xs[k]) - x.at(of.xs[k - 1]));
    const [a, b] = [of.ys[k - 1], of.ys[k]];
    return a > 0 && b > 0 ? a * (b / a) ** share : a + share * (b - a);
  }

  function tell() {
    if (!of) return; // the plot has just been hidden, and this caused pointerleave or focusout
    const [u, v] = read === null ? of.here : [read, between(read)];
    put(value, v === undefined ? "" : words(u, v));
  }

  // under returns the x at a place of the pointer.
  function under(event) {
    const r = svg.getBoundingClientRect();
    const px = ((event.clientX - r.left) * width) / r.width; // a projector magnifies the panel
    const [lo, hi] = [of.xs[0], of.xs.at(-1)];
    const [a, b] = [x.at(lo), x.at(hi)];
    const share = Math.max(0, Math.min(1, (px - a) / (b - a)));
    return near(of.log ? lo * (hi / lo) ** share : lo + share * (hi - lo), of.xs);
  }

  const choose = (u) => send(plain(near(u, of.xs)));

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !of) return;
    svg.setPointerCapture(event.pointerId);
    sent = performance.now();
    choose(under(event));
  });
  svg.addEventListener("pointermove", (event) => {
    if (!of) return;
    read = under(event);
    tell();
    if (!svg.hasPointerCapture(event.pointerId) || !(event.buttons & 1) || performance.now() - sent < often) return;
    sent = performance.now();
    choose(read);
  });
  svg.addEventListener("pointerup", (event) => of && svg.hasPointerCapture(event.pointerId) && choose(under(event)));
  svg.addEventListener("pointerleave", () => {
    read = null;
    tell();
  });
  points.addEventListener("focusin", ({ target }) => {
    read = near(of.xs[[...points.children].indexOf(target)], of.xs);
    tell();
  });
  points.addEventListener("focusout", () => {
    read = null;
    tell();
  });
  points.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step) {
      at = Math.max(0, Math.min(of.xs.length - 1, at + step));
      roam();
      points.children[at].focus();
    } else if (event.key === "Enter" || event.key === " ") choose(of.xs[at]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  // roam lets Tab reach only one of the points.
  function roam() {
    for (const [k, mark] of [...points.children].entries()) mark.setAttribute("tabindex", k === at ? "0" : "-1");
  }

  // marks makes as many points as there are values. Points that stay keep the focus.
  function marks() {
    const n = of.xs.length;
    if (points.children.length === n) return;
    points.replaceChildren(...of.xs.map(() => draw("g", { class: "point", role: "button" }, draw("circle", { r: 9, class: "reach" }), draw("circle", { r: 3 }))));
  }

  function drawBack(width) {
    back.replaceChildren();
    const ticks = of.log ? x.ticks : of.xs;
    const [nameX, nameY] = [labels(ticks), labels(y.ticks)];
    for (const v of y.ticks) {
      back.append(draw("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y.at(v), y2: y.at(v) }), draw("text", { x: margin.left - 6, y: y.at(v) + 4, "text-anchor": "end" }, nameY(v)));
    }
    let taken = -Infinity;
    for (const v of ticks) {
      const half = (letter * nameX(v).length) / 2;
      back.append(draw("line", { class: "grid", x1: x.at(v), x2: x.at(v), y1: margin.top, y2: height - margin.bottom }));
      if (x.at(v) - half < taken + letter) continue;
      back.append(draw("text", { x: x.at(v), y: height - margin.bottom + 15, "text-anchor": "middle" }, nameX(v)));
      taken = x.at(v) + half;
    }
    back.append(draw("text", { x: width - margin.right, y: height - 3, "text-anchor": "end" }, of.axis));
  }

  return {
    element,
    show(next) {
      of = next;
      element.hidden = of === null;
      if (!of) return;
      width = Math.max(130, element.clientWidth);
      x = axis(of.xs, margin.left, width - margin.right, of.log);
      y = axis(of.all, height - margin.bottom, margin.top, true);
      for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height, "aria-label": of.name })) svg.setAttribute(name, value);
      title.replaceChildren(...rich(of.name));
      drawBack(width);
      const measured = of.xs.map((u, k) => [u, of.ys[k]]).filter(([, v]) => v !== null);
      line.setAttribute("points", measured.map(([u, v]) => `${x.at(u)},${y.at(v)}`).join(" "));
      marks();
      const nearest = of.xs.reduce((best, u, k) => (Math.abs(x.at(u) - x.at(of.here[0])) < Math.abs(x.at(of.xs[best]) - x.at(of.here[0])) ? k : best), 0);
      if (!points.contains(document.activeElement)) at = nearest;
      for (const [k, mark] of [...points.children].entries()) {
        const [u, v] = [of.xs[k], of.ys[k]];
        mark.toggleAttribute("hidden", v === null);
        mark.style.display = v === null ? "none" : "";
        if (v !== null) mark.setAttribute("transform", `translate(${x.at(u)} ${y.at(v)})`);
        mark.setAttribute("aria-label", `${words(u, v)}. Goes there.`);
        const here = u === of.here[0];
        if (here) mark.setAttribute("aria-current", "true");
        else mark.removeAttribute("aria-current");
      }
      roam();
      const [hx, hy] = [x.at(of.here[0]), of.here[1]];
      stand.firstChild.setAttribute("x1", hx);
      stand.firstChild.setAttribute("x2", hx);
      stand.firstChild.setAttribute("y1", margin.top);
      stand.firstChild.setAttribute("y2", height - margin.bottom);
      stand.lastChild.style.display = hy === null ? "none" : "";
      if (hy !== null) {
        stand.lastChild.setAttribute("cx", hx);
        stand.lastChild.setAttribute("cy", y.at(hy));
      }
      tell();
    },
  };
}

// round rounds an ε to two digits and limits it to the range of the curve.
const round = (eps, xs) => Math.max(xs[0], Math.min(xs.at(-1), Number(eps.toPrecision(2))));

// nearest returns the one of the model's ẑ dims that is nearest to a number.
const nearest = (zdim, xs) => xs.reduce((best, n) => (Math.abs(n - zdim) < Math.abs(best - zdim) ? n : best));

// createSurvey shows the panel in box. send(command) sends a wire.Command.
export function createSurvey(box, { send }) {
  const set = (name) => (value) => send({ kind: "set", name, value });
  let text = "";
  let now = null;
  let error = null; // the plot of the prediction's error, and the measure for which it was made
  let measure = "";
  const overEps = createPlot({ symbol: "ε", measure: "KL", near: round, send: set("eps") });
  const overDim = createPlot({ symbol: "ẑ dim", measure: "KL", near: nearest, send: set("zdim") });
  const note = make("span", { class: "note" });
  const plots = make("div", { class: "plots" }, overEps.element, overDim.element);
  const about = make("p", { class: "source" });
  const away = make("button", { type: "button", class: "quiet square", "aria-label": "Close the panel on ε and ẑ dim" }, "×");
  away.addEventListener("click", () => set("survey")("off"));
  box.replaceChildren(make("header", {}, make("h2", {}, ...rich("Error against ε and ẑ")), note, away), plots, about);
  new ResizeObserver(() => now && redraw()).observe(plots);

  function redraw() {
    const { eps, kl, zdim, at, here } = now;
    if (!eps) {
      plots.hidden = true;
      about.replaceChildren(...rich(now.why ?? "The model is on its way."));
      return;
    }
    plots.hidden = false;
    const all = [...kl, ...at].filter((v) => v !== null).map((v) => Math.max(v, least));
    if (all.length === 0) all.push(0.1, 1); // an empty axis
    overEps.show({ name: `KL against ε, ẑ dim ${here[1]}`, axis: "kernel width ε", xs: eps, ys: kl, all, here: [here[0], here[2]], log: true, unit: " nats" });
    overDim.show({ name: `KL against ẑ dim, ε = ${short(here[0])}`, axis: "numbers in ẑ", xs: zdim, ys: at, all, here: [here[1], here[2]], log: false, unit: " nats" });
    const ahead = now.error?.some((v) => v !== null) ? now.error : null;
    if (now.measure && measure !== now.measure) {
      error?.element.remove();
      measure = now.measure;
      error = createPlot({ symbol: "ẑ dim", measure, near: nearest, send: set("zdim") });
      plots.append(error.element);
    }
    error?.show(ahead && now.measure === measure ? { name: `${measure} of the prediction`, axis: "numbers in ẑ", xs: zdim, ys: ahead, all: ahead.filter((v) => v !== null), here: [here[1], ahead[zdim.indexOf(here[1])]], log: false, unit: "" } : null);
    const predicted = !now.measure ? "" : `${sentences[measure]}${ahead ? "" : " There is none at the first frame: press Play."} It does not depend on ε, which only the densities see.`;
    about.replaceChildren(...rich(`KL is how far the [learned density|learned] is from the [target|target]; 0 is perfect. A small ε asks for more detail, and more numbers in ẑ can hold more of it. The ring is where you stand; click or drag to go elsewhere. ${predicted}`));
  }

  return {
    // show is called with every state.
    show(next = "") {
      if (next === text) return;
      text = next;
      now = text ? JSON.parse(text) : null;
      box.hidden = !now;
      if (!now) return;
      note.replaceChildren(...rich(`measured here, with the model on show, for ${now.of}`));
      redraw();
    },
  };
}
