// Runs before the first paint, so that a chosen theme and the still picture of the
// lab that the address names are there at once.
(() => {
  const root = document.documentElement;
  root.dataset.lab = new URLSearchParams(location.hash.slice(1)).get("lab") || "demo";
  try {
    const chosen = localStorage.getItem("macroscope.theme");
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  } catch {
    // Storage is blocked, as in some embeds: the system's theme serves.
  }
})();
