// Light or dark paper, and the wish for less motion.

const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

export function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  return { dark: chosen ? chosen === "dark" : dark.matches, reducedMotion: still.matches };
}

// createTheme makes button switch the theme and calls onchange with every change
// of currentTheme, whoever made it.
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
      // The choice then lasts as long as the page.
    }
    changed();
  });
  dark.addEventListener("change", changed);
  still.addEventListener("change", changed);
  changed();
}
