// The cover on the still picture, until the live picture appears. It shows how much of the
// programs has loaded, or why the lab cannot run.

const byId = (id) => document.getElementById(id);
const megabytes = (n) => (n / 1e6).toFixed(1);

// createLoading returns functions that control the cover.
export function createLoading() {
  const bar = byId("loading-bar");
  const sizes = JSON.parse(bar.dataset.sizes); // bytes of each program; the build writes them
  let loaded = {};

  function show() {
    const files = Object.keys(loaded);
    const sum = files.reduce((all, file) => all + loaded[file], 0);
    const total = files.reduce((all, file) => all + (sizes[file] ?? NaN), 0);
    // Without the sizes, the bar only shows that something is loading.
    if (total > 0) bar.value = Math.min(1, sum / total);
    byId("loading-text").textContent = `Loading the engine: ${megabytes(sum)}${total > 0 ? ` of ${megabytes(total)}` : ""} MB`;
  }

  return {
    // begin names the files to wait for.
    begin(files) {
      loaded = Object.fromEntries(files.map((file) => [file, 0]));
      byId("loading").hidden = false;
    },
    // progress records how many bytes of a file have arrived.
    progress(file, bytes) {
      loaded[file] = bytes;
      show();
    },
    // done removes the cover from the live picture.
    done() {
      byId("view").classList.add("live");
      byId("loading").hidden = true;
    },
    // end removes the bar from a picture that is already live.
    end() {
      if (byId("view").classList.contains("live")) byId("loading").hidden = true;
    },
    live: () => byId("view").classList.contains("live"),
    // block shows why the lab cannot run. The still picture stays.
    block(text) {
      byId("blocked").textContent = text;
      byId("blocked").hidden = false;
      byId("loading").hidden = true;
    },
  };
}
