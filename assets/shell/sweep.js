// A lab's sweep: final errors of trainings as a function of ε or the number of closure
// variables, with a band over the seeds and the paper's figures. A click on a point sets
// the page's controls. The points of the visitor's own sweep are added as they are measured;
// a click on one of them shows its model. The files are written by macroscope sweep
// (model/learn/sweep, File).
import { axis } from "./axis.js";
import { make } from "./element.js";
import { labels, plain, short } from "./format.js";
import { rich } from "./rich.js";
import { draw } from "./svg.js";

// controls maps fields of a configuration to the ids of the page's controls.
const controls = { eps: "eps", "encoder.zdim": "zdim" };

const inks = 5; // number of curve colours
const margin = { left: 62, right: 16, top: 10, bottom: 38 };
const height = 230;
const letter = 7; // px per letter of a label

// testsInWords explains the paper's tests.
const testsInWords = "Tests: in-dst starts like the training runs, diff-init starts differently, diff-N has another number of particles.";

const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);

// prepared sets `varies` in every field of a file: whether the field has several values.
function prepared(file) {
  for (const field of file.fields) field.varies = distinct(file.points.map((p) => p.at[field.name])).length > 1;
  return file;
}

// curvesOf groups points into curves. The points of one curve differ only in the field named by
// `over`. If there are several curves, it omits curves of one point, unless `all` is true.
function curvesOf(points, fields, over, all = false) {
  const others = fields.filter(({ name }) => name !== over);
  const curves = new Map();
  for (const point of points) {
    const name = others.filter((f) => f.varies).map((f) => `${f.label} = ${short(point.at[f.name])}`).join(", ");
    if (!curves.has(name)) curves.set(name, []);
    curves.get(name).push(point);
  }
  return [...curves]
    .map(([name, of]) => ({ name, points: of.sort((a, b) => a.at[over] - b.at[over]) }))
    .filter((curve) => all || curve.points.length > 1 || curves.size === 1);
}

