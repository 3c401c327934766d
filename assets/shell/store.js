// Keeps saves in the browser's cache storage, which outlives the page: for every tab, the last
// save of each lab. A tab finds its own saves after a reload; a new tab finds the newest save of
// each lab. A save that could not be resumed is set aside until the visitor deletes it. If
// storage is blocked or full, every function may reject.
//
// A page without HTTPS has no cache storage and keeps its saves in IndexedDB. Chromium deletes a database
// that was written while the disk was full, with everything in it. In the cache storage every record is a file of its own, and a write that fails
// leaves the other records intact.
//
// Each tab, and each frame of a tab, has a unique name for its saves, and locks this name while it is open. A
// duplicated tab starts with the same stored name, cannot lock it, and takes another name. It
// begins with the saves of the tab that it duplicates. A page that ends marks the storage of its
// tab. A page that finds the mark therefore follows another page in its tab and waits until that
// page has released the lock; a duplicate finds no mark and does not wait. A page without HTTPS
// has no locks: its duplicates ask it for its name instead.
//
// A save consists of one record in "labs", with the parts that change every time, and one
// record in "parts" for each part that is written once. The record in "labs" is written last, and
// old records are deleted afterwards. If the page ends meanwhile, either this save or the previous
// one is intact.
import { ofTab } from "./oftab.js";

const others = 4; // number of saves of a lab that are kept after their tabs have closed, whatever their age
const age = 30; // days of use for which every save is kept after it was written
const place = `macroscope ${new URL(".", location.href).pathname}`; // one per URL: two copies of the lab on one origin have separate databases

// What all tabs share beside the records. The visitor may block it.
const shared = {
  get(name) {
    try {
      return localStorage.getItem(`${place} ${name}`);
    } catch {
      return null;
    }
  },
  set(name, text) {
    try {
      localStorage.setItem(`${place} ${name}`, text);
    } catch {}
  },
  remove(name) {
    try {
      localStorage.removeItem(`${place} ${name}`);
    } catch {}
  },
};

// The browser deletes databases when it needs space, but not the local storage. A mark in the
// local storage therefore reveals that saves were deleted.
const mark = "saved";

// dropMark removes the mark and reports whether it was there.
function dropMark() {
  const was = shared.get(mark) !== null;
  shared.remove(mark);
  return was;
}

// The clock may be wrong, so two counters give the saves their order and their age. Each save has the
// numbers of its time. The counters continue from the largest numbers that the page has found.
const counters = { order: 0, day: 0 };
const stored = (name) => Number.parseInt(shared.get(name), 10) || 0;

// see learns the numbers of saves.
function see(saves) {
  for (const name of ["order", "day"]) {
    for (const { [name]: number } of saves) if (Number.isSafeInteger(number)) counters[name] = Math.max(counters[name], number);
  }
}

// numbers returns the order and the day of a save that is written now.
function numbers() {
  counters.order = Math.max(counters.order, stored("order")) + 1;
  shared.set("order", String(counters.order));
  return { order: counters.order, day: today() };
}

// today returns the number of days on which the lab was used. A new date counts as one day, also if the
// clock has jumped by a year.
function today() {
  const date = new Date().toDateString();
  counters.day = Math.max(counters.day, stored("day"));
  if (shared.get("day") !== `${counters.day} ${date}`) shared.set("day", `${++counters.day} ${date}`);
  return counters.day;
}

// later compares saves: the last one first. Saves of an earlier version of the lab have only a time.
const later = (a, b) => (b.order || 0) - (a.order || 0) || b.time - a.time;

// A place for records has two functions. A record's fields are tab, lab, key (in "parts"), bytes and
// others.
//   all(name, tab, lab)     resolves to the records called name, of this tab and lab if they are given
//   change(plan, tab, lab)  calls plan(there) with the set of the keys of this save's parts. plan
//                           returns {drops, puts}: the keys of records to delete, [name, tab, lab,
//                           key] or, for all parts of a save, without key; and the records to
//                           write, [name, record].

// inCaches keeps records in a cache. The key of a record is a URL whose query contains all fields
// except the bytes. Every access opens the cache, because the visitor may have cleared the page's
// storage.
const inCaches = {
  async list() {
    const cache = await caches.open(place);
    const found = await cache.keys();
    return { cache, list: found.map(({ url }) => ({ url, record: JSON.parse(decodeURIComponent(url.slice(url.indexOf("?") + 1))) })) };
  },
  async all(name, tab, lab) {
    const { cache, list } = await this.list();
    const read = async (url) => new Uint8Array(await (await cache.match(url)).arrayBuffer());
    const found = list.filter(({ record }) => is(record, name, tab, lab));
    return Promise.all(found.map(async ({ url, record }) => ({ ...record, bytes: await read(url).catch(() => undefined) })));
  },
  // Each record is written under a new URL, because a write under an existing URL deletes the old
  // record even if there is no space for the new one.
  async change(plan, tab, lab) {
    const { cache, list } = await this.list();
    const parts = list.filter(({ record }) => is(record, "parts", tab, lab));
    const { drops, puts } = plan(new Set(parts.map(({ record }) => record.key)));
    for (const [name, { bytes, ...record }] of puts) {
      const id = unique();
      await cache.put(`saves?${encodeURIComponent(JSON.stringify({ name, ...record, id }))}`, new Response(bytes));
    }
    const old = [...drops, ...puts.map(([name, { tab, lab, key }]) => [name, tab, lab, key])];
    for (const { url, record } of list) if (old.some((of) => is(record, ...of))) await cache.delete(url);
  },
};

