// shuffled returns a list's indices in an order determined by seed, a text. The order is
// the same in every browser.
export function shuffled(list, seed) {
  let state = 2166136261; // FNV-1a
  const next = (code) => {
    state = Math.imul(state ^ code, 16777619) >>> 0;
    return (state ^ (state >>> 15)) >>> 0;
  };
  for (const letter of seed) next(letter.codePointAt(0));
  const order = [...list.keys()];
  for (let i = order.length - 1; i > 0; i--) {
    const j = next(i) % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
