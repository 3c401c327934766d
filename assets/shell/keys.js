// Single-key shortcuts, both in the page and in the picture's frame. Visitors who dictate
// can switch them off.

const typing = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const pressing = "button, a, input[type=checkbox], input[type=radio], summary";

// createKeys calls the function that action(key) returns for a key. Keys have the names of
// KeyboardEvent.key, with letters in lower case. change(forth) is called for Ctrl+Z and, with forth, for Ctrl+Shift+Z.
export function createKeys(toggle, action, change) {
  try {
    toggle.checked = localStorage.getItem("macroscope.shortcuts") !== "off";
  } catch {
    toggle.checked = true;
  }
  toggle.addEventListener("change", () => {
    try {
      localStorage.setItem("macroscope.shortcuts", toggle.checked ? "on" : "off");
    } catch {
      // Without storage, the choice lasts until the page closes.
    }
  });

  // press handles a key and reports whether the key has an action.
  function press(key) {
    const act = action(key.length === 1 ? key.toLowerCase() : key);
    if (!act || !toggle.checked) return false;
    act();
    return true;
  }

  addEventListener("keydown", (event) => {
    if (event.altKey || event.repeat || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") || event.target.closest?.(typing)) return; // a field undoes its own changes
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "z") return;
      event.preventDefault();
      change(event.shiftKey);
      return;
    }
    if (event.key === " " && event.target.closest?.(pressing)) return;
    if (press(event.key)) event.preventDefault();
  });

  return { press };
}