// is reports whether a record has a name and, if they are given, a tab, a lab and a key.
const is = (record, name, tab = record.tab, lab = record.lab, key = record.key) =>
  record.name === name && record.tab === tab && record.lab === lab && record.key === key;

const lose = () => {
  opened = undefined;
};

// openDatabase resolves to the database.
function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(place, 3);
    request.onupgradeneeded = () => {
      const db = request.result;
      for (const name of db.objectStoreNames) db.deleteObjectStore(name); // of an earlier version
      db.createObjectStore("labs", { keyPath: ["tab", "lab"] });
      db.createObjectStore("parts", { keyPath: ["tab", "lab", "key"] });
    };
    request.onblocked = () => reject(new Error("another tab holds an older version"));
    request.onsuccess = () => {
      const db = request.result;
      db.onclose = lose; // for example because the visitor cleared the page's storage
      db.onversionchange = () => {
        db.close();
        lose();
      };
      resolve(db);
    };
    request.onerror = () => reject(request.error);
  });
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// inDatabase keeps records in a database. It changes them in one transaction.
function inDatabase(db) {
  // under returns the range of the keys that begin with a key. It ends with an array, because in
  // IndexedDB an array sorts after every text.
  const under = (key) => IDBKeyRange.bound(key, [...key, []]);
  return {
    all: (name, ...key) => done(db.transaction(name).objectStore(name).getAll(key.length > 0 ? under(key) : undefined)),
    async change(plan, tab, lab) {
      const transaction = db.transaction(["labs", "parts"], "readwrite");
      const ended = new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error);
      });
      transaction.objectStore("parts").getAllKeys(under([tab, lab])).onsuccess = ({ target }) => {
        const { drops, puts } = plan(new Set(target.result.map(([, , key]) => key)));
        for (const [name, ...key] of drops) transaction.objectStore(name).delete(under(key));
        for (const [name, record] of puts) transaction.objectStore(name).put(record);
      };
      return ended;
    },
  };
}

async function open() {
  try {
    await caches.open(place);
    return inCaches;
  } catch {
    return inDatabase(await openDatabase()); // a page without HTTPS, or a browser that forbids caches
  }
}

let opened; // a promise of the place for the records; undefined before the first use and after a failure
let last = Promise.resolve(); // the last access; accesses follow one another
const longest = 20_000; // ms after which an access counts as failed, because a full disk can block a database for ever

// access calls use(place) after all earlier accesses, and resolves to its result. After a failure the
// place is opened again.
function access(use) {
  const tried = async () => {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error("the storage does not answer")), longest);
    });
    try {
      opened ??= open();
      return await Promise.race([opened.then(use), late]);
    } catch (error) {
      lose();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  const result = last.then(tried);
  last = result.catch(() => {});
  return result;
}

const all = (...of) => access((kept) => kept.all(...of));
const change = (plan, ...of) => access((kept) => kept.change(plan, ...of));

// recordsOf returns the keys of all records of a save, for change.
const recordsOf = (tab, lab) => [["labs", tab, lab], ["parts", tab, lab]];

const isBytes = (value) => value instanceof Uint8Array;

// sound reports whether a save's record is readable.
const sound = ({ lab, time, bytes, parts = [], fragment }) =>
  typeof lab === "string" && Number.isFinite(time) && isBytes(bytes) && Array.isArray(parts) && typeof fragment === "string";

// withParts resolves to a save in the worker's form: all its parts, the first without a
// key. A missing or unreadable part is omitted.
async function withParts({ bytes, parts = [], ...save }) {
  const found = parts.length > 0 ? await all("parts", save.tab, save.lab) : [];
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
  if (!navigator.locks) return holdUnlocked(name, waits);
  return new Promise((resolve) => {
    const held = (lock) => {
      resolve(Boolean(lock));
      return lock && new Promise(() => {});
    };
    navigator.locks.request(`${place} ${name}`, waits ? { signal: AbortSignal.timeout(patience) } : { ifAvailable: true }, held).catch(() => resolve(false));
  });
}

const answering = 300; // ms in which the page that has a name answers

