// Opens dropped and chosen files, and downloads files.

const describes = /(^|[.])(observables[.]csv|system)$/i; // files that describe others, as in the worker

// joint follows each of several files that are opened as one. The worker divides them there (system.File.Divided).
const joint = ({ name, size }) => `\n# macroscope: file, ${size} ${name.replace(/[\r\n]/g, " ")}\n`;

// listed resolves to the contents of a dropped folder. Folders in it are empty files with a name that ends with a slash.
async function listed(folder) {
  const reader = folder.createReader();
  const all = [];
  for (let some; (some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))).length > 0; ) all.push(...some);
  return Promise.all(all.map((entry) => (entry.isFile ? new Promise((resolve, reject) => entry.file(resolve, reject)) : Object.assign(new Blob(), { name: `${entry.name}/` }))));
}

// createFiles calls open(name, bytes) with a dropped or chosen file, or with several files or a folder as one file. It calls
// complain(text) if a file is too large or unreadable. largest() is the size in MiB of the largest file that the lab accepts.
export function createFiles({ input, curtain, largest, open, complain }) {
  let last = [];

  // take opens files. folder is the name of their folder, or "" if the visitor chose the files one by one.
  async function take(files, folder = "") {
    if (files.length === 0 && !folder) return;
    const data = files.filter(({ name }) => !describes.test(name));
    const name = folder || (data.length === 1 ? data[0].name : files.length === 1 ? files[0].name : `${files.length} files`);
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (size > largest() * 2 ** 20) {
      const advice = files.length > 1 ? "Open fewer files" : "Split the file";
      complain(`“${name}” has ${Math.round(size / 2 ** 20)} MB. The lab opens up to ${largest()} MB. ${advice}, or leave out what the lab does not need.`);
      return;
    }
    let bytes;
    try {
      const one = files.length === 1 && !folder;
      bytes = new Uint8Array(await (one ? files[0] : new Blob(files.flatMap((file) => [file, joint(file)]))).arrayBuffer());
    } catch {
      complain(`“${name}” cannot be read. Was it moved?`);
      return;
    }
    last = [files, folder];
    open(name, bytes);
  }

  // receive opens what was dropped: files, or one folder.
  async function receive({ files, items }) {
    const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const folder = entries.find((entry) => entry.isDirectory);
    if (!folder) return take([...files]);
    if (entries.length > 1) return complain("You dropped a folder together with something else. Drop one folder with all files.");
    let inside;
    try {
      inside = await listed(folder);
    } catch {
      return complain(`The folder “${folder.name}” cannot be read. Was it moved?`);
    }
    return inside.length > 0 ? take(inside, folder.name) : complain(`The folder “${folder.name}” is empty.`);
  }

  input.addEventListener("change", async () => {
    await take([...input.files]);
    input.value = ""; // lets the visitor choose the same file again
  });

  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

  // The curtain covers the page and its frames, so that it receives every drop.
  function raise(event) {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    curtain.hidden = false;
  }
  addEventListener("dragenter", raise);
  addEventListener("dragover", (event) => {
    if (holdsFiles(event)) event.preventDefault();
  });
  curtain.addEventListener("dragleave", () => {
    curtain.hidden = true;
  });
  addEventListener("drop", (event) => {
    curtain.hidden = true;
    if (!holdsFiles(event)) return;
    event.preventDefault();
    receive(event.dataTransfer);
  });

  return {
    take,
    // again opens the last files again.
    again: () => take(...last),
    // choose opens the browser's file dialog.
    choose: () => input.click(),
    // watch raises the curtain for a drag that enters through a frame's window.
    watch: (frame) => frame.addEventListener("dragenter", raise, true),
  };
}

// download saves bytes or a blob as a file on the visitor's computer.
export function download(name, bytes) {
  const url = URL.createObjectURL(bytes instanceof Blob ? bytes : new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
