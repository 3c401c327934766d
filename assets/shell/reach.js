// What scrolls can be scrolled by keys alone.

// createReach makes element a stop of the Tab key while its content is larger than
// it is.
export function createReach(element) {
  const look = () => {
    if (element.scrollHeight > element.clientHeight) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  };
  const observer = new ResizeObserver(look);
  observer.observe(element);
  for (const child of element.children) observer.observe(child);
}
