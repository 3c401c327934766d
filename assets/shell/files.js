// Opens dropped and chosen files, and downloads files.

const isTable = ({ name }) => /observables\.csv$/i.test(name); // as in the worker

// createFiles calls open(name, bytes) with a dropped or chosen file, and with a table of observables before its
// file. It calls complain(text) if there are more files, or if a file is too large or unreadable.
// largest() is the size in MiB of the largest file that the lab accepts.
export function createFiles({ input, curtain, largest, open, complain }) {
  let last = [];

  async function take(files) {
    if (files.length === 0) return;
    const tables = files.filter(isTable);
    if (files.length > 2 || files.length === 2 && tables.length !== 1) {
      complain(`You dropped ${files.length} files. The lab opens one at a time, or a text file with a table of its observables (observables.csv).`);
      return;
    }
    const read = [];
    for (const file of [...tables, ...files.filter((file) => !isTable(file))]) {
      if (file.size > largest() * 2 ** 20) {
        complain(`“${file.name}” has ${Math.round(file.size / 2 ** 20)} MB. The lab opens files of up to ${largest()} MB. Split the file, or leave out what the lab does not need.`);
        return;
      }
      try {
        read.push([file.name, new Uint8Array(await file.arrayBuffer())]);
      } catch {
        complain(`“${file.name}” cannot be read. Is it a folder, or was it moved?`);
        return;
      }
    }
    last = files;
    for (const one of read) open(...one);
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
    take([...event.dataTransfer.files]);
  });

  return {
    take,
    // again opens the last files again.
    again: () => take(last),
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
