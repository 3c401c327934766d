// The projector mode shows only the picture, its sentence and its main controls, all enlarged.

const height = 700; // height of the layout in CSS pixels; on a taller screen it is magnified

// createProjector connects the button that switches the mode on and off. onzoom(factor) is
// called when the picture's scale changes.
export function createProjector(button, onzoom) {
  const root = document.documentElement;
  const on = () => root.classList.contains("projector");
  let zoom = 1;

  function adjust() {
    const next = on() ? Math.max(1, Math.min(3, Math.round((20 * innerHeight) / height) / 20)) : 1;
    if (next === zoom) return;
    zoom = next;
    onzoom(zoom);
  }

  function set(wanted) {
    root.classList.toggle("projector", wanted);
    button.setAttribute("aria-pressed", String(wanted));
    adjust();
  }

  async function enter() {
    // If the browser refuses full screen, as in some frames, the mode fills the area of the
    // page.
    await root.requestFullscreen?.({ navigationUI: "hide" }).catch(() => {});
    set(true);
  }

  function leave() {
    const was = on();
    set(false);
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    return was;
  }

  button.addEventListener("click", () => (on() ? leave() : enter()));
  // When Escape leaves full screen, the page gets no key event, so this event ends the mode.
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement) set(false);
  });
  addEventListener("resize", adjust);

  return {
    // leave ends the mode and reports whether it was on.
    leave,
  };
}
