// The paper's tables and figures next to ours. The files are written by macroscope reproduce
// (serve/reproduce): a CSV file per table, figures, and records.jsonl with the runs. A row
// without a run says so. This module is fetched when a visitor opens the tables.
import { make } from "./element.js";
import { typeset } from "./format.js";
import { rich } from "./rich.js";
import { testsInWords } from "./sweep.js";

const folder = "../paper/laptop/";

// tables lists the paper's tables. lab is the lab that a row opens; drawn describes the
// figures.
const tables = [
  { file: "line", title: "Points on a line (Section 4.1)", measure: "KL, nats", lab: "demo", only: "line", drawn: "Target and learned densities of one set, by ε and ẑ dim" },
  { file: "table-1", title: "Interacting particles (Section 4.2, Table 1)", measure: "MRE (mean relative error of squares) of the energy", lab: "particles", only: "table 1", drawn: "Energies of three trajectories, and of one set in three orders, simulated and predicted" },
  { file: "table-2", title: "Binary mixing (Section 4.3, Table 2)", measure: "MMD (maximum mean discrepancy) of the mixing ratios, predicted and simulated", lab: "mixing", only: "table 2", drawn: "Mixing ratios, simulated and predicted" },
  { file: "polymer", title: "Polymers that unfold (Section 4.4)", measure: "Error of the mean unfolding time, and Kolmogorov–Smirnov distance (KS) of the unfolding times. Chains of 100 beads unfold from three starts: fast, medium and slow. The paper has a figure without numbers, so errors of more than a quarter are red", lab: "polymer", only: "polymer", nearest: true, drawn: "Extension of the chains of each test against time, simulated and predicted" },
  { file: "polymer-300", title: "Polymers that unfold: the paper’s chains", measure: "The same figures for chains of 300 beads that repel one another. Of 20 starts, the three with the most frequent unfolding frames nearest the published ones", lab: "polymer", only: "polymer 300", nearest: true, drawn: "Extension of the chains of each test against time, simulated and predicted" },
  { file: "sensitivity-zdim", title: "How many closure variables are enough", measure: "MRE of the energy", lab: "particles", only: "sensitivity zdim", drawn: "MRE against ẑ dim, with the paper’s values" },
  { file: "sensitivity-eps", title: "How wide a kernel is best", measure: "MRE of the energy", lab: "particles", only: "sensitivity eps", drawn: "MRE against ε, with the paper’s values" },
];

// forms lists the number formats of quantities that are not small positive numbers.
const forms = {
  passage_share: { mean: (v) => `${v > 0 ? "+" : ""}${(100 * v).toFixed(1)}`, sd: (v) => (100 * v).toFixed(1), unit: " %", large: (v) => Math.abs(v) > 0.25 },
  ks: { mean: (v) => v.toFixed(3), sd: (v) => v.toFixed(3), unit: "" },
};
// Figures of at least 0.01 need no power of ten.
const plain = (mean) => mean >= 0.01;
const usual = { mean: (v) => (plain(v) ? v.toPrecision(3) : v.toExponential(2)), sd: (v, mean) => (plain(mean) ? String(Number(v.toPrecision(1))) : v.toExponential(0)), unit: "" };

const published = " (published)";
const tests = ["in-dst", "diff-init", "diff-N"]; // columns of the paper's tables
// sources says for each figure of polymers what the model has seen of the chain. The keys are file
// names up to the first underscore.
const sources = {
  polymer: "from labelled beads", "polymer-video": "from video", "polymer-video-150": "from video, with memory",
  "polymer-300": "from labelled beads", "polymer-video-300": "from video", "polymer-video-300-150": "from video, with memory",
};

// parseCSV parses RFC 4180 lines.
function parseCSV(text) {
  const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, cell]) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
  const [head, ...lines] = text.trim().split(/\r?\n/).map((line) => cells(`${line},`));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i] ?? ""])));
}

// stateOf returns the fragment that opens the lab with the settings of a row and a column. It
// names the shipped model of the row's method, or the lab's default model if there is none.
function stateOf(lab, row, column, { methods, shipped }) {
  const parts = [`lab=${lab}`];
  for (const text of [...row.split(", "), column]) {
    const eps = /^ε = (\S+)$/.exec(text);
    const zdim = /^ẑ dim =? ?(\d+)$/.exec(text);
    if (eps) parts.push(`eps=${Number(eps[1])}`);
    if (zdim) parts.push(`zdim=${zdim[1]}`);
  }
  const [method, form] = row.split(", ");
  const film = form === "from video";
  const known = shipped[film ? "film" : lab] ?? [];
  const shown = known.includes(methods[method]) ? methods[method] : known[0];
  if (lab === "polymer") parts.push("start=hairpin&beside=second");
  if (methods[method] && known.length > 1) parts.push(`${film ? "film" : "method"}=${shown}`);
  if (form === "OnsagerNet") parts.push("g=onsager");
  if (form === "residual OnsagerNet") parts.push("g=onsager-resnet");
  return parts.join("&");
}

