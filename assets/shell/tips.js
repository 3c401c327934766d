// Shows an explanation next to a control or a symbol: the control's help text, or the symbol's
// meaning with its equation number. The explanation appears on hover after a moment, and on
// keyboard focus at once. Screen readers get the same text by aria-describedby. For devices
// without hover, the help dialog contains all explanations.

const delay = 450; // ms for which the pointer rests before a tip appears

// createTips shows the descriptions of controls in tip.
export function createTips(tip) {
  let timer = 0;
  let shown = null;
  let pressed = null; // a pressed control; it needs no explanation

  function show(control) {
    const hint = document.getElementById(control.getAttribute("aria-describedby")?.split(" ")[0] ?? control.dataset.sign);
    if (!hint || !hint.closest("[hidden]")) return; // a visible hint needs no tip
    tip.textContent = hint.textContent;
    tip.hidden = false;
    tip.style.left = "0"; // the place of the last tip may leave no room
    shown = control;
    const at = control.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const inside = (x, most) => Math.max(8, Math.min(x, most));
    const left = inside(at.left + at.width / 2 - size.width / 2, innerWidth - size.width - 8);
    const below = at.bottom + 8;
    const top = below + size.height + 8 < innerHeight ? below : at.top - size.height - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${inside(top, innerHeight - size.height - 8)}px`;
  }

  function hide() {
    clearTimeout(timer);
    tip.hidden = true;
    shown = null;
  }

  const described = (event) => event.target.closest?.("[aria-describedby], [data-sign]");

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const control = described(event);
    if (control === shown) return;
    hide();
    if (control !== pressed) pressed = null;
    if (control && !pressed) timer = setTimeout(show, delay, control);
  });
  document.addEventListener("focusin", (event) => {
    if (described(event) === shown && shown) return;
    hide();
    const control = described(event);
    if (control?.matches(":focus-visible")) show(control);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("pointerdown", (event) => {
    hide();
    pressed = described(event);
  });
  document.addEventListener("input", hide); // a visitor who moves a control does not read a tip
  addEventListener("scroll", hide, true);

  return {
    // hide hides the tip and reports whether one was visible.
    hide() {
      const was = !tip.hidden;
      hide();
      return was;
    },
  };
}

// listTips writes the names and descriptions of controls into list, a dl.
export function listTips(list, controls) {
  const seen = new Set();
  for (const control of controls) {
    const id = control.getAttribute("aria-describedby");
    if (seen.has(id)) continue;
    seen.add(id);
    const row = document.createElement("div");
    const name = document.createElement("dt");
    const text = document.createElement("dd");
    name.textContent = control.getAttribute("aria-label") ?? control.labels?.[0]?.textContent ?? control.textContent;
    text.textContent = document.getElementById(id).textContent;
    row.append(name, text);
    list.append(row);
  }
}
