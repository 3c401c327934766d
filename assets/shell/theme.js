// The light or dark theme, and the preference for reduced motion.

const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

export function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  return { dark: chosen ? chosen === "dark" : dark.matches, reducedMotion: still.matches };
}

// createTheme connects the button that switches the theme. It calls onchange after every change
// of currentTheme, by the visitor or the system.
export function createTheme(button, onchange) {
  const changed = () => {
    const theme = currentTheme();
    button.setAttribute("aria-pressed", String(theme.dark));
    onchange(theme);
  };
  button.addEventListener("click", () => {
    const chosen = currentTheme().dark ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    try {
      localStorage.setItem("macroscope.theme", chosen);
    } catch {
      // Without storage, the choice lasts until the page closes.
    }
    changed();
  });
  dark.addEventListener("change", changed);
  still.addEventListener("change", changed);
  changed();
}
