// The service worker, which lets the lab open without its server.

// startOffline registers it; onready() is called once the lab works offline, and
// onupdate(apply) when a newer lab is waiting: apply() reloads into it.
export async function startOffline({ onready, onupdate }) {
  const workers = navigator.serviceWorker; // absent without https or localhost
  if (!workers) return;
  let registration;
  try {
    registration = await workers.register("sw.js");
  } catch {
    return; // blocked: the lab works, but only with its server
  }

  let asked = false;
  workers.addEventListener("controllerchange", () => {
    if (asked) location.reload();
  });
  const offer = (waiting) =>
    onupdate(() => {
      asked = true;
      waiting.postMessage("take over");
    });

  function follow(worker) {
    worker?.addEventListener("statechange", () => {
      if (worker.state === "installed" && workers.controller) offer(worker);
    });
  }
  if (registration.waiting && workers.controller) offer(registration.waiting);
  follow(registration.installing);
  registration.addEventListener("updatefound", () => follow(registration.installing));

  await workers.ready;
  if ((await caches.keys()).some((name) => name.startsWith("macroscope-"))) onready();
}
