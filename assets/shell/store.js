// What outlives the page: the last save of each lab in each tab, in IndexedDB. A
// tab finds its own saves after a reload; a new tab finds the newest of each lab. A
// save that could not be gone on from is set aside until the visitor has taken it.
// Every function may reject where storage is blocked or full.

const others = 4; // saves of a lab in other tabs that are kept

let opened;

function database() {
  opened ??= new Promise((resolve, reject) => {
    // Two copies of the page under one origin do not share their saves.
    const request = indexedDB.open(`macroscope ${new URL(".", location.href).pathname}`, 2);
    request.onupgradeneeded = () => upgrade(request);
    request.onblocked = () => reject(new Error("another tab holds an older version"));
    request.onsuccess = () => {
      const db = request.result;
      db.onversionchange = () => db.close();
      resolve(db);
    };
    request.onerror = () => reject(request.error);
  });
  return opened;
}

// upgrade makes the store, and takes over the saves of the first version, which
// knew one lab.
function upgrade({ result: db, transaction }) {
  const store = db.createObjectStore("labs", { keyPath: ["tab", "lab"] });
  if (!db.objectStoreNames.contains("saves")) return;
  transaction.objectStore("saves").getAll().onsuccess = ({ target }) => {
    for (const save of target.result) store.put({ ...save, lab: "demo" });
    db.deleteObjectStore("saves");
  };
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function store(mode) {
  return (await database()).transaction("labs", mode).objectStore("labs");
}

function tabName() {
  let name = sessionStorage.getItem("macroscope.tab");
  if (!name) {
    name = crypto.getRandomValues(new Uint32Array(2)).join("-");
    sessionStorage.setItem("macroscope.tab", name);
  }
  return name;
}

const aside = "aside "; // before the lab of a save that was set aside

// readSaves resolves to a Map from lab to this tab's save {bytes, fragment,
// running, own}, or else the newest; own says whether it is this tab's. Old saves
// of other tabs are forgotten.
export async function readSaves() {
  const tab = tabName();
  const all = await done((await store("readonly")).getAll());
  all.sort((a, b) => (b.tab === tab) - (a.tab === tab) || b.time - a.time);
  const saves = new Map();
  const count = new Map();
  const old = [];
  for (const save of all) {
    if (save.lab.startsWith(aside)) continue;
    if (!saves.has(save.lab)) saves.set(save.lab, { ...save, own: save.tab === tab });
    if (save.tab === tab) continue;
    count.set(save.lab, (count.get(save.lab) ?? 0) + 1);
    if (count.get(save.lab) > others) old.push([save.tab, save.lab]);
  }
  if (old.length > 0) {
    const all = await store("readwrite");
    for (const key of old) all.delete(key);
  }
  return saves;
}

// attempts counts, in this tab, how often a save was begun to be restored.
export const attempts = {
  count: () => Number(sessionStorage.getItem("macroscope.attempts") ?? 0),
  add: () => sessionStorage.setItem("macroscope.attempts", attempts.count() + 1),
  forget: () => sessionStorage.removeItem("macroscope.attempts"),
};

// writeSave keeps this tab's save of a lab.
export async function writeSave({ lab, bytes, fragment, running }) {
  const tab = tabName();
  await done((await store("readwrite")).put({ tab, lab, time: Date.now(), bytes, fragment, running }));
}

// setAside keeps a save for the visitor alone.
export async function setAside(save) {
  const all = await store("readwrite");
  if (save.tab) all.delete([save.tab, save.lab]);
  all.delete([tabName(), save.lab]);
  await done(all.put({ ...save, tab: save.tab ?? tabName(), lab: aside + save.lab }));
}

// readAside resolves to the last save that was set aside, undefined if there is
// none; its lab is a lab's.
export async function readAside() {
  const all = (await done((await store("readonly")).getAll())).filter(({ lab }) => lab.startsWith(aside));
  all.sort((a, b) => b.time - a.time);
  return all[0] && { ...all[0], lab: all[0].lab.slice(aside.length) };
}

// dropAside forgets all that was set aside.
export async function dropAside() {
  const all = await store("readwrite");
  const keys = (await done(all.getAllKeys())).filter(([, lab]) => lab.startsWith(aside));
  await Promise.all(keys.map((key) => done(all.delete(key))));
}
