// A field that somebody may be typing in.

// number is what was typed, with the signs that a page may show for minus and for
// the decimal point made plain.
export function number(text) {
  return text.trim().replace("−", "-").replace(",", ".");
}

// createField sends what was typed once it is complete, and returns show(text),
// which shows a text unless somebody is typing.
export function createField(input, send) {
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
    latest = text;
    show();
  };
}
