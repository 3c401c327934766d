// Notices that a worker has ended. A browser may stop a worker without any event. The worker
// therefore holds a lock, which the browser releases when the worker ends. A page without HTTPS has
// no locks.

// hold locks a name until this worker ends, and tells the name to the worker's owner.
export function hold() {
  const name = `macroscope worker ${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  navigator.locks?.request(name, () => {
    postMessage({ type: "lock", name });
    return new Promise(() => {});
  }).catch(() => {}); // the visitor blocks storage, and with it locks
}

// watchEnd dispatches an error event on a worker when it has ended, for whatever reason.
export function watchEnd(worker) {
  worker.addEventListener("message", ({ data: { type, name } }) => {
    if (type === "lock") navigator.locks.request(name, () => void worker.dispatchEvent(new Event("error", { cancelable: true })));
  });
}
