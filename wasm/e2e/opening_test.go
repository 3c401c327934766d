//go:build !js

package e2e

import (
	"testing"
)

// TestPrerendered compares the panel that the build writes into the page with the panel that the
// page's scripts have bound and filled.
func TestPrerendered(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.open(s.url)
	p.wait("the shipped model", `document.documentElement.dataset.status === "done"`)
	p.wait("a drawn figure", `/ \d.* nats apart/.test(document.getElementById("summary").textContent)`)
	p.fetched("models/line-flow-tunable.safetensors")
	// The comparison ignores what a state fills in: values; the duration of a training, which is
	// measured later; the list of runs; positions of sliders, which are styles, and the band of what a model knows; and the
	// elements around numbers, which are for translators.
	differing := evalLater[[]string](p, `(async () => {
		const before = new DOMParser().parseFromString(await (await fetch("./")).text(), "text/html");
		const bare = (element) => {
			const copy = element.cloneNode(true);
			for (const e of copy.querySelectorAll("span.n")) e.replaceWith(...e.childNodes);
			for (const e of copy.querySelectorAll(".knows")) e.classList.remove("knows", "outside");
			copy.normalize();
			return copy;
		};
		const shape = (element) => [...bare(element).querySelectorAll(":not(.runs *)")].map((e) => {
			const attributes = [...e.attributes].filter(({ name }) => !["style", "value", "checked", "aria-valuetext", "hidden", "disabled"].includes(name)).
				map(({ name, value }) => name + "=" + value).filter((a) => a !== "class=").sort();
			const text = [...e.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.data.replace(/\d[\d.,]*/g, "0")).join("");
			return e.tagName + " " + attributes.join(" ") + " " + (e.closest("#f-state, dd, button small") ? "" : text);
		});
		const wrong = [];
		for (const id of ["tagline", "summary", "scrubs", "buttons", "figures", "groups", "hints", "help-try", "help-terms", "help-figures", "help-keys", "help-controls"]) {
			const [a, b] = [shape(before.getElementById(id)), shape(document.getElementById(id))];
			if (a.length !== b.length) wrong.push(id + ": " + a.length + " elements in the page, " + b.length + " shown");
			a.forEach((line, i) => line !== b[i] && wrong.push(id + ": " + line + " in the page, " + b[i] + " shown"));
		}
		if (before.getElementById("groups").querySelectorAll("input").length < 10) wrong.push("the page has hardly any controls");
		return wrong;
	})()`)
	for _, d := range differing {
		t.Error(d)
	}
	p.quiet()
}

// stalling makes the page's first request for a model wait for ever. A file is then late at once.
const stalling = `if (self === top) {
	self.slowFetch = 20;
	const get = fetch;
	self.fetch = (url, how) => {
		if (self.stalled || !String(url).startsWith("models/")) return get(url, how);
		self.stalled = true;
		return new Promise((_, reject) => how.signal.addEventListener("abort", () => reject(new DOMException("ended", "AbortError"))));
	};
}`

// fetched checks which models the page itself has requested. The lab's worker requests the others.
func (p *tab) fetched(want string) {
	p.t.Helper()
	p.wait("the model", `document.getElementById("provenance").textContent.includes("shipped")`)
	if got := eval[string](p, `performance.getEntriesByType("resource").map((e) => e.name.match(/models\/.*/)?.[0]).filter(Boolean).join(" ")`); got != want {
		p.t.Errorf("the page has fetched %q, want %q", got, want)
	}
}

// TestModelComesAhead checks that the page itself requests a lab's first model, without waiting for
// the lab's worker. If a link may need another model, the page requests no model. If the model does
// not arrive, the page says so, and the visitor can fetch it anew.
func TestModelComesAhead(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	browser := newBrowser(t)
	for _, tc := range []struct{ link, want string }{
		{"", "models/line-flow-tunable.safetensors"}, {"#v=1&lab=demo&method=ae-aug", ""},
	} {
		p := newTab(t, browser, 1280, 800, 1)
		p.addScript(stalling)
		p.open(s.url + tc.link)
		if tc.want != "" {
			p.wait("a word on the late model", said("Still fetching "+tc.want+": 0.0 MB so far."))
			p.shot("late-1280x800")
			eval[bool](p, `([...document.querySelectorAll("#notices button")].find(e => e.textContent === "Try again").click(), true)`)
		}
		p.fetched(tc.want)
		if eval[bool](p, said("Still fetching")) {
			t.Errorf("%s: the model is here, and still late", tc.link)
		}
		eval[bool](p, `(localStorage.clear(), true)`)
		p.quiet()
	}
}

// TestTakeOver opens the first lab with its small program, and other labs with the full program.
// The page must fetch each program once. The first program is app.wasm, which draws the picture.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.sees()
	// If self.cut is true, requests for the full program fail.
	p.addScript(`if (self === top) {
		const get = fetch;
		self.fetch = (url, ...rest) => self.cut && String(url).endsWith("worker.wasm") ? Promise.reject(new TypeError("cut")) : get(url, ...rest);
		self.programs = () => [performance, document.getElementById("canvas").contentWindow.performance].
			flatMap((p) => p.getEntriesByType("resource")).map((e) => e.name.match(/[a-z-]+\.wasm$/)?.[0]).filter(Boolean);
	}`)
	p.open(s.url + "#v=1&lab=demo&eps=0.2&zdim=8&n=150&seed=1&set=3")
	p.wait("the model", `document.documentElement.dataset.status === "done"`)
	const step = 5
	p.set("c-runto", itoa(step))
	p.click("c-go")
	p.wait("a pause", `(`+stepExpression+`) === `+itoa(step)+` && document.documentElement.dataset.status === "paused"`)
	if got := eval[string](p, `programs().join(" ")`); got != "app.wasm worker-first.wasm" {
		t.Errorf("the first view has fetched %q", got)
	}

	// If a lab fails to load, nothing changes.
	eval[bool](p, `(self.cut = true, location.hash = "#lab=particles", true)`)
	p.wait("a sentence", `[...document.querySelectorAll("#notices *")].some(e => e.textContent.includes("is there a connection"))`)
	p.wait("the address to be back", `location.hash.includes("eps=0.2") && !document.getElementById("groups").disabled`)

	// An unknown lab also changes nothing, although the page loaded the full program to look for
	// this lab.
	eval[bool](p, `(self.cut = false, location.hash = "#lab=alchemy", true)`)
	p.wait("a sentence", `[...document.querySelectorAll("#notices *")].some(e => e.textContent.includes("alchemy"))`)
	p.wait("the demo as it was", `location.hash.includes("eps=0.2") && document.getElementById("c-n").value === "150" && !document.getElementById("groups").disabled`)
	p.wait("its training", `(`+stepExpression+`) === `+itoa(step)+` && document.documentElement.dataset.status === "paused"`)
	if got := eval[string](p, `programs().join(" ")`); got != "app.wasm worker-first.wasm worker.wasm" {
		t.Errorf("after another lab was asked for, %q have been fetched", got)
	}

	before := p.picture()
	eval[bool](p, `(location.hash = "#lab=particles", true)`)
	p.wait("the particles", `document.documentElement.dataset.panel === "particles" && document.getElementById("c-at").value > 0`)
	p.changes("the particles", before)
	eval[bool](p, `(location.hash = "#lab=demo", true)`)
	p.wait("the demo once more", `document.documentElement.dataset.lab === "demo" && (`+stepExpression+`) === `+itoa(step))
	p.quiet()
}