// holdUnlocked is hold for a page without locks. Every page listens on a channel and answers whoever asks
// for its name. A page that follows another in its tab does not ask, because the other has ended.
function holdUnlocked(name, follows) {
  if (typeof BroadcastChannel !== "function") return true;
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(`${place} names`);
    let holds = false;
    const take = () => {
      holds = true;
      resolve(true);
    };
    channel.onmessage = ({ data }) => {
      if (data.asks === name && holds) channel.postMessage({ has: name });
      if (data.has !== name || holds) return;
      channel.close();
      resolve(false);
    };
    if (follows) return take();
    channel.postMessage({ asks: name });
    setTimeout(take, answering);
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
  name = unique();
  ofTab.set("macroscope.tab", name);
  attempts.forget(); // the counts belong to the tab that was duplicated
  await hold(name, !navigator.locks); // nobody else has a new name
  return name;
}

let taken; // promise of this tab's name

const tabName = () => (taken ??= takeName());

const aside = "aside "; // prefix of the lab's name in a save that was set aside

const isAside = ({ lab }) => String(lab).startsWith(aside);

// asideOf returns a new name of the lab for a save that is set aside.
const asideOf = (lab) => `${aside}${lab} ${unique()}`;

const unique = () => crypto.getRandomValues(new Uint32Array(2)).join("-");

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
  see(records);
  lost = records.length === 0 && dropMark();
  const found = records.filter((record) => !isAside(record));
  const good = found.filter(sound);
  const rank = (save) => (save.tab === tab ? 2 : save.tab === origin ? 1 : 0);
  good.sort((a, b) => rank(b) - rank(a) || later(a, b));
  const isOpen = await openTabs();
  const saves = new Map();
  const count = new Map();
  const old = [];
  for (const save of good) {
    if (!saves.has(save.lab)) saves.set(save.lab, { ...(await withParts(save)), own: save.tab === tab });
    if (save.tab === tab || isOpen(save.tab)) continue;
    count.set(save.lab, (count.get(save.lab) ?? 0) + 1);
    if (count.get(save.lab) > others && today() - (save.day || 0) > age) old.push(save);
  }
  const bad = found.filter((save) => !sound(save));
  if (old.length + bad.length > 0) {
    const at = { time: Date.now(), ...numbers() };
    await change(() => ({
      drops: [...old, ...bad].flatMap(({ tab, lab }) => recordsOf(tab, lab)),
      puts: bad.map(({ tab, lab, bytes }) => ["labs", { tab, lab: asideOf(lab), ...at, bytes: isBytes(bytes) ? bytes : new Uint8Array() }]),
    }), tab).catch(() => {}); // a disk may be full: the next page tries again
  }
  return saves;
}

// attempts counts how often this tab has begun to restore a save.
export const attempts = {
  count: () => Number(ofTab.get("macroscope.attempts") ?? 0),
  add: () => ofTab.set("macroscope.attempts", attempts.count() + 1),
  forget: () => ofTab.remove("macroscope.attempts"),
};

// writeSave stores this tab's save of a lab, and resolves to whether the save is complete. If there
// is not enough space, it leaves out the visitor's file and the simulated data of a training, unless
// they are stored already.
export async function writeSave({ lab, parts: [{ bytes }, ...keyed], fragment, running }) {
  const tab = await tabName();
  const write = async (small) => {
    let whole;
    const at = numbers();
    await change((there) => {
      const parts = keyed.filter(({ key }) => !small || there.has(key) || !/^(data|item) /.test(key));
      whole = parts.length === keyed.length;
      const keys = parts.map(({ key }) => key);
      const added = parts.filter(({ key }) => !there.has(key)); // stored parts are not rewritten
      return {
        drops: [...there].filter((key) => !keys.includes(key)).map((key) => ["parts", tab, lab, key]),
        puts: [...added.map(({ key, bytes }) => ["parts", { tab, lab, key, bytes }]), ["labs", { tab, lab, time: Date.now(), ...at, bytes, parts: keys, fragment, running }]],
      };
    }, tab, lab);
    return whole;
  };
  const complete = await write(false).catch(() => write(true));
  shared.set(mark, "yes");
  return complete;
}

// setAside keeps a save for download only, beside those that were set aside before. It resolves to the
// save as readAside would.
export async function setAside(save) {
  const mine = await tabName();
  const { tab = mine, lab, time = Date.now() } = save;
  const record = { tab, lab: asideOf(lab), time, ...numbers(), bytes: whole(save) };
  await change(() => ({ drops: [...recordsOf(tab, lab), ...recordsOf(mine, lab)], puts: [["labs", record]] }), mine, lab);
  return withParts(record).then(shownAside);
}

// shownAside returns a save that was set aside with the lab's name as `lab`, and its key as `key`.
const shownAside = ({ lab, ...save }) => ({ ...save, lab: lab.slice(aside.length).split(" ")[0], key: lab });

// readAside resolves to the last save that was set aside, or to undefined.
export async function readAside() {
  const found = (await all("labs")).filter(isAside);
  found.sort(later);
  return found[0] && shownAside(await withParts(found[0]));
}

// dropAside deletes a save that was set aside. It deletes nothing if the save could not be stored.
export async function dropAside({ tab, key }) {
  if (key === undefined) return;
  await change(() => ({ drops: recordsOf(tab, key), puts: [] }));
  if ((await all("labs")).length === 0) dropMark();
}
