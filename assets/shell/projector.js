// The projector mode: the picture, its sentence and what it is driven with, large
// and alone on the screen.

const height = 700; // CSS pixels that the page is laid out for; a screen of more magnifies

// createProjector makes button switch the mode. onzoom(factor) is called when the
// picture is to be drawn larger or smaller.
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
    // Where the browser refuses, as in some frames, the page's own area has to do.
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
  // Escape leaves the whole screen without a word to the page.
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement) set(false);
  });
  addEventListener("resize", adjust);

  return {
    // leave ends the mode and says whether it was on.
    leave,
  };
}
