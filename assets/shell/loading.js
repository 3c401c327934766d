// The cover of the still picture until there is a live one: how much of the programs
// has loaded, or why the lab cannot run.

const byId = (id) => document.getElementById(id);
const megabytes = (n) => (n / 1e6).toFixed(1);

// createLoading returns what shows it.
export function createLoading() {
  const bar = byId("loading-bar");
  const sizes = JSON.parse(bar.dataset.sizes); // of the programs, once the page is built
  let loaded = {};

  function show() {
    const files = Object.keys(loaded);
    const sum = files.reduce((all, file) => all + loaded[file], 0);
    const total = files.reduce((all, file) => all + (sizes[file] ?? NaN), 0);
    // Without the sizes the bar only says that something happens.
    if (total > 0) bar.value = Math.min(1, sum / total);
    byId("loading-text").textContent = `Loading the engine: ${megabytes(sum)}${total > 0 ? ` of ${megabytes(total)}` : ""} MB`;
  }

  return {
    // begin says which files are waited for.
    begin(files) {
      loaded = Object.fromEntries(files.map((file) => [file, 0]));
      byId("loading").hidden = false;
    },
    // progress takes the bytes that have come of a file.
    progress(file, bytes) {
      loaded[file] = bytes;
      show();
    },
    // done uncovers the live picture.
    done() {
      byId("view").classList.add("live");
      byId("loading").hidden = true;
    },
    // end takes the bar away from a picture that is live already.
    end() {
      if (byId("view").classList.contains("live")) byId("loading").hidden = true;
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
