// The labs that the page offers are the links of its head; a link may name others.

// firstLab is the lab that the page opens with.
export const firstLab = "demo";

// labOf is the lab that a URL fragment names, or the first lab.
export function labOf(fragment) {
  return new URLSearchParams(fragment).get("lab") || firstLab;
}

// isDoor says whether a fragment asks for a lab and nothing else: its front door,
// behind which a lab resumes, or opens in its opening state (Opening in model/lab). This
// also holds for a shared address of that form: it says nothing about the shown state,
// while Share adds a setting or a version (Short in model/lab).
export function isDoor(fragment) {
  return fragment === "" || fragment === `lab=${labOf(fragment)}`;
}

// createLabs returns show(lab, title), which marks where the visitor is. The link of
// the present lab then does nothing, because it would reset settings.
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
