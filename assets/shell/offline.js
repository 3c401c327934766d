// The service worker lets the lab open without its server.

// startOffline registers the service worker. version is the version of this page, or "" without a build.
// onready() is called once the lab works offline. onupdate(apply) is called when a newer lab is
// waiting; apply() reloads the page with the newer lab. onpast() is called when the page would receive
// files of another version, because another tab has switched to it, or because the server's files were
// replaced while this page was loading.
export async function startOffline({ version, onready, onupdate, onpast }) {
  const workers = navigator.serviceWorker; // absent without https or localhost
  if (!workers) return;
  let asked = false;
  let controlled = Boolean(workers.controller); // whether a worker provided the page's files
  let registration;
  try {
    registration = await workers.register("sw.js");
  } catch {
    return; // blocked: the lab works only with its server
  }

  workers.addEventListener("controllerchange", () => {
    if (!workers.controller) return; // the browser has deleted the worker, as Chromium does on a full disk
    if (asked) location.reload();
    else if (controlled) onpast();
    else look();
    controlled = true;
  });
  const offer = (waiting) =>
    onupdate(() => {
      asked = true;
      waiting.postMessage("take over");
    });

  // An installed worker is an update only if an earlier worker is active. That the page has a
  // controller does not prove this: in WebKit, the first worker controls the page before it is
  // reported as installed.
  function follow(worker) {
    worker?.addEventListener("statechange", () => {
      if (worker.state === "installed" && workers.controller && registration.active) offer(worker);
    });
  }
  if (registration.waiting && workers.controller) offer(registration.waiting);
  follow(registration.installing);
  registration.addEventListener("updatefound", () => follow(registration.installing));

  // look compares the worker's copy with this page.
  async function look() {
    const copies = (await caches.keys()).filter((name) => name.startsWith(`macroscope-${new URL(registration.scope).pathname}-`));
    if (copies.some((name) => name.endsWith(`-${version}`))) onready();
    else if (copies.length > 0 && workers.controller) onpast();
  }

  await workers.ready;
  await look();
}
