// What outlives the page: the last save of each tab, in IndexedDB. A tab finds
// its own save after a reload; a new tab finds the newest. Every function may
// reject where storage is blocked or full.

const kept = 4; // saves of other tabs that are kept

let opened;

function database() {
  opened ??= new Promise((resolve, reject) => {
    // Two labs under one origin do not share their saves.
    const request = indexedDB.open(`macroscope ${new URL(".", location.href).pathname}`, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("saves", { keyPath: "tab" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function saves(mode) {
  return (await database()).transaction("saves", mode).objectStore("saves");
}

function tabName() {
  let name = sessionStorage.getItem("macroscope.tab");
  if (!name) {
    name = crypto.getRandomValues(new Uint32Array(2)).join("-");
    sessionStorage.setItem("macroscope.tab", name);
  }
  return name;
}

// readSave resolves to this tab's save {bytes, fragment, running}, or else the
// newest, or else undefined. own says whether it is this tab's.
export async function readSave() {
  const mine = tabName();
  const all = await done((await saves("readonly")).getAll());
  all.sort((a, b) => b.time - a.time);
  const save = all.find((s) => s.tab === mine) ?? all[0];
  return save && { ...save, own: save.tab === mine };
}

// writeSave keeps this tab's save and forgets the oldest of the others.
export async function writeSave({ bytes, fragment, running }) {
  const tab = tabName();
  const store = await saves("readwrite");
  await done(store.put({ tab, time: Date.now(), bytes, fragment, running }));
  if ((await done(store.count())) <= kept + 1) return;
  const all = await done(store.getAll());
  all.sort((a, b) => b.time - a.time);
  for (const old of all.slice(kept + 1)) store.delete(old.tab);
}

// dropSave forgets this tab's save.
export async function dropSave() {
  const tab = tabName();
  await done((await saves("readwrite")).delete(tab));
}
