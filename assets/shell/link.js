// The URL fragment holds every setting, so a link reproduces the screen.

const pause = 500; // ms between two changes: browsers limit how often

// What this tab wrote last survives a reload, so that the tab's own fragment
// differs from one that the visitor brought. The fragment before it is kept too: a
// write while the page closes may come too late for the address.
const memory = "macroscope.fragment";

function remember(before, fragment) {
  try {
    sessionStorage.setItem(memory, `${before}\n${fragment}`);
  } catch {
    // Without storage every fragment counts as brought.
  }
}

function remembered() {
  try {
    return (sessionStorage.getItem(memory) ?? "").split("\n");
  } catch {
    return [];
  }
}

// createLink keeps the address up to date; onlink(fragment, before) is called when
// the visitor changes it, with what it was before.
export function createLink(onlink) {
  let wanted = location.hash.slice(1);
  let shown = wanted;
  let address = wanted; // what was last read of the address bar
  let timer = 0;
  const own = wanted !== "" && remembered().includes(wanted);

  function write() {
    clearTimeout(timer);
    timer = 0;
    if (wanted === shown) return;
    // The visitor has changed the address, and its event is still to come: it is not
    // written over, or the event would find nothing new.
    if (location.hash.slice(1) !== address) return;
    try {
      history.replaceState(history.state, "", `#${wanted}`);
      address = location.hash.slice(1);
      remember(shown, wanted);
      shown = wanted;
    } catch {
      timer = setTimeout(write, 4 * pause); // asked too often
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
    // fragment is what the address says now.
    fragment: () => location.hash.slice(1),
    // own says whether the page opened with a fragment that this tab had written.
    own,
    show(fragment) {
      wanted = fragment;
      timer ||= setTimeout(write, pause);
    },
    // flush brings the address up to date at once.
    flush: write,
  };
}

// copy puts text on the clipboard and says whether it got there.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "hidden";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}`;

// createShare lets a button copy the address. state() has what the link carries
// besides settings and what it leaves out (wire.State's carries and leaves). If it leaves
// something out, ask (see createAsk) says so first and offers save(), a file of everything.
// lecture() opens the dialog for lecture links.
export function createShare(button, { link, state, ask, save, say, lecture }) {
  async function share() {
    link.flush();
    const carries = state()?.carries;
    const what = carries ? `these settings and ${carries}` : "these settings";
    const copied = await copy(location.href);
    say({ text: copied ? `The link is on the clipboard; it opens the lab with ${what}.` : "The link could not be copied; take it from the address bar.", action: "For a lecture…", act: lecture });
  }

  button.addEventListener("click", () => {
    const { carries, leaves } = state() ?? {};
    if (!leaves?.length) {
      share();
      return;
    }
    ask.open({
      title: "A link cannot carry all of this",
      text: `It opens the lab with these settings${carries ? ` and ${carries}` : ""}. It leaves out:`,
      points: leaves.map((words) => `${sentence(words)}.`),
      buttons: [
        { label: "Copy the link anyway", primary: true, act: share },
        { label: "Save everything as a file", act: save },
      ],
    });
  });
}