// createSweep shows sweeps in box. context has send(command), state() (wire.State) and
// complain(text).
export function createSweep(box, { send, state, complain }) {
  let sweep = null; // the file of the visible sweep
  let own = null; // the visitor's own sweep, or null
  let ownText = "";
  let method = "";
  let over = ""; // the field on the horizontal axis
  let set = "";
  let title = "";
  let opener = null;
  let marks = []; // the points with their elements
  let plot = null;
  let opening = null; // identifies the last call of open; null once the sweep is closed
  const resized = new ResizeObserver(() => plot && redraw());

  function choose(point) {
    if (point.index !== undefined) {
      send({ kind: "set", name: "sweeppoint", value: String(point.index) });
      return;
    }
    if (state()?.values?.method !== method) send({ kind: "set", name: "method", value: method });
    for (const [field, id] of Object.entries(controls)) {
      if (point.at[field] !== undefined) send({ kind: "set", name: id, value: plain(point.at[field]) });
    }
  }

  // curves returns the curves of the chosen set over a field. Each curve has two lists: `all` has
  // all of its points, and `points` the measured ones.
  function curves(field) {
    const of = (file, all) => (file ? curvesOf(file.points.filter((p) => (p.set ?? "") === set && p.at[field] !== undefined), file.fields, field, all) : []);
    return [...of(sweep), ...of(own, true).map((curve) => ({ ...curve, name: ["yours", curve.name].filter(Boolean).join(", "), own: true }))]
      .map((curve) => ({ ...curve, all: curve.points, points: curve.points.filter((p) => p.values.length > 0) }));
  }

  // fields returns the fields that can be the horizontal axis.
  const fields = () => [...new Map([...sweep.fields, ...(own?.fields ?? [])].filter((f) => f.varies).map((f) => [f.name, f])).values()];

  function button(point, x, y, ink) {
    const { values, at, published, index } = point;
    const yours = index !== undefined;
    const where = (yours ? own : sweep).fields.map(({ name, label }) => `${label} ${short(at[name])}`).join(", ");
    const spread = values.length > 1 ? `, from ${short(Math.min(...values))} to ${short(Math.max(...values))} over ${values.length} trainings` : ", of one training";
    const words = `${yours ? "Yours, " : ""}${where}: ${short(mean(values))}${spread}${published ? `; published ${short(published)}` : ""}. ${yours ? "Shows this model." : "Sets ε and ẑ dim."}`;
    const mark = draw("g", { class: `point ink-${ink}${yours ? " own" : ""}`, role: "button", tabindex: "0", "aria-label": words }, draw("circle", { cx: x, cy: y, r: 14, class: "reach" }), draw("circle", { cx: x, cy: y, r: 4.5 }), draw("title", {}, words));
    mark.addEventListener("click", () => choose(point));
    mark.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(point);
    });
    marks.push({ point, mark });
    return mark;
  }

  function redraw() {
    const width = Math.max(280, plot.clientWidth);
    const field = fields().find(({ name }) => name === over) ?? sweep.fields[0];
    const drawn = curves(over);
    const shown = drawn.flatMap(({ all }) => all); // includes points that only the paper has
    const values = distinct(shown.map((p) => p.at[over]));
    const x = axis(values, margin.left, width - margin.right, values[0] > 0 && values.at(-1) > 9 * values[0]);
    const y = axis(shown.flatMap((p) => [...p.values, ...(p.published ? [p.published] : [])]), height - margin.bottom, margin.top, true);
    marks = [];
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": `${sweep.measure}, against ${field.label}` });
    const [nameX, nameY] = [labels(values), labels(y.ticks)];
    for (const v of y.ticks) {
      svg.append(draw("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y.at(v), y2: y.at(v) }), draw("text", { x: margin.left - 8, y: y.at(v) + 4, "text-anchor": "end" }, nameY(v)));
    }
    let taken = -Infinity;
    for (const v of values) {
      const at = x.at(v);
      svg.append(draw("line", { class: "grid", x1: at, x2: at, y1: margin.top, y2: height - margin.bottom }));
      const half = (letter * nameX(v).length) / 2;
      if (at - half > taken + letter) {
        svg.append(draw("text", { x: at, y: height - margin.bottom + 16, "text-anchor": "middle" }, nameX(v)));
        taken = at + half;
      }
    }
    svg.append(draw("text", { x: width - margin.right, y: height - 6, "text-anchor": "end" }, field.label));
    const lines = drawn.map(({ points: of, own: yours }, k) => {
      const ink = yours ? "own" : k % inks;
      const path = (get) => of.map((p) => `${x.at(p.at[over])},${y.at(get(p.values))}`);
      const band = [...path((v) => Math.max(...v)), ...path((v) => Math.min(...v)).reverse()];
      svg.append(draw("polygon", { class: `band ink-${ink}`, points: band.join(" ") }), draw("polyline", { class: `mean ink-${ink} dash-${ink}`, points: path(mean).join(" ") }));
      return { ink, of };
    });
    for (const p of shown.filter((one) => one.published)) {
      const [px, py] = [x.at(p.at[over]), y.at(p.published)];
      svg.append(draw("rect", { class: "published", x: px - 4.5, y: py - 4.5, width: 9, height: 9 }, draw("title", {}, `published ${short(p.published)}`)));
    }
    for (const { ink, of } of lines) svg.append(...of.map((p) => button(p, x.at(p.at[over]), y.at(mean(p.values)), ink)));
    const legend = make("p", { class: "legend" }, ...drawn.filter(({ name }) => name).map(({ name, own: yours }, k) => make("span", { class: `key ink-${yours ? "own" : k % inks}` }, ...rich(name))),
      ...(shown.some((p) => p.published) ? [make("span", { class: "key published" }, "published")] : []));
    plot.replaceChildren(legend, svg); // on a phone, what is below the plot may be out of view
    mark();
  }

  // mark highlights the point of the present settings.
  function mark() {
    const values = state()?.values ?? {};
    for (const { point, mark: element } of marks) {
      const of = point.index === undefined ? values.method === method : state()?.swept;
      const here = of && Object.entries(controls).every(([field, id]) => point.at[field] === undefined || Number(values[id]) === point.at[field]);
      element.classList.toggle("here", here);
      if (here) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    }
  }

  function show() {
    const heading = make("h2", { id: "sweep-title", tabindex: "-1" }, ...rich(title));
    const away = make("button", { type: "button", class: "quiet square", "aria-label": "Close the sweep" }, "×");
    away.addEventListener("click", close);
    const pick = (id, label, options, chosen, take) => {
      const row = make("div", { id, class: "segment", role: "radiogroup", "aria-labelledby": `${id}-name` }, ...options.map(({ value, label: words }) =>
        make("label", {}, make("input", { type: "radio", id: `${id}-${value}`, name: id, value, checked: value === chosen }), make("span", {}, ...rich(words)))));
      row.addEventListener("change", ({ target }) => { take(target.value); redraw(); });
      return make("div", { class: "choice" }, make("span", { id: `${id}-name` }, ...rich(label)), row);
    };
    const swept = fields();
    const sets = [...new Set(sweep.points.map((p) => p.set ?? ""))];
    const choices = [];
    if (swept.length > 1) choices.push(pick("c-sweep-over", "Against", swept.map(({ name, label }) => ({ value: name, label })), over, (value) => { over = value; }));
    if (sets.length > 1) choices.push(pick("c-sweep-test", "Test", sets.map((value) => ({ value, label: value })), set, (value) => { set = value; }));
    const seeds = Math.max(...sweep.points.map((p) => p.values.length));
    const missing = sweep.points.some((p) => p.missing) ? " Some trainings have not been run yet." : "";
    plot = make("div", { class: "plot" });
    const yours = own ? [make("p", { class: "source" }, "Hollow points are yours.")] : [];
    box.replaceChildren(
      make("header", {}, heading, make("span", { class: "note" }, ...rich(sweep.measure)), ...choices, away),
      plot,
      ...yours,
      make("p", { class: "source" }, ...rich(`Mean and range of up to ${seeds} trainings with different seeds${sweep.points.some((p) => p.published) ? "; squares are the paper’s" : ""}. Press a point to set ε and ẑ dim.${missing}${sets.length > 1 ? ` ${testsInWords}` : ""}`)),
      make("details", { class: "source" }, make("summary", {}, "The commands that make these points"), ...[sweep, own].filter(Boolean).map(({ command }) => make("p", {}, make("code", {}, command)))),
    );
    box.hidden = false;
    redraw();
    resized.observe(plot);
    return heading;
  }

  // ownSwept returns the fields that vary in the visitor's own sweep.
  const ownSwept = () => (own?.fields ?? []).filter((f) => f.varies).map(({ name }) => name);

  // take reads the present state of the visitor's sweep.
  function take(text) {
    if (text === ownText) return;
    ownText = text;
    own = text ? prepared(JSON.parse(text)) : null;
    for (const [index, point] of (own?.points ?? []).entries()) point.index = index;
    const swept = ownSwept();
    if (swept.length > 0 && !swept.includes(over)) over = swept[0];
    if (plot) show();
  }

  function close() {
    resized.disconnect();
    plot = null;
    box.hidden = true;
    box.replaceChildren();
    opener?.focus();
  }

  return {
    // open fetches a sweep and shows it, unless the visitor has closed it meanwhile.
    async open(file, words) {
      const mine = (opening = {});
      [opener, title] = [document.activeElement, words];
      let fetched;
      try {
        const response = await fetch(new URL(`../${file}`, import.meta.url));
        if (!response.ok) throw new Error(`${response.status}`);
        fetched = prepared(await response.json());
      } catch {
        complain("The sweep could not be loaded. Check the connection and try again.");
        return;
      }
      if (opening !== mine) return null; // the visitor has opened or closed something meanwhile
      sweep = fetched;
      method = sweep.experiment.replace(/^.*\/|@.*$/g, "");
      set = sweep.points[0]?.set ?? "";
      const measured = (name) => curves(name).reduce((sum, { points }) => sum + (points.length > 1 ? points.length : 0), 0);
      const swept = ownSwept();
      over = (swept.length > 0 ? swept : sweep.fields.map(({ name }) => name)).reduce((best, name) => (measured(name) > measured(best) ? name : best));
      return show();
    },
    // show is called with every state.
    show(now) {
      take(now.sweep ?? "");
      if (plot) mark();
    },
    shown: () => plot !== null,
    // leave closes the sweep and reports whether it was open.
    leave() {
      opening = null;
      if (!plot) return false;
      close();
      return true;
    },
  };
}
