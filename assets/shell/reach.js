// Makes scrollable elements scrollable by keyboard alone.

// createReach makes element focusable by Tab while its content overflows.
export function createReach(element) {
  const look = () => {
    if (element.scrollHeight > element.clientHeight) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  };
  const observer = new ResizeObserver(look);
  observer.observe(element);
  for (const child of element.children) observer.observe(child);
}
