// The service worker keeps a copy of one version of the lab and serves the lab from this copy. The
// build fills in the next two lines; without a build, nothing is kept. FILES maps the name of each file
// to its digest: the beginning of its SHA-256. Only a file with its digest is kept, so neither a file
// of another version nor another answer of the network, such as a filter's page, gets into the copy.
const VERSION = "dev";
const FILES = {};

const kept = VERSION !== "dev";
const prefix = "macroscope-";
const scope = new URL(registration.scope).pathname;
const name = `${prefix}${scope}-${VERSION}`;
const connections = 6; // number of files that are fetched at the same time

addEventListener("install", (event) => {
  if (!kept) {
    skipWaiting();
    return;
  }
  event.waitUntil(fill());
});

// fill completes the copy. It fails if the server does not have all files of this version, for example
// during an upload. The browser then keeps the earlier worker and installs this one at a later visit,
// which continues the copy.
async function fill() {
  const cache = await caches.open(name);
  const left = Object.keys(FILES);
  await Promise.all(Array.from({ length: connections }, async () => {
    for (let file; (file = left.pop()); ) {
      if (await cache.match(file)) continue;
      const response = await fetchChecked(file);
      if (!response) throw new Error(`the server has another ${file} than this version of the lab`);
      await cache.put(file, response);
    }
  }));
}

// fetchChecked resolves to a file of this version, or to null if the server's file is another one. The
// browser's own cache may contain an earlier version, so the file is revalidated. A cache on the way
// may contain one too, so a second request has an address of its own.
async function fetchChecked(file) {
  for (const [url, cache] of [[file, "no-cache"], [`${file}?${encodeURIComponent(FILES[file])}`, "reload"]]) {
    const response = await fetch(url, { cache });
    const bytes = await response.arrayBuffer();
    if (!response.ok || (await digest(bytes)) !== FILES[file]) continue;
    const headers = new Headers(response.headers);
    for (const of of ["content-encoding", "content-length"]) headers.delete(of); // they describe the bytes on the way
    return new Response(bytes, { headers });
  }
  return null;
}

async function digest(bytes) {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...sum.subarray(0, 6)));
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
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== location.origin || !pathname.startsWith(scope) || event.request.method !== "GET") return;
  const file = pathname.slice(scope.length) || "./";
  if (Object.hasOwn(FILES, file)) event.respondWith(answer(event.request, file));
});

// answer takes a file from the copy. If the browser or the visitor has deleted the copy, the server
// answers everything. If the copy lacks one file and the server has another version, the copy is of no
// use: it is deleted, and a page that is open gets an error instead of a file of the other version.
async function answer(request, file) {
  if (!(await caches.has(name))) return fetch(request);
  const cache = await caches.open(name);
  const found = (await cache.match(file)) ?? (await fetchChecked(file));
  if (found) return found;
  await caches.delete(name);
  return request.mode === "navigate" ? fetch(request) : Response.error();
}