const distinct = (list) => [...new Set(list)];

async function get(name) {
  const response = await fetch(new URL(folder + name, import.meta.url)).catch(() => null);
  return response?.ok ? response.text() : null;
}

// cellOf shows the published figure above ours, and our figure as a multiple of the published
// figure. alone says whether the table has no published figures. ran says whether the row has been
// computed: a missing figure of ours is then shown as "n/a", and otherwise as "not run yet". judge
// is called with the result of the comparison.
function cellOf(theirs, ours, { alone, ran, judge }) {
  const cell = make("td", {});
  const mean = Number(ours?.mean || Number.NaN);
  const known = Number(theirs || Number.NaN);
  if (theirs) cell.append(make("span", { class: "theirs" }, `paper ${typeset(theirs)}`));
  if ((ours || Number.isFinite(known)) && !Number.isFinite(mean)) cell.append(make("span", { class: "note" }, ran ? "ours n/a" : "not run yet"));
  if (!Number.isFinite(mean)) return cell;
  const form = forms[ours.figure] ?? usual;
  const sd = Number(ours.sd) > 0 ? ` ± ${typeset(form.sd(Number(ours.sd), mean))}` : "";
  cell.append(make("span", { class: form.large?.(mean) ? "ours short" : "ours" }, `${alone ? "" : "ours "}${typeset(form.mean(mean))}${sd}${form.unit}`));
  if (Number.isFinite(known)) {
    const times = mean / known;
    const digits = Math.abs(times - 1) < 0.05 ? 3 : 2; // with two digits, a figure that falls short could read 1.0 times
    const words = `${typeset(times.toPrecision(digits))} × the paper’s`;
    cell.append(make("span", { class: times > 1 ? "short" : "note" }, times > 1 ? `${words}, falls short` : words));
    judge(times > 1 && words);
  }
  return cell;
}

// figuresOf returns a table's figures. Each figure is fetched when it scrolls into view.
function figuresOf({ only, drawn }, figures) {
  return (figures[only] ?? []).map(({ file, width, height }) => {
    const [whole, of] = file.replace(/\.png$/, "").split("__");
    const variant = of ?? sources[whole.split("_")[0]];
    const caption = `${drawn}${variant ? ` (${variant.replaceAll("_", " ")})` : ""}.`;
    return make("figure", {}, make("img", { src: new URL(folder + file, import.meta.url).href, alt: caption, width, height, loading: "lazy" }), make("figcaption", { class: "note" }, ...rich(caption)));
  });
}

// orderOf returns a table's lines about the order of the methods. The first line explains the
// others.
function orderOf({ only }, order) {
  const [first, ...lines] = order[only] ?? [];
  if (!first) return [];
  return [make("p", { class: "note" }, first), make("ul", { class: "points" }, ...lines.map((line) => make("li", {}, ...rich(line))))];
}

