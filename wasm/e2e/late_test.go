//go:build !js

package e2e

import (
	"testing"
)

// TestLateMessages enters a value before the worker exists. The worker must receive the value
// later. The test then delays messages. An old state that arrives after a link was opened must not
// change the address. A closed sweep must not appear. If the user leaves a lab before the lab's
// panel arrives, this lab must not begin to play.
func TestLateMessages(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(probe + `
	if (self === top) addEventListener("DOMContentLoaded", () => {
		const n = document.getElementById("c-n");
		n.value = "66";
		for (const type of ["input", "change"]) n.dispatchEvent(new Event(type, { bubbles: true }));
	});`)
	p.open(serve(t, distDir).url + "#lab=demo&drift=off")
	p.wait("the shipped model", `document.documentElement.dataset.status === "done"`)
	p.wait("what was typed early", `location.hash.includes("n=66") && document.getElementById("c-n").value === "66"`)
	eval[bool](p, `(() => {
		const worker = workers.at(-1), post = worker.postMessage.bind(worker);
		worker.addEventListener("message", ({ data }) => { if (data.type === "state") self.said = data; });
		self.held = [];
		worker.postMessage = (message, transfer) => message.command?.kind === "link" ? held.push([message, transfer]) : post(message, transfer);
		self.free = () => held.forEach(([message, transfer]) => post(message, transfer));
		return true;
	})()`)
	p.set("c-n", "70")
	p.wait("the address", `location.hash.includes("n=70")`)
	eval[bool](p, `(location.hash = "#lab=demo&drift=off&n=77", true)`)
	p.wait("the link to be on its way", `held.length === 1`)
	eval[bool](p, `(workers.at(-1).dispatchEvent(new MessageEvent("message", { data: said })), dispatchEvent(new PageTransitionEvent("pagehide")), true)`)
	if hash := eval[string](p, `location.hash`); hash != "#lab=demo&drift=off&n=77" {
		t.Errorf("a state of before the link makes the address %s", hash)
	}
	eval[bool](p, `(free(), true)`)
	p.wait("what the link says", particlesShown+` === "77" && location.hash.includes("n=77") && location.hash.includes("seed")`)
	p.quiet()

	if shown := evalLater[bool](p, `(async () => {
		const { createSweep } = await import("./shell/sweep.js");
		const box = document.createElement("div"), get = self.fetch;
		box.hidden = true;
		self.fetch = async () => new Response(JSON.stringify({ experiment: "line/flow@laptop", measure: "KL", command: "", fields: [{ name: "eps", label: "ε" }], points: [{ at: { eps: 0.1 }, values: [1] }] }));
		const sweep = createSweep(box, { state: () => null, complain() {} });
		const opened = sweep.open("sweeps/line.json", "");
		self.fetch = get;
		sweep.leave();
		await opened;
		return sweep.shown();
	})()`); shown {
		t.Error("a sweep comes after it was put away")
	}

	if last := evalLater[string](p, `(async () => {
		const { createSession } = await import("./shell/session.js");
		const Native = Worker, said = [];
		let worker;
		self.Worker = class extends EventTarget {
			constructor(_, options) { super(); worker = this; options.type; }
			postMessage() {}
		};
		const session = createSession("worker.wasm", null, { ready() {}, state: (state, last) => said.push(last) });
		self.Worker = Native;
		const tells = (data) => worker.onmessage({ data });
		session.send({ kind: "set" });
		tells({ type: "ready" });
		for (const commands of [0, 1]) tells({ type: "state", state: {}, commands });
		session.send({ kind: "save" });
		for (const commands of [1, 2]) tells({ type: "state", state: {}, commands });
		return said.join(" ");
	})()`); last != "false true false true" {
		t.Errorf("states after 0, 1, 1 and 2 of 1, 1, 2 and 2 commands are the last: %s", last)
	}

	// A worker dies before it answers the second of two commands. The next worker restores the session
	// and receives this command again. If it dies too, the command is left out.
	if sent := evalLater[string](p, `(async () => {
		const { createSession } = await import("./shell/session.js");
		const Native = Worker, all = [];
		let worker;
		self.Worker = class extends EventTarget {
			constructor(_, options) { super(); worker = this; options.type; all.push("start"); }
			postMessage({ command }) { if (command) all.push(command.kind + command.value); }
			terminate() {}
		};
		const session = createSession("worker.wasm", null, {
			ready: (deaths) => deaths && session.send({ kind: "restore" }), state() {}, lost: (text) => all.push(text),
		});
		const tells = (data) => worker.onmessage({ data });
		tells({ type: "ready" });
		for (const value of [1, 2]) session.send({ kind: "set", value });
		tells({ type: "state", state: {}, commands: 1 });
		for (const text of ["First.", "Second."]) {
			tells({ type: "fatal", text });
			tells({ type: "ready" });
		}
		self.Worker = Native;
		return all.join(", ");
	})()`); sent != "start, set1, set2, First., start, restore, set2, Second. The same happened before, so your last change was left out., start, restore" {
		t.Errorf("workers that die receive: %s", sent)
	}

	if sent := evalLater[string](p, `(async () => {
		const { createVisit } = await import("./shell/visit.js");
		const sent = [], visit = createVisit(({ kind, name, value }) => sent.push([kind, name, value].filter(Boolean).join(" ")), () => true, { count: () => 0, add() {}, forget() {} });
		visit.open(new Map(), "", false);
		for (const lab of ["particles", "demo"]) visit.follow("lab=" + lab, {});
		for (const lab of ["particles", "demo"]) visit.arrive({ lab, groups: [{ controls: [{ id: lab + "-moves", moves: true }] }] });
		return sent.slice(3).join(", ");
	})()`); sent != "set demo-moves on" {
		t.Errorf("on the way to the demo and there, the page sends %q", sent)
	}
}
