// What outlives the page: the last save of each lab in each tab, in IndexedDB. A
// tab finds its own saves after a reload; a new tab finds the newest of each lab.
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

// writeSave keeps this tab's save of a lab.
export async function writeSave({ lab, bytes, fragment, running }) {
  const tab = tabName();
  await done((await store("readwrite")).put({ tab, lab, time: Date.now(), bytes, fragment, running }));
}

// dropSave forgets this tab's save of a lab.
export async function dropSave(lab) {
  const tab = tabName();
  await done((await store("readwrite")).delete([tab, lab]));
}
