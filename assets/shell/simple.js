// The simple view shows only what the lab is about: the set, ẑ, the density that it draws, a prediction, and six controls.
// The button Everything switches to the whole page and back. The choice is remembered, and a part of links.

const rest = 2500; // ms between the end of a run and its next beginning

// createSimple connects the button. picture(plain) makes the picture plain or whole, and play() plays the run.
export function createSimple(button, { picture, play }) {
  const root = document.documentElement;
  const on = () => root.classList.contains("simple");
  let timer = 0; // until the run begins again

  function set(simple) {
    root.classList.toggle("simple", simple);
    button.setAttribute("aria-pressed", String(!simple));
    picture(simple);
  }

  button.addEventListener("click", () => {
    const view = on() ? "everything" : "simple";
    set(view === "simple");
    const query = new URLSearchParams(location.search);
    query.set("view", view);
    history.replaceState(history.state, "", `?${query.toString().replaceAll("%2C", ",")}${location.hash}`);
    try {
      localStorage.setItem("macroscope.view", view);
    } catch {
      // Storage is blocked: the address has the choice.
    }
  });
  set(on());

  return {
    // show repeats a run that has ended, unless the visitor prefers reduced motion. What a shuffle has changed takes the
    // place of the lab's tagline.
    show({ playing, values, max }) {
      root.classList.toggle("told", Boolean(document.querySelector("#summary .ink-moves, #summary .ink-stays")));
      const ended = on() && !playing && max?.at > 1 && Number(values.at) === max.at && !matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (!ended) clearTimeout(timer);
      timer = ended ? timer || setTimeout(() => {
        timer = 0;
        play();
      }, rest) : 0;
    },
    // leave shows everything, for a tour.
    leave: () => set(false),
  };
}
