// The labs that the page offers are the links of its head; a link may name others.

// firstLab is the lab that the page opens with.
export const firstLab = "demo";

// labOf is the lab that a URL fragment names; one that names none is the first's.
export function labOf(fragment) {
  return new URLSearchParams(fragment).get("lab") || firstLab;
}

// isDoor says whether a fragment asks for a lab and nothing else: its front door,
// behind which a lab goes on where it was, or opens as it likes to be found (Opening in
// model/lab). That is so too where somebody has shared such an address: it says nothing of
// what was on show, which Share does with a setting or a version (Short in model/lab).
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
