// Runs before the first paint, so that a chosen theme and the still picture of the
// lab that the address names are there at once. After it the request for the
// picture's program starts, without waiting for the other scripts.
(() => {
  const root = document.documentElement;
  root.dataset.lab = new URLSearchParams(location.hash.slice(1)).get("lab") || "demo";
  // How much of the page there is: see lecture.js.
  const embed = new URLSearchParams(location.search).get("embed");
  if (embed) root.dataset.embed = embed;
  try {
    // A first visit to the bare address shows an introduction.
    if (!location.hash && !location.search && !localStorage.getItem("macroscope.welcomed")) root.dataset.welcome = "";
    const chosen = localStorage.getItem("macroscope.theme");
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  } catch {
    // Storage is blocked, as in some embeds: the system's theme serves.
  }
  const asked = (globalThis.asked = new Map()); // responses by file, for load.js
  const ask = () => {
    const response = fetch("app.wasm");
    response.catch(() => {}); // load.js says so
    asked.set("app.wasm", response);
  };
  if (!document.hidden) requestAnimationFrame(() => setTimeout(ask));
})();
