// Runs before the first paint, so that a chosen theme does not flash.
(() => {
  try {
    const chosen = localStorage.getItem("macroscope.theme");
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage is blocked, as in some embeds: the system's theme serves.
  }
})();
