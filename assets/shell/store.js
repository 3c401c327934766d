// Keeps saves in IndexedDB, which outlives the page: for every tab, the last save of each lab. A
// tab finds its own saves after a reload; a new tab finds the newest save of each lab. A save that
// could not be resumed is set aside until the visitor has downloaded it. If storage is blocked
// or full, every function may reject.
//
// Each tab has a unique name for its saves, and locks this name while the tab is open. A
// duplicated tab starts with the same stored name, cannot lock it, and takes another name. It
// begins with the saves of the tab that it duplicates. A page that ends marks the storage of its
// tab. A page that finds the mark therefore follows another page in its tab and waits until that
// page has released the lock; a duplicate finds no mark and does not wait. A page without HTTPS
// has no locks and cannot detect a duplicate.
//
// A save consists of one record in "labs", with the parts that change every time, and one
// record in "parts" for each part that is written once. It is written in one transaction: if
// the page ends meanwhile, either this save or the previous one is intact.

const others = 4; // number of saves of a lab that are kept after their tabs have closed, whatever their age
const age = 30 * 86_400_000; // ms for which every save is kept after it was written
const place = `macroscope ${new URL(".", location.href).pathname}`; // one per URL: two copies of the lab on one origin have separate databases

// The browser deletes databases when it needs space, but not the local storage. A mark in the
// local storage therefore reveals that saves were deleted.
const marked = {
  mark: `${place} saved`,
  set() {
    try {
      localStorage.setItem(this.mark, "yes");
    } catch {} // the visitor blocks the local storage
  },
  // drop removes the mark and reports whether it was there.
  drop() {
    try {
      const was = localStorage.getItem(this.mark) !== null;
      localStorage.removeItem(this.mark);
      return was;
    } catch {
      return false;
    }
  },
};

// Texts that outlive a reload of the tab. If the visitor blocks storage, they last until the
// page ends.
const ofTab = {
  texts: new Map(),
  get(name) {
    try {
      return sessionStorage.getItem(name);
    } catch {
      return this.texts.get(name) ?? null;
    }
  },
  set(name, text) {
    this.texts.set(name, text);
    try {
      sessionStorage.setItem(name, text);
    } catch {}
  },
  remove(name) {
    this.texts.delete(name);
    try {
      sessionStorage.removeItem(name);
    } catch {}
  },
};

let opened; // a promise of the database; undefined before the first use and after the connection is lost

const lose = () => {
  opened = undefined;
};

// database resolves to the database. It reopens the database after a failure, and after the
// browser has closed it, for example because the visitor cleared the page's storage.
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(place, 3);
    request.onupgradeneeded = ({ oldVersion }) => upgrade(request, oldVersion);
    request.onblocked = () => reject(new Error("another tab holds an older version"));
    request.onsuccess = () => {
      const db = request.result;
      db.onclose = lose;
      db.onversionchange = () => {
        db.close();
        lose();
      };
      resolve(db);
    };
    request.onerror = () => reject(request.error);
  });
  opened.catch(lose);
  return opened;
}

// upgrade creates the stores and converts the saves of an older database. A database of version 1
// has saves of one lab, demo. In version 2 a save is one record without parts, which stays valid.
function upgrade({ result: db, transaction }, from) {
  db.createObjectStore("parts", { keyPath: ["tab", "lab", "key"] });
  if (from === 2) return;
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

// change calls make(labs, parts), which may change both stores, and resolves when the
// transaction is complete.
async function change(make) {
  const transaction = (await database()).transaction(["labs", "parts"], "readwrite");
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    make(transaction.objectStore("labs"), transaction.objectStore("parts"));
  });
}

async function all(name, range) {
  return done((await database()).transaction(name).objectStore(name).getAll(range));
}

// of returns the key range of a save's parts. The range ends with an array, because in
// IndexedDB an array sorts after every text.
const of = (tab, lab) => IDBKeyRange.bound([tab, lab], [tab, lab, []]);

function remove(labs, parts, tab, lab) {
  labs.delete([tab, lab]);
  parts.delete(of(tab, lab));
}

const isBytes = (value) => value instanceof Uint8Array;

// sound reports whether a save's record is readable.
const sound = ({ lab, time, bytes, parts = [], fragment }) =>
  typeof lab === "string" && Number.isFinite(time) && isBytes(bytes) && Array.isArray(parts) && typeof fragment === "string";

// withParts resolves to a save in the worker's form: all its parts, the first without a
// key. A missing or unreadable part is omitted.
async function withParts({ bytes, parts = [], ...save }) {
  const found = parts.length > 0 ? await all("parts", of(save.tab, save.lab)) : [];
  const kept = new Map(found.filter((part) => isBytes(part.bytes)).map((part) => [part.key, part]));
  return { ...save, parts: [{ key: "", bytes }, ...parts.filter((key) => kept.has(key)).map((key) => kept.get(key))] };
}

// whole joins the parts of a save into one file.
export function whole({ parts }) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part.bytes, at);
    at += part.bytes.length;
  }
  return bytes;
}

const patience = 5000; // longest wait in ms until the page before a reload releases its lock
const ended = "macroscope.ended"; // marks a tab whose last page has ended

// hold locks a tab's name until the page ends. It resolves to whether it has the lock. If `waits`
// is set, it waits for another page to release the lock.
function hold(name, waits) {
  if (!navigator.locks) return true;
  return new Promise((resolve) => {
    const held = (lock) => {
      resolve(Boolean(lock));
      return lock && new Promise(() => {});
    };
    navigator.locks.request(`${place} ${name}`, waits ? { signal: AbortSignal.timeout(patience) } : { ifAvailable: true }, held).catch(() => resolve(false));
  });
}

