// A field that somebody may be typing in.

import { untypeset } from "./format.js";

// number is what was typed, with the signs that a page may show for minus, for a
// power of ten and for the decimal point made plain.
export function number(text) {
  return untypeset(text.trim()).replace(",", ".");
}

// createField sends what was typed once it is complete, and returns show(text),
// which shows what look makes of a text unless somebody is typing.
export function createField(input, send, look = (text) => text) {
  let typing = false;
  let latest = null;
  const show = () => {
    if (latest !== null && !typing && input.value !== latest) input.value = latest;
  };
  input.addEventListener("input", () => {
    typing = true;
  });
  input.addEventListener("change", () => {
    typing = false;
    send(input.value);
  });
  input.addEventListener("blur", () => {
    typing = false;
    show();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !typing) return;
    typing = false;
    show();
    event.stopPropagation();
  });
  return (text) => {
    latest = look(text);
    show();
  };
}
