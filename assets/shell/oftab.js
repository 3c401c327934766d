// Texts that outlive a reload of the tab. If the visitor blocks storage, they last until the page ends.

const texts = new Map();

// frameOf returns the place of a window among the frames of its tab: "" for the tab's own page. All
// frames of a tab share one storage, so each frame has texts of its own.
function frameOf(page) {
  if (page.parent === page) return "";
  let at = 0;
  while (at < page.parent.length && page.parent[at] !== page) at++;
  return `${frameOf(page.parent)} ${at}`;
}

const keyOf = (name) => name + frameOf(self);

export const ofTab = {
  get(name) {
    try {
      return sessionStorage.getItem(keyOf(name));
    } catch {
      return texts.get(name) ?? null;
    }
  },
  set(name, text) {
    texts.set(name, text);
    try {
      sessionStorage.setItem(keyOf(name), text);
    } catch {}
  },
  remove(name) {
    texts.delete(name);
    try {
      sessionStorage.removeItem(keyOf(name));
    } catch {}
  },
};
