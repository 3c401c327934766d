// The projector mode: the picture, its sentence and what it is driven with, large
// and alone on the screen.

const zoom = 1.4; // of the picture: a lecture hall reads it from the last row

// createProjector makes button switch the mode. onzoom(factor) is called when the
// picture is to be drawn larger or not.
export function createProjector(button, onzoom) {
  const root = document.documentElement;
  const on = () => root.classList.contains("projector");

  function set(wanted) {
    if (on() === wanted) return;
    root.classList.toggle("projector", wanted);
    button.setAttribute("aria-pressed", String(wanted));
    onzoom(wanted ? zoom : 1);
  }

  function enter() {
    set(true);
    // Where the browser refuses, as in some frames, the page's own area has to do.
    root.requestFullscreen?.({ navigationUI: "hide" }).catch(() => {});
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

  return {
    // leave ends the mode and says whether it was on.
    leave,
  };
}
