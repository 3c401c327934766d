// Links for a lecture. They set which controls are shown, locked or hidden, which page of the
// tour opens, and how much of the page is visible. The query, which comes before the # of the
// address, contains these choices:
//
//   ?show=eps,zdim   only these controls, by their ids, and the transport
//   ?hide=seed,open  all controls except these
//   ?lock=method     these controls are visible but cannot be changed
//   ?tour=3          this page of the tour
//   ?embed=controls  the page without its header; ?embed=picture without the controls too
//   ?lab=polymer     the lab, if the part after the # names none; early.js moves it there
//   ?view=simple     the simple view; ?view=everything the whole page
//   ?plain           arithmetic without SIMD
import { make, put } from "./element.js";
import { copy } from "./link.js";
import { rich } from "./rich.js";

const listed = (query, name) => (query.get(name) ?? "").split(",").map((id) => id.trim()).filter(Boolean);
const levels = ["controls", "picture"];
const names = /^(show|hide|lock|tour|embed|view|lab|plain|utm_.*|fbclid|gclid)$/; // the last ones are from those who count clicks

// readLecture parses an address's query (location.search). The result:
//   hides(id), locks(id)  whether the control is hidden or locked
//   shows(ids)            whether the query lists one of these controls under show
//   chosen                whether the query lists any control under show
//   embed                 how much of the page is visible; "": the whole page
//   unknown(ids)          the parts of the query that nothing understands, in words; ids are the
//                         controls that there are
export function readLecture(search) {
  const query = new URLSearchParams(search);
  const [show, hide, lock] = ["show", "hide", "lock"].map((name) => new Set(listed(query, name)));
  const embed = query.get("embed") ?? "";
  return {
    hides: (id) => hide.has(id) || (show.size > 0 && !show.has(id)),
    locks: (id) => lock.has(id),
    shows: (ids) => ids.some((id) => show.has(id)),
    chosen: show.size > 0,
    embed: levels.includes(embed) ? embed : "",
    unknown(ids) {
      const tour = query.get("tour") ?? "";
      return [
        ...[...new Set(query.keys())].filter((name) => !names.test(name)).map((name) => `${name}=${query.get(name)}`),
        ...[["show", show], ["hide", hide], ["lock", lock]].flatMap(([name, of]) => [...of].filter((id) => !ids.includes(id)).map((id) => `${name}=${id}`)),
        ...(/^(simple|everything)?$/.test(query.get("view") ?? "") ? [] : [`view=${query.get("view")}`]),
        ...(embed && !levels.includes(embed) ? [`embed=${embed}`] : []),
        ...(/^(story|[1-9]\d?)?$/.test(tour) ? [] : [`tour=${tour}`]),
      ];
    },
  };
}

// lectureQuery writes the query of an address, "" or "?…". choices contains "shown", "locked" or
// "hidden" for the id of each control. tour is a page of the tour, or 0 for none. embed is the same
// as in readLecture.
export function lectureQuery(choices, tour, embed) {
  const ids = (wanted) => Object.keys(choices).filter((id) => choices[id] === wanted);
  const [hidden, locked] = [ids("hidden"), ids("locked")];
  const shown = Object.keys(choices).filter((id) => choices[id] !== "hidden");
  const parts = [];
  if (hidden.length > 0) parts.push(shown.length > 0 && shown.length < hidden.length ? `show=${shown.join(",")}` : `hide=${hidden.join(",")}`);
  if (locked.length > 0) parts.push(`lock=${locked.join(",")}`);
  if (tour > 0) parts.push(`tour=${tour}`);
  if (embed) parts.push(`embed=${embed}`);
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}

// The frame may run scripts, keep sessions, save files and open the guide.
const sandbox = "allow-scripts allow-same-origin allow-downloads allow-popups allow-popups-to-escape-sandbox";

const quoted = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

