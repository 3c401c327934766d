package main

import "testing"

// TestVisit opens addresses with and without saves, and lets workers die. It compares what the worker is told: a restored
// save with its link and the link that is newer, or a link.
func TestVisit(t *testing.T) {
	t.Parallel()
	const start = `
		globalThis.location ??= { href: "http://localhost/" };
		const { createVisit } = await import("./shell/visit.js");
		const said = [];
		let ended = 0;
		const attempts = { add: () => { ended++; }, count: () => ended, forget: () => { ended = 0; } };
		const part = (key, ...bytes) => ({ key, bytes: bytes.length ? new Uint8Array(bytes) : undefined });
		const saved = (lab, fragment, more = {}) => ({ lab, fragment, parts: [part("a", 1, 2)], own: true, ...more });
		const visit = createVisit(({ kind, name = "", value = "" }, bytes) => said.push([kind, name, value, bytes ? [...bytes].join("") : ""].filter(Boolean).join(" ")), () => moves, attempts);
		let moves = true;
		const panel = (lab) => ({ lab, transport: [{ id: "play" }] });
		const open = (save, fragment, own = "", lecture = false) => visit.open(new Map(save ? [[save.lab, save]] : []), fragment, own, lecture);
`
	tests := []nodeTest{
		{"a first visit", `open(null, "")`, "link door lab=demo"},
		{"a link", `open(null, "lab=demo&eps=0.2")`, "link lab=demo&eps=0.2"},
		{"a save", `open(saved("demo", "lab=demo&eps=0.1"), "")`, "restore lab=demo&eps=0.1 12"},
		{"a newer link of this tab", `open(saved("demo", "lab=demo&eps=0.1"), "lab=demo&eps=0.3", "lab=demo&eps=0.3")`, "restore lab=demo&eps=0.3 lab=demo&eps=0.1 12"},
		{"a newer step of this tab", `open(saved("demo", "lab=demo&eps=0.1&step=7"), "lab=demo&eps=0.1&step=9", "lab=demo&eps=0.1&step=9")`, "restore lab=demo&eps=0.1&step=7 12"},
		{"this tab's link of another lab", `open(saved("demo", "lab=demo&eps=0.1"), "lab=demo&eps=0.1", "lab=mixing&eps=0.3")`, "restore lab=demo&eps=0.1 12"},
		{"another tab's save and the visitor's link", `open(saved("demo", "lab=demo&eps=0.1", { own: false }), "lab=demo&eps=0.3", "lab=demo&eps=0.3")`, "link lab=demo&eps=0.3"},
		{"a training that ran", `open(saved("demo", "lab=demo&eps=0.1", { running: true }), "")`, "restore lab=demo&eps=0.1 12; train"},
		{"a lecture and another tab's save", `open(saved("demo", "lab=demo&eps=0.1", { own: false }), "", "", true)`, "link door lab=demo"},
		{"a lecture and this tab's save", `open(saved("demo", "lab=demo&eps=0.1"), "", "", true)`, "restore lab=demo&eps=0.1 12"},
		{"a save with which three pages ended", `ended = 3; said.push(open(saved("demo", "lab=demo&eps=0.1"), "").fragment)`, "link door lab=demo; lab=demo&eps=0.1"},
		{"there and back", `
			open(null, "");
			visit.follow("lab=mixing", { address: "", settings: "v=1&lab=demo&eps=0.4" });
			visit.follow("", { address: "lab=mixing", settings: "v=1&lab=mixing" });`,
			"link door lab=demo; link door lab=mixing; link v=1&lab=demo&eps=0.4"},
		{"less motion", `
			moves = false;
			open(null, "lab=particles");
			visit.arrive(panel("particles"));
			visit.follow("v=1&lab=particles&n=300", {});
			visit.follow("lab=mixing", {});
			visit.arrive(panel("mixing"));
			visit.follow("", {});
			visit.arrive({ lab: "demo", groups: [{ controls: [{ id: "drift", moves: true }] }] });`,
			"link door lab=particles; set play off; link v=1&lab=particles&n=300; set play off; link door lab=mixing; set play off; link door lab=demo; set drift off"},
		{"a save, and less motion", `
			moves = false;
			open(saved("polymer", "lab=polymer"), "lab=polymer");
			visit.arrive(panel("polymer"));
			visit.arrive(panel("polymer"));`,
			"restore lab=polymer 12; set play off"},
		{"a part that was sent before", `
			open(null, "");
			visit.keep(saved("demo", "lab=demo&eps=0.1"));
			visit.keep(saved("demo", "lab=demo&eps=0.2", { parts: [part("b", 3), part("a"), part("lost")] }));
			said.push(visit.reopen("").resumed, ended);`,
			"link door lab=demo; restore lab=demo&eps=0.2 312; true; 1"},
		{"a worker that dies of a save", `
			open(saved("demo", "lab=demo&eps=0.1"), "");
			const { resumed, bad } = visit.reopen("lab=demo");
			said.push(resumed, bad.fragment, visit.reopen("lab=demo").resumed);`,
			"restore lab=demo&eps=0.1 12; link door lab=demo; link door lab=demo; false; lab=demo&eps=0.1; false"},
	}
	for i := range tests {
		tests[i].script = start + tests[i].script + ";\nreturn said.join(\"; \");"
	}
	checkInNode(t, tests)
}
