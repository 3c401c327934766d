// Tabs of one origin for assets/shell/store.js, without a browser: their storage and their
// locks. The constant `secure` says whether the tabs have caches and locks. A transaction in the
// database changes everything or nothing.
const nothing = () => ({ labs: new Map(), parts: new Map() });
let kept = nothing(); // all records, in the caches or in the database
let room = Infinity; // size of the storage in bytes
let broken = false; // whether reading and writing the storage fails
const holders = new Map(); // tab that holds each lock, by the lock's name
let waits = 0; // number of requests that have waited for a lock

const later = (act) => Promise.resolve().then(act);
const keyOf = { labs: ({ tab, lab }) => [tab, lab], parts: ({ tab, lab, key }) => [tab, lab, key] };
const IDBKeyRange = { bound: (low) => ({ low }) };
const within = (key, range) => !range || (range.low ? range.low.every((v, i) => v === key[i]) : JSON.stringify(range) === JSON.stringify(key));

const size = ({ labs, parts }) => [...labs.values(), ...parts.values()].reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);

function transaction(names) {
  const all = { labs: new Map(kept.labs), parts: new Map(kept.parts) };
  const t = { error: null };
  let pending = 0;
  const ask = (act) => {
    const request = {};
    pending++;
    later(() => {
      if (t.error) return;
      request.result = act();
      request.onsuccess?.({ target: request });
      if (--pending > 0) return;
      if (size(all) > room) t.error = new Error("QuotaExceededError");
      else if (names.length === 2) kept = all;
      later(() => (t.error ? t.onabort?.() : t.oncomplete?.()));
    });
    return request;
  };
  t.objectStore = (name) => {
    const found = (range) => [...all[name].values()].filter((value) => within(keyOf[name](value), range));
    return {
      put: (value) => ask(() => all[name].set(JSON.stringify(keyOf[name](value)), value)),
      delete: (range) => ask(() => found(range).forEach((value) => all[name].delete(JSON.stringify(keyOf[name](value))))),
      getAll: (range) => ask(() => found(range)),
      getAllKeys: (range) => ask(() => found(range).map(keyOf[name])),
    };
  };
  return t;
}

const indexedDB = {
  open() {
    const request = {};
    later(() => {
      if (broken) {
        request.error = new Error("UnknownError");
        request.onerror();
        return;
      }
      request.result = { transaction, close() {} };
      request.onsuccess();
    });
    return request;
  },
};

// The cache computes a record's URL from the record, so that a test can change the record.
const urlOf = (name, { bytes, ...record }) => `http://host/saves?${encodeURIComponent(JSON.stringify({ name, ...record }))}`;
const find = (url) => ["labs", "parts"].flatMap((name) => [...kept[name]].map(([key, record]) => ({ name, key, record }))).find(({ name, record }) => urlOf(name, record) === url);
class Response {
  constructor(bytes) {
    this.bytes = bytes;
  }
  async arrayBuffer() {
    return this.bytes;
  }
}
const cache = {
  keys: async () => ["labs", "parts"].flatMap((name) => [...kept[name].values()].map((record) => ({ url: urlOf(name, record) }))),
  async match(url) {
    const { bytes } = find(url)?.record ?? {};
    return bytes && new Response(bytes);
  },
  // As in Chromium, a failed write deletes the record of the same URL.
  async put(url, { bytes }) {
    const { name, ...record } = JSON.parse(decodeURIComponent(url.slice(url.indexOf("?") + 1)));
    kept[name].delete(url);
    if (size(kept) + bytes.length > room) throw new Error("QuotaExceededError");
    kept[name].set(url, { ...record, bytes });
  },
  async delete(url) {
    const { name, key } = find(url);
    kept[name].delete(key);
  },
};
const caches = {
  async open() {
    if (broken || !secure) throw new Error("SecurityError");
    return cache;
  },
};

// All tabs share the local storage.
const local = new Map();
const localStorage = {
  getItem: (name) => local.get(name) ?? null,
  setItem: (name, value) => local.set(name, String(value)),
  removeItem: (name) => local.delete(name),
};

class URL {
  pathname = "/";
}
const location = {};
const AbortSignal = { timeout: () => null };
const timers = []; // a test calls them
const setTimeout = (act) => timers.push(act);
const clearTimeout = () => {};
let random = 0;
const crypto = { getRandomValues: () => ["tab", ++random] };

// Channels deliver to all others of the same name.
const channels = new Set();
class BroadcastChannel {
  constructor(name) {
    this.name = name;
    channels.add(this);
  }
  postMessage(data) {
    for (const other of channels) if (other !== this && other.name === this.name) later(() => other.onmessage({ data }));
  }
  close() {
    channels.delete(this);
  }
}

// Two frames of one page.
const host = {};
host.parent = host;
const frames = [{ parent: host }, { parent: host }];
Object.assign(host, frames, { length: 2 });

// A tab has its own session storage; a copy of the tab starts with a copy of this storage. self is the
// tab's window, or one of `frames`.
function openTab(items = {}, locked = true, self = host) {
  const sessionStorage = {
    getItem: (name) => items[name] ?? null,
    setItem: (name, value) => (items[name] = String(value)),
    removeItem: (name) => delete items[name],
  };
  const me = {}; // ended: a promise that resolves when a closed tab releases its locks
  const locks = {
    async request(name, { ifAvailable }, act) {
      const holder = holders.get(name);
      if (holder && ifAvailable) return act(null);
      if (holder) {
        waits++;
        if (!holder.ended) throw new Error("AbortError");
        await holder.ended;
      }
      holders.set(name, me);
      return act({});
    },
    query: async () => ({ held: [...holders.keys()].map((name) => ({ name })) }),
  };
  const listeners = {};
  const store = program(sessionStorage, locked ? { locks } : {}, localStorage, (type, listen) => (listeners[type] = listen), self);
  const release = () => {
    for (const [name, holder] of holders) if (holder === me) holders.delete(name);
  };
  // close closes the tab. If `slowly` is set, the tab releases its locks a moment later. It returns
  // the tab's session storage, so that a test can reload the tab.
  const close = (slowly = false) => {
    listeners.pagehide?.();
    if (slowly) me.ended = later(() => later(release));
    else release();
    return items;
  };
  const save = (lab, text, parts = []) => store.writeSave({ lab, parts: [{ key: "", bytes: bytesOf(text) }, ...parts], fragment: text });
  const read = async (lab) => {
    const found = (await store.readSaves()).get(lab);
    return found ? textOf(store.whole(found)) + (found.own ? ", its own" : "") : "nothing";
  };
  return { ...store, items, close, save, read };
}

const bytesOf = (text) => new Uint8Array([...text].map((c) => c.charCodeAt(0)));
const textOf = (bytes) => String.fromCharCode(...bytes);
