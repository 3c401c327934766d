// The links in the page's header name the labs that the page offers.

// firstLab is the lab that the page opens.
export const firstLab = "demo";

// labOf returns the lab in a URL fragment, or the first lab.
export function labOf(fragment) {
  return new URLSearchParams(fragment).get("lab") || firstLab;
}

// isDoor reports whether a fragment names a lab and nothing else. Such a fragment opens the
// visitor's save of the lab or, without a save, the lab's opening state (Opening in model/lab).
// A shared link must reproduce the screen instead, so Share adds a setting or a version to its
// fragment (Short in model/lab).
export function isDoor(fragment) {
  return fragment === "" || fragment === `lab=${labOf(fragment)}`;
}

// createLabs returns show(lab, title), which marks the current lab. A click on the link of the
// current lab does nothing, because it would reset the settings.
export function createLabs(nav) {
  const links = [...nav.querySelectorAll("a")];
  const root = document.documentElement;
  nav.addEventListener("click", (event) => {
    if (event.target.closest("a[aria-current]") && !event.ctrlKey && !event.metaKey && !event.shiftKey) event.preventDefault();
  });
  return {
    show(lab, title) {
      root.dataset.lab = lab;
      for (const link of links) {
        if (labOf(link.hash.slice(1)) !== lab) {
          link.removeAttribute("aria-current");
          continue;
        }
        link.setAttribute("aria-current", "page");
        link.scrollIntoView({ block: "nearest", inline: "center" });
      }
      document.title = title ? `${title} · Macroscope` : "Macroscope";
    },
  };
}
