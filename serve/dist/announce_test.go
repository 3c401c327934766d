package main

import "testing"

// TestAnnounced lets a training run for a minute, with ten states a second, and counts what a screen reader
// hears.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	const start = `
		let now = 0, waits = [];
		globalThis.setTimeout = (act, ms) => { waits.push([now + ms, act]); return waits.at(-1); };
		globalThis.clearTimeout = (one) => { waits = waits.filter((other) => other !== one); };
		const { createAnnouncer } = await import("./shell/announce.js");
		const said = [];
		const hear = createAnnouncer((text) => said.push((now / 1000).toFixed(1) + " " + text), () => now);
		// at shows a state for a time, in which its numbers change.
		const at = (seconds, state) => {
			for (let i = 0; i < 10 * seconds; i++, now += 100) {
				for (const [time, act] of [...waits]) if (time <= now) act();
				const one = state(i);
				hear(one, (changed) => (changed ? "new " : "") + (one.task || one.warning || "rest"));
			}
		};
		const done = () => said.join("; ");
`
	tests := []nodeTest{
		{"a training", `
			at(1, () => ({ status: "done" }));
			at(35, (i) => ({ status: "training", task: i < 100 ? "first, " + i + " of 24" : "step " + i + (i % 3 ? " (1:0" + i + " left)" : "") }));
			at(10, () => ({ status: "paused" }));
			return done();`,
			"0.0 new rest; 3.0 new first, 19 of 24; 13.0 step 119 (1:0119 left); 23.0 step 219; 33.0 step 319 (1:0319 left); 36.0 new rest"},
		{"trainings of a sweep, one a second", `
			for (let k = 0; k < 20; k++) {
				at(0.8, () => ({ status: "training", task: "training " + k }));
				at(0.2, () => ({ status: "idle", task: "training " + k }));
			}
			return said.length;`, "2"}, // at 0 and 10 s
		{"a warning whose numbers change", `
			at(5, () => ({ status: "done" }));
			at(20, (i) => ({ status: "done", warning: "ε = " + i / 1000 + " is too small" }));
			return done();`, "0.0 new rest; 5.0 new ε = 0 is too small"},
		{"a run that plays", `at(60, (i) => ({ status: "done", figures: [i] })); return said.length;`, "1"},
	}
	for i := range tests {
		tests[i].script = start + tests[i].script
	}
	checkInNode(t, tests)
}
