// The guide uses the theme chosen in the lab.
try {
  const chosen = localStorage.getItem("macroscope.theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is blocked: the system's theme applies.
}
