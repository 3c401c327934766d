// The service worker keeps a copy of one version of the lab and serves the lab from this copy,
// so files of two versions never mix. The build fills in the next two lines; without a build,
// nothing is kept.
const VERSION = "dev";
const FILES = [];

const kept = VERSION !== "dev";
const prefix = "macroscope-";
const scope = new URL(registration.scope).pathname;
const name = `${prefix}${scope}-${VERSION}`;

addEventListener("install", (event) => {
  if (!kept) {
    skipWaiting();
    return;
  }
  event.waitUntil(fill());
});

async function fill() {
  const cache = await caches.open(name);
  // Each file is revalidated with the server, because the browser's own cache may contain an
  // earlier version.
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
}

addEventListener("activate", (event) => {
  event.waitUntil(tidy());
});

async function tidy() {
  const names = await caches.keys();
  await Promise.all(names.filter((n) => n.startsWith(`${prefix}${scope}-`) && n !== name).map((n) => caches.delete(n)));
  await clients.claim();
}

addEventListener("message", ({ data }) => {
  if (data === "take over") skipWaiting();
});

addEventListener("fetch", (event) => {
  if (!kept || event.request.method !== "GET") return;
  if (new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(answer(event.request));
});

async function answer(request) {
  const cache = await caches.open(name);
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}
