// An input field that the state does not overwrite while the visitor is typing.

import { untypeset } from "./format.js";

// number converts typeset signs in typed text to plain signs: the minus sign, the power of ten
// and the decimal point.
export function number(text) {
  return untypeset(text.trim()).replace(",", ".");
}

// createField calls send(text) when the visitor presses Enter or leaves the field. It returns
// show(text), which writes look(text) into the field unless the visitor is typing.
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
