// What stands over the still picture until there is a live one: how much of the
// programs has come, or why there will be none.

const byId = (id) => document.getElementById(id);
const megabytes = (n) => (n / 1e6).toFixed(1);

// createLoading returns what shows it.
export function createLoading() {
  const loaded = { engine: 0, picture: 0 };
  return {
    // progress takes the bytes that have come of a part, engine or picture. The
    // bundle knows how large both are; without it the bar only says that something
    // happens.
    progress(part, bytes) {
      loaded[part] = bytes;
      const sum = loaded.engine + loaded.picture;
      const bar = byId("loading-bar");
      const total = Number(bar.dataset.bytes);
      if (total > 0) bar.value = Math.min(1, sum / total);
      byId("loading-text").textContent = `Loading the engine: ${megabytes(sum)}${total > 0 ? ` of ${megabytes(total)}` : ""} MB`;
    },
    // done uncovers the live picture.
    done() {
      byId("view").classList.add("live");
      byId("loading").hidden = true;
    },
    live: () => byId("view").classList.contains("live"),
    // block says why the lab cannot run. The still picture stays.
    block(text) {
      byId("blocked").textContent = text;
      byId("blocked").hidden = false;
      byId("loading").hidden = true;
    },
  };
}
