// The paper's tables and figures beside ours, from what macroscope reproduce publishes
// (serve/reproduce): a CSV for each, and records.jsonl with what was run. Rows that were
// not run yet say so. It is fetched when a visitor asks for it.
import { make } from "./element.js";
import { typeset } from "./format.js";
import { rich } from "./rich.js";

const folder = "../paper/laptop/";

// tables are what the paper has. lab, and what of a row or column is a setting of it.
const tables = [
  { file: "line", title: "Points on a line (Section 4.1)", measure: "KL, nats", lab: "demo", only: "line" },
  { file: "table-1", title: "Interacting particles (Section 4.2, Table 1)", measure: "MRE of the energy", lab: "particles", only: "table 1" },
  { file: "table-2", title: "Binary mixing (Section 4.3, Table 2)", measure: "MMD of the mixing ratios", lab: "mixing", only: "table 2" },
  { file: "sensitivity-zdim", title: "How many closure variables are enough", measure: "MRE of the energy", lab: "particles", only: "sensitivity zdim" },
  { file: "sensitivity-eps", title: "How wide a kernel is best", measure: "MRE of the energy", lab: "particles", only: "sensitivity eps" },
];

const published = " (published)";

// parseCSV reads RFC 4180 lines.
function parseCSV(text) {
  const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, cell]) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
  const [head, ...lines] = text.trim().split(/\r?\n/).map((line) => cells(`${line},`));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i] ?? ""])));
}

// stateOf is the fragment that opens the lab as a row and a column say. methods are the
// names of the methods that rows are of (serve/dist).
function stateOf(lab, row, column, methods) {
  const parts = [`lab=${lab}`];
  for (const text of [...row.split(", "), column]) {
    const eps = /^ε = (\S+)$/.exec(text);
    const zdim = /^ẑ dim =? ?(\d+)$/.exec(text);
    if (eps) parts.push(`eps=${Number(eps[1])}`);
    if (zdim) parts.push(`zdim=${zdim[1]}`);
  }
  const [method, form] = row.split(", ");
  if (methods[method]) parts.push(`method=${methods[method]}`);
  if (form === "OnsagerNet") parts.push("g=onsager");
  if (form === "residual OnsagerNet") parts.push("g=onsager-resnet");
  return parts.join("&");
}

const distinct = (list) => [...new Set(list)];

async function get(name) {
  const response = await fetch(new URL(folder + name, import.meta.url)).catch(() => null);
  return response?.ok ? response.text() : null;
}

// cellOf is the published figure over ours, with how many times it that is.
function cellOf(theirs, ours) {
  const cell = make("td", {});
  const mean = Number(ours?.mean || Number.NaN);
  const known = Number(theirs || Number.NaN);
  if (theirs) cell.append(make("span", { class: "theirs" }, `paper ${typeset(theirs)}`));
  if (ours && !Number.isFinite(mean)) cell.append(make("span", { class: "note" }, "not run yet"));
  if (!Number.isFinite(mean)) return cell;
  const sd = Number(ours.sd) > 0 ? ` ± ${typeset(Number(ours.sd).toExponential(0))}` : "";
  cell.append(make("span", { class: "ours" }, `ours ${typeset(mean.toExponential(2))}${sd}`));
  if (Number.isFinite(known)) {
    const times = mean / known;
    cell.append(make("span", { class: times > 1 ? "short" : "note" }, `${typeset(times.toPrecision(2))} × the paper’s${times > 1 ? ", falls short" : ""}`));
  }
  return cell;
}

function tableOf({ title, measure, lab, only }, lines, methods, go) {
  if (!lines) return make("section", {}, make("h3", {}, title), make("p", { class: "note" }, "This one has not been published with the lab yet."));
  const theirs = new Map();
  const ours = new Map();
  const key = (row, column) => `${row}\n${column}`;
  for (const line of lines) {
    const inRow = line.row.endsWith(published);
    const inColumn = line.column.endsWith(published);
    const row = inRow ? line.row.slice(0, -published.length) : line.row;
    const column = inColumn ? line.column.slice(0, -published.length) : line.column;
    if (inRow || inColumn) theirs.set(key(row, column), line.published);
    else if (!ours.has(key(row, column))) ours.set(key(row, column), line); // the mean over runs; the median and the largest follow
  }
  const rowsOf = (map) => distinct([...map.keys()].map((k) => k.split("\n")[0]));
  const columns = distinct([...theirs.keys(), ...ours.keys()].map((k) => k.split("\n")[1]));
  const rows = distinct([...rowsOf(ours), ...rowsOf(theirs)]);
  // A row of the paper that one of ours repeats stands in that one.
  const twin = (row) => (methods[row] && rowsOf(theirs).find((other) => methods[other] === methods[row])) || row;
  const repeated = new Set(rowsOf(ours).map(twin).filter((row) => row && !ours.has(key(row, columns[0]))));
  const body = rows.filter((row) => !repeated.has(row)).map((row) => {
    const button = make("button", { type: "button", "aria-label": `Open the lab with ${row}` }, "Open");
    button.addEventListener("click", () => go(stateOf(lab, row, columns[0], methods)));
    const runs = Math.max(0, ...columns.map((column) => Number(ours.get(key(row, column))?.trainings ?? 0)));
    return make("tr", {}, make("th", { scope: "row" }, ...rich(row)),
      ...columns.map((column) => cellOf(theirs.get(key(twin(row), column)) || ours.get(key(row, column))?.published, ours.get(key(row, column)))),
      make("td", {}, runs > 0 ? `${runs}` : "none"), make("td", {}, button));
  });
  const command = `macroscope reproduce -preset laptop -seeds 3 -only "${only}"`;
  return make("section", {}, make("h3", {}, title), make("p", { class: "note" }, `${measure}; mean ± standard deviation over seeds. Less is better. `, make("code", {}, command)),
    make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": title }, make("table", {},
      make("thead", {}, make("tr", {}, make("td", {}), ...columns.map((column) => make("th", { scope: "col" }, ...rich(column))), make("th", { scope: "col" }, "seeds"), make("th", { scope: "col" }, "in the lab"))),
      make("tbody", {}, ...body))));
}

// openPaper fills a dialog with the tables and shows it; go(fragment) opens a lab.
export async function openPaper(dialog, { go }) {
  const [names, records, ...texts] = await Promise.all([get("methods.json"), get("records.jsonl"), ...tables.map(({ file }) => get(`${file}.csv`))]);
  const methods = JSON.parse(names ?? "{}");
  const close = make("button", { type: "button", class: "primary" }, "Done");
  close.addEventListener("click", () => dialog.close());
  const leave = (fragment) => {
    dialog.close();
    go(fragment);
  };
  const runs = (records ?? "").trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
  dialog.replaceChildren(
    make("h2", { id: "ask-title", tabindex: "-1" }, "The paper’s tables, beside ours"),
    make("p", {}, "What the paper reports, what these programs reach with preset laptop, and the command that made it. Open puts the lab into that state, with the model that ships for it."),
    ...tables.map((table, i) => tableOf(table, texts[i] === null ? null : parseCSV(texts[i]), methods, leave)),
    make("details", { class: "lecture" }, make("summary", {}, `What was run: ${runs.length}`), make("ul", { class: "points" }, ...runs.map(({ name, commands }) => make("li", {}, `${name} `, ...(commands ?? []).map((text) => make("code", {}, text)))))),
    make("div", { class: "answers" }, close),
  );
  dialog.classList.add("paper");
  dialog.addEventListener("close", () => dialog.classList.remove("paper"), { once: true });
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("h2").focus();
}
