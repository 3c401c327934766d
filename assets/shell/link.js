// The URL fragment contains every setting, so a link reproduces the screen.
import { ofTab } from "./oftab.js";

const pause = 500; // ms between two writes; browsers limit how often the address may change

// The last fragment that this tab has written is stored, so it survives a reload. If the
// address has a different fragment, the visitor has entered it. The previous fragment is kept
// too, because the page may close before the last one reaches the address.
const memory = "macroscope.fragment";

const remember = (before, fragment) => ofTab.set(memory, `${before}\n${fragment}`);
const remembered = () => (ofTab.get(memory) ?? "").split("\n");

// createLink keeps the address up to date. onlink(fragment, before) is called when the
// visitor changes the address; before is the last fragment that this tab showed.
export function createLink(onlink) {
  let wanted = location.hash.slice(1);
  let shown = wanted;
  let address = wanted; // the last value read from the address bar
  let timer = 0;
  const own = wanted !== "" && remembered().includes(wanted) ? remembered().at(-1) : "";

  function write() {
    clearTimeout(timer);
    timer = 0;
    if (wanted === shown) return;
    // If the visitor has just changed the address, a write would replace the change before the
    // event that reports it.
    if (location.hash.slice(1) !== address) return;
    try {
      history.replaceState(history.state, "", `#${wanted}`);
      address = location.hash.slice(1);
      remember(shown, wanted);
      shown = wanted;
    } catch {
      timer = setTimeout(write, 4 * pause); // the browser refused: too many writes
    }
  }

  addEventListener("hashchange", () => {
    const fragment = (address = location.hash.slice(1));
    if (fragment === shown) return;
    clearTimeout(timer);
    timer = 0;
    const before = shown;
    wanted = shown = fragment;
    onlink(fragment, before);
  });

  return {
    // fragment returns the address's present fragment.
    fragment: () => location.hash.slice(1),
    // own is this tab's last fragment if the page opened with a fragment that the tab had written, otherwise "".
    own,
    show(fragment) {
      wanted = fragment;
      timer ||= setTimeout(write, pause);
    },
    // flush updates the address at once.
    flush: write,
  };
}

// copy writes text to the clipboard and reports whether that succeeded. A page without HTTPS has no
// clipboard of its own, and neither has a frame without permission: there the browser copies a selection.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

// copySelection puts the selected field into the open dialog, because an open dialog makes the rest of the
// page inert. The browser reports success even if it has copied nothing, so only its event counts.
function copySelection(text) {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "hidden";
  let copied = false;
  area.addEventListener("copy", (event) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    copied = Boolean(event.clipboardData);
  });
  ([...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus({ preventScroll: true });
  return done && copied;
}

const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}`;

// createShare makes a button copy the address. state() returns the lab's wire.State: its field
// `carries` lists what the link contains in addition to settings, `leaves` what the link omits. If
// the link omits something, a dialog (see createAsk) first says so and offers save(), which
// downloads the complete state as a file. lecture() opens the dialog for lecture links.
export function createShare(button, { link, state, ask, save, say, lecture }) {
  async function share() {
    link.flush();
    const carries = state()?.carries;
    const what = carries ? `these settings and ${carries}` : "these settings";
    const copied = await copy(location.href);
    say({ text: copied ? `The link is on the clipboard. It opens the lab with ${what}.` : "The link could not be copied. Copy it from the address bar, or from the dialog “For a lecture…”.", action: "For a lecture…", act: lecture });
  }

  button.addEventListener("click", () => {
    const { carries, leaves } = state() ?? {};
    if (!leaves?.length) {
      share();
      return;
    }
    ask.open({
      title: "The link leaves something out",
      text: `The link opens the lab with these settings${carries ? ` and ${carries}` : ""}. It leaves out:`,
      points: leaves.map((words) => `${sentence(words)}.`),
      buttons: [
        { label: "Copy the link anyway", primary: true, act: share },
        { label: "Save everything as a file", act: save },
      ],
    });
  });
}