// openTabs resolves to a function that reports whether a tab is open.
async function openTabs() {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const names = new Set(held.map(({ name }) => name));
  return (tab) => names.has(`${place} ${tab}`);
}

let origin; // name of the tab from which this tab was duplicated

async function takeName() {
  let name = ofTab.get("macroscope.tab");
  const follows = ofTab.get(ended) !== null;
  ofTab.remove(ended);
  addEventListener("pagehide", () => ofTab.set(ended, "yes"));
  addEventListener("pageshow", () => ofTab.remove(ended)); // the browser can show a page again that has ended
  if (name && (await hold(name, follows))) return name;
  origin = name;
  name = crypto.getRandomValues(new Uint32Array(2)).join("-");
  ofTab.set("macroscope.tab", name);
  attempts.forget(); // the counts belong to the tab that was duplicated
  await hold(name, false);
  return name;
}

let taken; // promise of this tab's name

const tabName = () => (taken ??= takeName());

const aside = "aside "; // prefix of the lab's name in a save that was set aside

let lost = false;

// savesLost reports whether readSaves has found that the browser deleted all saves.
export const savesLost = () => lost;

// readSaves resolves to a Map from lab to a save {parts, fragment, running, own}: this tab's
// save or, if it has none, the save of the tab from which it was duplicated, or else the newest
// save of any tab. own reports whether the save is this tab's. An unreadable record is set aside.
// Old saves of closed tabs are deleted.
export async function readSaves() {
  const tab = await tabName();
  const records = await all("labs");
  lost = records.length === 0 && marked.drop();
  const found = records.filter(({ lab }) => !String(lab).startsWith(aside));
  const good = found.filter(sound);
  const rank = (save) => (save.tab === tab ? 2 : save.tab === origin ? 1 : 0);
  good.sort((a, b) => rank(b) - rank(a) || b.time - a.time);
  const isOpen = await openTabs();
  const saves = new Map();
  const count = new Map();
  const old = [];
  for (const save of good) {
    if (!saves.has(save.lab)) saves.set(save.lab, { ...(await withParts(save)), own: save.tab === tab });
    if (save.tab === tab || isOpen(save.tab)) continue;
    count.set(save.lab, (count.get(save.lab) ?? 0) + 1);
    if (count.get(save.lab) > others && Date.now() - save.time > age) old.push(save);
  }
  const bad = found.filter((save) => !sound(save));
  if (old.length + bad.length > 0) {
    await change((labs, parts) => {
      for (const { tab, lab } of [...old, ...bad]) remove(labs, parts, tab, lab);
      const time = Date.now();
      for (const { tab, lab, bytes } of bad) labs.put({ tab, lab: aside + lab, time, bytes: isBytes(bytes) ? bytes : new Uint8Array() });
    }).catch(() => {}); // a disk may be full: the next page tries again
  }
  return saves;
}

// attempts counts how often this tab has begun to restore a save.
export const attempts = {
  count: () => Number(ofTab.get("macroscope.attempts") ?? 0),
  add: () => ofTab.set("macroscope.attempts", attempts.count() + 1),
  forget: () => ofTab.remove("macroscope.attempts"),
};

// writeSave stores this tab's save of a lab. If there is not enough space, it leaves out the
// visitor's file and the simulated data of a training.
export async function writeSave(save) {
  try {
    await write(save);
  } catch (error) {
    const parts = save.parts.filter(({ key }) => !/^(data|item) /.test(key));
    if (parts.length === save.parts.length) throw error;
    await write({ ...save, parts });
  }
}

async function write({ lab, parts: [{ bytes }, ...keyed], fragment, running }) {
  const tab = await tabName();
  await change((labs, parts) => {
    labs.put({ tab, lab, time: Date.now(), bytes, parts: keyed.map(({ key }) => key), fragment, running });
    // Stored parts are not rewritten; parts absent from the save are deleted.
    parts.getAllKeys(of(tab, lab)).onsuccess = ({ target }) => {
      const there = new Set(target.result.map(([, , key]) => key));
      for (const { key, bytes } of keyed) if (!there.delete(key)) parts.put({ tab, lab, key, bytes });
      for (const key of there) parts.delete([tab, lab, key]);
    };
  });
  marked.set();
}

// setAside keeps a save for download only.
export async function setAside(save) {
  const mine = await tabName();
  const { tab = mine, lab, time = Date.now() } = save;
  await change((labs, parts) => {
    remove(labs, parts, tab, lab);
    remove(labs, parts, mine, lab);
    labs.put({ tab, lab: aside + lab, time, bytes: whole(save) });
  });
}

// readAside resolves to the last save that was set aside, or to undefined. The lab in the
// result has no prefix.
export async function readAside() {
  const found = (await all("labs")).filter(({ lab }) => String(lab).startsWith(aside));
  found.sort((a, b) => b.time - a.time);
  return found[0] && withParts({ ...found[0], lab: found[0].lab.slice(aside.length) });
}

// dropAside deletes every save that was set aside.
export async function dropAside() {
  const found = (await all("labs")).filter(({ lab }) => String(lab).startsWith(aside));
  await change((labs, parts) => {
    for (const { tab, lab } of found) remove(labs, parts, tab, lab);
  });
  if ((await all("labs")).length === 0) marked.drop();
}
