package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestStore opens tabs of one origin. Each tab must find its own saves, whatever the other tabs
// do.
func TestStore(t *testing.T) {
	t.Parallel()
	tabs, err := os.ReadFile("testdata/tabs.js")
	if err != nil {
		t.Fatal(err)
	}
	program := string(tabs) + "function program(sessionStorage, navigator, localStorage, addEventListener, self) {" +
		module(t, "shell/oftab.js") + strings.Replace(module(t, "shell/store.js"), `import { ofTab } from "./oftab.js";`, "", 1) +
		"return { readSaves, savesLost, writeSave, readAside, setAside, dropAside, whole, attempts }; }\n"
	always := []nodeTest{
		{"a reload", `
			const a = openTab();
			await a.save("demo", "a");
			await openTab().save("demo", "b");
			said.push(await openTab(a.close()).read("demo"), await openTab().read("demo"));`,
			"a, its own; b"},
		{"a reload before the old page has released its lock", `
			const a = openTab();
			await a.save("demo", "a");
			said.push(await openTab(a.close(true)).read("demo"), waits);`,
			"a, its own; 1"},
		{"a copy of an open tab", `
			const a = openTab();
			await a.save("demo", "a");
			a.attempts.add();
			await openTab().save("demo", "newer");
			const b = openTab({ ...a.items });
			said.push(await b.read("demo"));
			await b.save("demo", "b");
			said.push(b.attempts.count(), await openTab(a.close()).read("demo"), await openTab(b.close()).read("demo"), waits);`,
			"a; 0; a, its own; b, its own; 0"},
		{"a page without locks", `
			const a = openTab({}, false);
			await a.save("demo", "a");
			said.push(await openTab(a.close(), false).read("demo"));`,
			"a, its own"},
		{"an idle tab and closed ones", `
			const days = (n) => local.set("macroscope / day", Number.parseInt(local.get("macroscope / day")) + n - 1 + " another date");
			const idle = openTab();
			await idle.save("demo", "idle");
			const closed = [];
			for (let i = 0; i < 6; i++) {
				const tab = openTab();
				await tab.save("demo", String(i));
				closed.push(tab.close());
			}
			days(29);
			await openTab().read("demo");
			said.push(kept.labs.size);
			days(2);
			await openTab().read("demo");
			said.push(kept.labs.size, await openTab(idle.close()).read("demo"));`,
			"7; 5; idle, its own"},
		{"a visit with the clock ahead", `
			const real = Date.now;
			const a = openTab();
			await a.save("demo", "a");
			Date.now = () => real() + 40 * 86_400_000;
			for (let i = 0; i < 6; i++) {
				const tab = openTab();
				await tab.save("demo", "ahead " + i);
				tab.close();
			}
			a.close();
			await openTab().read("demo");
			said.push(kept.labs.size);
			Date.now = real;
			await openTab().save("demo", "now");
			said.push(await openTab().read("demo"));`,
			"7; now"},
		{"a save of an earlier version, from a future clock", `
			kept.labs.set("old", { tab: "old", lab: "demo", time: 9e15, bytes: bytesOf("old"), fragment: "old", parts: [] });
			said.push(await openTab().read("demo"));
			await openTab().save("demo", "a");
			said.push(await openTab().read("demo"));`,
			"old; a"},
		{"two frames of a page", `
			const items = {};
			for (const locked of [true, false]) {
				const [a, b] = frames.map((frame) => openTab(items, locked, frame));
				await a.save("demo", "a");
				await b.save("demo", "b");
				a.close();
				b.close();
				for (const k of [1, 0]) {
					const again = openTab(items, locked, frames[k]);
					said.push(await again.read("demo"));
					again.close();
				}
			}`,
			"b, its own; a, its own; b, its own; a, its own"},
		{"a copy of an open tab, without locks", `
			const a = openTab({}, false);
			await a.save("demo", "a");
			const b = openTab({ ...a.items }, false);
			said.push(await b.read("demo"));
			await b.save("demo", "b");
			said.push(await openTab(a.close(), false).read("demo"), await openTab(b.close(), false).read("demo"));
			// Nobody answers a tab that has crashed.
			const c = openTab({ ...b.items }, false);
			for (const channel of channels) channels.delete(channel);
			delete c.items["macroscope.ended"];
			const read = c.read("demo");
			for (let i = 0; i < 20; i++) await null;
			timers.at(-1)();
			said.push(await read);`,
			"a; a, its own; b, its own; b, its own"},
		{"records that cannot be read", `
			const a = openTab();
			await a.save("demo", "a", [{ key: "run", bytes: bytesOf("+run") }, { key: "lost", bytes: bytesOf("+lost") }]);
			await a.save("polymer", "p");
			const put = (name, value) => kept[name].set(JSON.stringify(keyOf[name](value)), value);
			delete [...kept.parts.values()].find(({ key }) => key === "lost").bytes;
			put("labs", { tab: "b", lab: "demo", time: 9e15, fragment: "b" });
			put("labs", { tab: "c", lab: "mixing", time: 1, bytes: bytesOf("c"), parts: 7, fragment: "c" });
			put("labs", { tab: "d", lab: 3, time: 1, bytes: bytesOf("d"), fragment: "d" });
			put("labs", { tab: "e", lab: "demo", time: "late", bytes: "text" });
			const again = openTab(a.close());
			said.push(await again.read("demo"), await again.read("polymer"), await again.read("mixing"));
			const aside = [...kept.labs.values()].filter(({ lab }) => String(lab).startsWith("aside "));
			said.push(aside.map(({ lab, bytes }) => lab.split(" ")[1] + "=" + textOf(bytes)).sort().join(" "));
			said.push((await again.readAside()).lab);
			for (let save; (save = await again.readAside()); said.push(kept.labs.size)) await again.dropAside(save);`,
			"a+run, its own; p, its own; nothing; 3=d demo= demo= mixing=c; demo; 5; 4; 3; 2"},
		{"saves that are set aside one after another", `
			const a = openTab();
			await a.save("demo", "a");
			await a.setAside({ lab: "demo", parts: [{ key: "", bytes: bytesOf("one") }] });
			const two = await a.setAside({ lab: "demo", parts: [{ key: "", bytes: bytesOf("two") }] });
			await a.dropAside(two);
			said.push(two.lab, textOf(a.whole(two)), textOf(a.whole(await openTab(a.close()).readAside())), kept.labs.size);`,
			"demo; two; one; 1"},
		{"a full storage", `
			let a = openTab();
			await a.save("demo", "a");
			room = 5;
			await a.save("demo", "aa", [{ key: "run", bytes: bytesOf("+r") }, { key: "data x", bytes: bytesOf("a long file") }]);
			said.push(await (a = openTab(a.close())).read("demo"));
			await a.save("demo", "too much").catch((error) => said.push(error.message));
			kept.labs.set("odd", { tab: "odd", lab: "demo", time: 1 });
			room = 0;
			said.push(await (a = openTab(a.close())).read("demo"));
			broken = true;
			await openTab(a.close()).readSaves().catch((error) => said.push(error.message));`,
			"aa+r, its own; QuotaExceededError; aa+r, its own; UnknownError"},
		{"saves that the browser deletes", `
			const lost = async (tab) => said.push(await tab.read("demo"), tab.savesLost());
			let a = openTab();
			await lost(a);
			await a.save("demo", "a");
			await lost(openTab());
			await lost(a = openTab(a.close()));
			kept = nothing();
			await lost(a = openTab(a.close()));
			await lost(a = openTab(a.close()));
			await a.save("demo", "b");
			await a.dropAside(await a.setAside({ lab: "demo", parts: [{ key: "", bytes: bytesOf("a") }] }));
			await lost(openTab(a.close()));`,
			"nothing; false; a; false; a, its own; false; nothing; true; nothing; false; nothing; false"},
	}
	withCaches := []nodeTest{
		// The page has ended after it wrote a record, and before it deleted the one that it replaces.
		{"a save that was not finished", `
			const tab = openTab();
			await tab.save("demo", "a");
			const [save] = kept.labs.values();
			kept.labs.set("older", { ...save, time: save.time - 1, id: "0", bytes: bytesOf("older") });
			const next = openTab(tab.close());
			said.push(await next.read("demo"), kept.labs.size);
			await next.save("demo", "b");
			said.push(await openTab(next.close()).read("demo"), kept.labs.size);`,
			"a, its own; 2; b, its own; 1"},
		{"a storage that does not answer", `
			const tab = openTab();
			await tab.save("demo", "a");
			const keys = cache.keys;
			cache.keys = () => new Promise(() => {});
			const waits = tab.save("demo", "b").catch((error) => said.push(error.message));
			for (let k = 0; k < 2; k++) {
				for (let i = 0; i < 20; i++) await null;
				timers.at(-1)();
			}
			await waits;
			cache.keys = keys;
			await tab.save("demo", "c");
			said.push(await openTab(tab.close()).read("demo"));`,
			"the storage does not answer; c, its own"},
	}
	for _, secure := range []bool{true, false} {
		tests := always
		if secure {
			tests = append(withCaches, always...)
		}
		var scripts []nodeTest
		for _, tc := range tests {
			scripts = append(scripts, nodeTest{fmt.Sprintf("%s, secure %v", tc.name, secure), fmt.Sprintf("const secure = %v;", secure) + program + "const said = []; {" + tc.script + `} return said.join("; ");`, tc.want})
		}
		checkInNode(t, scripts)
	}
}
