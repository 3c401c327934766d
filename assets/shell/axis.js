// axis maps values to [from, to]. If log is true, the axis is logarithmic and has ticks; values
// of 0 or less are placed at the smallest positive value.
export function axis(values, from, to, log) {
  const least = Math.min(...values.filter((v) => v > 0));
  const logs = log && least < Infinity;
  const of = logs ? (v) => Math.log10(Math.max(v, least)) : (v) => v;
  let [lo, hi] = [of(Math.min(...values)), of(Math.max(...values))];
  const pad = 0.06 * (hi - lo) || 0.5;
  [lo, hi] = [lo - pad, hi + pad];
  const at = (v) => from + ((of(v) - lo) / (hi - lo)) * (to - from);
  const ticks = [];
  if (logs) {
    const steps = hi - lo < 0.5 ? [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8] : hi - lo < 1.5 ? [1, 2, 5] : hi - lo < 3 ? [1, 3] : [1];
    for (let e = Math.floor(lo); e <= hi; e++) {
      for (const m of steps) {
        const v = Number(`${m}e${e}`);
        if (v >= least && Math.log10(v) <= hi) ticks.push(v); // smaller ones would lie at the smallest value
      }
    }
  }
  return { at, ticks };
}
