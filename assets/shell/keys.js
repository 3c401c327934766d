// Single-key shortcuts, from the page and from the picture's frame alike. They
// can be switched off, for those who dictate.

const typing = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const pressing = "button, a, input[type=checkbox], input[type=radio], summary";

// createKeys calls the function that action(key) returns for a key; keys are named
// as in KeyboardEvent.key, letters in lower case.
export function createKeys(toggle, action) {
  try {
    toggle.checked = localStorage.getItem("macroscope.shortcuts") !== "off";
  } catch {
    toggle.checked = true;
  }
  toggle.addEventListener("change", () => {
    try {
      localStorage.setItem("macroscope.shortcuts", toggle.checked ? "on" : "off");
    } catch {
      // The choice then lasts as long as the page.
    }
  });

  // press acts on a key and says whether it did.
  function press(key) {
    const act = action(key.length === 1 ? key.toLowerCase() : key);
    if (!act || !toggle.checked) return false;
    act();
    return true;
  }

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") || event.target.closest?.(typing)) return;
    if (event.key === " " && event.target.closest?.(pressing)) return;
    if (press(event.key)) event.preventDefault();
  });

  return { press };
}
