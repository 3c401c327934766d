// Runs before the first paint, so that the chosen theme and the still picture of the lab in
// the address appear at once. It then requests the picture's program before the other
// scripts have loaded, and says so if these do not load. It is written in the language of 2017, so that it also
// runs in a browser that is too old for the other scripts.
(() => {
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  if (query.has("paper")) location.replace("guide/paper.html"); // the address that the paper's tables had
  const named = query.get("lab");
  if (named && !/[#&]lab=/.test(location.hash)) { // a lab before the # counts as if it were after it
    query.delete("lab");
    const rest = query.toString() ? `?${query.toString().replace(/%2C/g, ",")}` : "";
    const fragment = location.hash.length > 1 ? `&${location.hash.slice(1)}` : "";
    history.replaceState(history.state, "", `${location.pathname}${rest}#lab=${encodeURIComponent(named)}${fragment}`);
  }
  root.dataset.lab = new URLSearchParams(location.hash.slice(1)).get("lab") || "demo";
  // The simple view is for newcomers. A link for a lecture, and whoever has chosen everything, gets the whole page.
  let view = query.get("view") || (["show", "hide", "lock", "tour", "embed"].some((name) => query.has(name)) ? "everything" : null);
  const embed = query.get("embed"); // how much of the page is visible: see lecture.js
  if (embed) root.dataset.embed = embed;
  try {
    // A first visit shows an introduction, if the address has no query and no fragment.
    if (!location.hash && !location.search && !localStorage.getItem("macroscope.welcomed")) root.dataset.welcome = "";
    const chosen = localStorage.getItem("macroscope.theme");
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
    view = view || localStorage.getItem("macroscope.view");
  } catch (blocked) {
    // Storage is blocked, as in some embeds: the system's theme applies.
  }
  if (location.protocol === "file:" || self.origin === "null") {
    root.dataset.from = location.protocol === "file:" ? "file" : "sandbox"; // the page then says why the lab does not start
    return;
  }
  root.classList.toggle("simple", view !== "everything");
  const block = (text) => {
    const blocked = document.getElementById("blocked");
    blocked.textContent = text;
    blocked.hidden = false;
    document.getElementById("loading").hidden = true;
  };
  // The promised browsers have this function, older ones have not: see guide/programs.md.
  if (!self.AbortSignal || !AbortSignal.timeout) {
    root.dataset.from = "past"; // main.js then does not start
    addEventListener("DOMContentLoaded", () => block("This browser is too old for the lab. It needs Chrome or Edge 103, Firefox 114 or Safari 16.4, or a later one."));
    return;
  }
  // One script that does not arrive whole keeps all others from running. The page's script element
  // then reports an error, or the window one in a script (main.js sets `started`).
  addEventListener("error", ({ target, filename = "" }) => {
    if (target.type !== "module" && (self.started || !filename.includes("/shell/"))) return;
    block("The lab could not be loaded: a file is missing or damaged. Is there a connection? Reload the page to try again.");
  }, true);
  const asked = (self.asked = new Map()); // responses by file; load.js uses them
  const ask = () => {
    const response = fetch("app.wasm");
    response.catch(() => {}); // load.js reports the failure
    asked.set("app.wasm", response);
  };
  if (!document.hidden) requestAnimationFrame(() => setTimeout(ask));
})();