// tableOf returns a table with its figures. judge(where, words) is called for every figure that
// the paper also has. words says how far our figure falls short, if it does.
function tableOf(table, lines, index, { go, judge }) {
  const { title, measure, lab, only, nearest } = table;
  const { methods } = index;
  if (!lines) return make("section", {}, make("h3", {}, title), make("p", { class: "note" }, "This table has not been published with the lab yet."));
  const theirs = new Map();
  const ours = new Map();
  const key = (row, column) => `${row}\n${column}`;
  for (const line of lines) {
    const inRow = line.row.endsWith(published);
    const inColumn = line.column.endsWith(published);
    const row = inRow ? line.row.slice(0, -published.length) : line.row;
    const column = inColumn ? line.column.slice(0, -published.length) : line.column;
    if (inRow || inColumn) theirs.set(key(row, column), line.published);
    else if (!ours.has(key(row, column))) ours.set(key(row, column), line); // the first line is the mean; the median and the largest value follow
  }
  for (const { name, cells } of index.rows[only] ?? []) {
    for (const [i, figure] of cells.entries()) if (!theirs.has(key(name, tests[i]))) theirs.set(key(name, tests[i]), figure);
  }
  const rowsOf = (map) => distinct([...map.keys()].map((k) => k.split("\n")[0]));
  const columns = distinct([...theirs.keys(), ...ours.keys()].map((k) => k.split("\n")[1]));
  const rows = distinct([...rowsOf(ours), ...rowsOf(theirs)]);
  // A row of the paper with the same method as one of ours is merged into our row.
  const twin = (row) => (methods[row] && rowsOf(theirs).find((other) => methods[other] === methods[row])) || row;
  const repeated = new Set(rowsOf(ours).map(twin).filter((row) => row && !ours.has(key(row, columns[0]))));
  const body = rows.filter((row) => !repeated.has(row)).map((row) => {
    const button = make("button", { type: "button", "aria-label": `Open the lab with ${row}` }, "Open");
    button.addEventListener("click", () => go(stateOf(lab, row, columns[0], index)));
    const runs = Math.max(0, ...columns.map((column) => Number(ours.get(key(row, column))?.trainings ?? 0)));
    return make("tr", {}, make("th", { scope: "row" }, ...rich(row)),
      ...columns.map((column) => cellOf(theirs.get(key(twin(row), column)) || ours.get(key(row, column))?.published, ours.get(key(row, column)), {
        alone: theirs.size === 0,
        ran: runs > 0,
        judge: (words) => judge(`${title}: ${row}, ${column}`, words),
      })),
      make("td", {}, runs > 0 ? `${runs}` : "none"), make("td", {}, button));
  });
  const command = `macroscope reproduce -preset laptop -seeds 3 -only "${only}"`;
  return make("section", {}, make("h3", {}, title), make("p", { class: "note" }, `${measure}; mean ± standard deviation over seeds. ${nearest ? "Nearest 0" : "Less"} is better. `, make("code", {}, command)),
    make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": title }, make("table", {},
      make("thead", {}, make("tr", {}, make("td", {}), ...columns.map((column) => make("th", { scope: "col" }, ...rich(column))), make("th", { scope: "col" }, "seeds"), make("th", { scope: "col" }, "in the lab"))),
      make("tbody", {}, ...body))),
    ...orderOf(table, index.order), ...figuresOf(table, index.figures));
}

// openPaper fills a dialog with the tables and opens it. go(fragment) opens a lab.
export async function openPaper(dialog, { go }) {
  const [known, records, ...texts] = await Promise.all([get("index.json"), get("records.jsonl"), ...tables.map(({ file }) => get(`${file}.csv`))]);
  const index = { methods: {}, rows: {}, shipped: {}, order: {}, figures: {}, ...JSON.parse(known ?? "{}") };
  const close = make("button", { type: "button", class: "primary" }, "Done");
  close.addEventListener("click", () => dialog.close());
  const away = make("button", { type: "button", class: "quiet square", "aria-label": "Close" }, "×");
  away.addEventListener("click", () => dialog.close());
  const leave = (fragment) => {
    dialog.close();
    go(fragment);
  };
  let compared = 0;
  const short = [];
  const judge = (where, words) => {
    compared++;
    if (words) short.push(`${where}: ${words}`);
  };
  const shown = tables.map((table, i) => tableOf(table, texts[i] === null ? null : parseCSV(texts[i]), index, { go: leave, judge }));
  const runs = (records ?? "").trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
  dialog.replaceChildren(
    away,
    make("h2", { id: "ask-title", tabindex: "-1" }, "The paper’s tables and ours"),
    make("p", {}, "Each table has the paper’s figures, our figures with preset laptop, and the command that computes ours. Open sets the lab to a row’s settings, with the shipped model of the row’s method. If there is none, Open loads the model of the paper’s method."),
    make("p", {}, short.length === 0 ? `Ours are worse in none of the ${compared} figures that the paper has too.` : `Of ${compared} figures that the paper has too, ours are worse in ${short.length}:`),
    ...(short.length > 0 ? [make("ul", { class: "points short" }, ...short.map((text) => make("li", {}, ...rich(text))))] : []),
    make("p", { class: "note" }, testsInWords),
    ...shown,
    make("details", { class: "lecture" }, make("summary", {}, `What was run: ${runs.length}`), make("ul", { class: "points" }, ...runs.map(({ name, commands }) => make("li", {}, `${name} `, ...(commands ?? []).map((text) => make("code", {}, text)))))),
    make("div", { class: "answers" }, close),
  );
  dialog.classList.add("paper");
  dialog.addEventListener("close", () => dialog.classList.remove("paper"), { once: true });
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("h2").focus();
}