// createLecture returns open(), which opens a dialog that composes lecture links. state() is
// the lab's wire.State, controls() lists {id, label, group} of the controls next to the
// picture. A copied text is reported next to it, because the dialog covers the page's notices.
export function createLecture(dialog, { state, controls }) {
  let choices = {};
  let tour = 0;
  let embed = "";

  function output(id, label, text) {
    const field = make("textarea", { id, readonly: true, rows: "2", spellcheck: "false" });
    const button = make("button", { type: "button" }, "Copy");
    const result = make("p", { class: "note", role: "status" });
    button.addEventListener("click", async () => {
      const copied = await copy(field.value);
      if (!copied) field.select();
      put(result, copied ? `${label} is on the clipboard.` : "The browser did not copy the text. It is selected: press Ctrl+C or ⌘C.");
    });
    const show = () => {
      field.value = text();
      put(result, "");
    };
    return { element: make("div", { class: "output" }, make("label", { for: id }, label), field, button, result), show };
  }

  const base = () => location.origin + location.pathname + lectureQuery(choices, tour, embed);
  const outputs = () => [
    output("lecture-short", "The short link", () => `${base()}#${state()?.short ?? ""}`),
    output("lecture-full", "The full link, with every setting", () => `${base()}#${state()?.fragment ?? ""}`),
    output("lecture-frame", "The frame for your own page", () =>
      `<iframe src="${quoted(`${base()}#${state()?.short ?? ""}`)}" width="960" height="640" allow="fullscreen; clipboard-write" sandbox="${sandbox}" title="Macroscope"></iframe>`),
  ];

  function menu(id, label, options, value, act) {
    const select = make("select", { id }, ...options.map(([is, words]) => make("option", { value: is }, words)));
    select.value = value;
    select.addEventListener("change", () => act(select.value));
    return make("div", { class: "line" }, make("label", { for: id }, ...rich(label)), select);
  }

  function open() {
    const all = outputs();
    const update = () => all.forEach(({ show }) => show());
    const groups = new Map(controls().map(({ group }) => [group, []]));
    for (const control of controls()) groups.get(control.group).push(control);
    const kinds = [["shown", "shown"], ["locked", "locked"], ["hidden", "hidden"]];
    const choose = ({ id, label }) => menu(`lecture-${id}`, label, kinds, choices[id] ?? "shown", (value) => {
      choices[id] = value;
      update();
    });
    const page = make("input", { id: "lecture-tour", type: "number", min: "0", max: "9", value: String(tour) });
    page.addEventListener("input", () => {
      tour = Number.parseInt(page.value, 10) || 0;
      update();
    });
    const bulk = (words, of) => {
      const button = make("button", { type: "button" }, words);
      button.addEventListener("click", () => {
        for (const { id } of controls()) {
          choices[id] = document.getElementById(`lecture-${id}`).value = of(id);
        }
        update();
      });
      return button;
    };
    const close = make("button", { type: "button", class: "primary" }, "Done");
    close.addEventListener("click", () => dialog.close());
    for (const { id } of controls()) choices[id] ??= "shown";
    dialog.replaceChildren(
      make("h2", { id: "ask-title" }, "A link for a lecture"),
      make("p", {}, "Choose what the link shows. The lab opens in its present state."),
      menu("lecture-embed", "How much of the page", [["", "all of it"], ["controls", "without the header"], ["picture", "the picture and its buttons"]], embed, (value) => {
        embed = value;
        update();
      }),
      make("div", { class: "line" }, make("label", { for: "lecture-tour" }, "Page of the tour, 0 for none"), page),
      make("div", { class: "actions" }, bulk("Show all controls", () => "shown"), bulk("Lock all", () => "locked"), bulk("Hide all", () => "hidden"),
        bulk("ε, ẑ and Shuffle only", (id) => (["eps", "zdim", "shuffle"].includes(id) ? "shown" : "hidden"))),
      ...[...groups].map(([group, list]) => make("details", { class: "lecture" }, make("summary", {}, ...rich(group)), make("div", { class: "inner" }, ...list.map(choose)))),
      ...all.map(({ element }) => element),
      make("p", { class: "note" }, "Another site can show the frame only if the server allows it. Start the server with -embed and the address of that site, or configure your host to send Content-Security-Policy: frame-ancestors."),
      make("div", { class: "answers" }, close),
    );
    update();
    if (!dialog.open) dialog.showModal();
    document.getElementById("lecture-embed").focus();
  }

  return { open };
}
