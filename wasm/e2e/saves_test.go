//go:build !js

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"macroscope/model/file/data"
	"macroscope/model/wire"
)

// recordOf is a function that returns the fields of a record that store.js writes under a URL, or
// an empty object for another file.
const recordOf = `(url) => url.startsWith("saves?") ? JSON.parse(decodeURIComponent(url.slice(6))) : {}`

// counting counts a page's writes to its storage. If localStorage.torn is set, it also
// interrupts every save.
const counting = `(() => {
	self.puts = { labs: 0, parts: 0 };
	const put = Cache.prototype.put;
	Cache.prototype.put = async function (url, response) {
		const { name } = (` + recordOf + `)(url);
		if (name) self.puts[name]++;
		if (!localStorage.torn) return put.call(this, url, response);
		self.torn = (self.torn ?? 0) + 1;
		throw new DOMException("torn", "AbortError");
	};
})()`

// full makes every later save of a user's file fail, as if the storage were full.
const full = `(() => {
	const put = Cache.prototype.put;
	Cache.prototype.put = async function (url, response) {
		if (!(` + recordOf + `)(url).key?.startsWith("data ")) return put.call(this, url, response);
		self.refused = true;
		throw new DOMException("full", "QuotaExceededError");
	};
	return true;
})()`

// inStorage returns an expression for a promise of the result of a function. `body` is the body of
// this function. In `body`, the variables `cache`, `name` and `records` are the page's cache, the
// name of this cache, and its records.
func inStorage(body string) string {
	return `(async () => {
		const name = "macroscope " + new URL(".", location.href).pathname;
		const cache = await caches.open(name);
		const read = async ({ url }) => {
			const found = await cache.match(url); // none if the page has deleted the record meanwhile
			return found && { url, ...JSON.parse(decodeURIComponent(url.slice(url.indexOf("?") + 1))), bytes: new Uint8Array(await found.arrayBuffer()) };
		};
		const records = (await Promise.all((await cache.keys()).map(read))).filter(Boolean);
		` + body + `
	})()`
}

// The method `beside` leaves the lab for another page of the same origin.
func (p *tab) beside(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url + "style.css"))
	p.wait("the icon that such a page asks for in vain", `document.readyState === "complete"`)
}

// openWithRun opens the lab of the line, trains for five steps and keeps the result as a run. It returns
// the name of the run.
func (p *tab) openWithRun(url string) (run string) {
	p.t.Helper()
	p.open(url)
	p.wait("the shipped model", `document.documentElement.dataset.status === "done"`)
	p.set("c-runto", "5")
	p.click("c-go")
	p.wait("5 steps", `(`+stepExpression+`) === 5 && document.documentElement.dataset.status === "paused"`)
	p.click("c-newseed")
	run = "line/flow, ẑ 8, ε 0.1, step 5"
	p.wait("the run", listed(run))
	return run
}

// TestSavesInParts keeps a run, deletes it and brings it back. The run's record is written only once, whatever is saved later. An
// interrupted save leaves the previous save intact. A save in which a run is missing opens without
// the run. Only an unreadable record is set aside. The tab must hold a lock on the name of its saves. (Package serve/dist tests what a
// duplicated tab does.)
func TestSavesInParts(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(counting + `; self.saveAgain = 500`)
	url := serve(t, distDir).url
	run := p.openWithRun(url)
	p.wait("a save of it", `self.puts.parts > 0`)
	p.change("77")
	p.change("78")
	if !evalLater[bool](p, `navigator.locks.query().then(({ held }) => held.some(({ name }) => name.endsWith(" " + sessionStorage.getItem("macroscope.tab"))))`) {
		t.Error("the tab holds no lock on its name")
	}
	type puts struct{ Labs, Parts int }
	const count = `({Labs: self.puts.labs, Parts: self.puts.parts})`
	if n := eval[puts](p, count); n.Parts != 1 || n.Labs < 3 {
		t.Errorf("of one run, %d saves wrote %d records", n.Labs, n.Parts)
	}
	p.reload()
	p.wait("the run after a reload", listed(run))
	p.change("79")
	if n := eval[puts](p, count); n.Parts != 0 || n.Labs < 1 {
		t.Errorf("after a reload, %d saves wrote %d records", n.Labs, n.Parts)
	}

	// A deleted run comes back by the notice's Undo, and the list fits on a phone.
	eval[bool](p, `(document.querySelector('[aria-label="Delete `+run+`"]').click(), true)`)
	p.wait("the run to be gone", `!`+listed(run)+` && `+said("Deleted"))
	eval[bool](p, `([...document.querySelectorAll("#notices button")].find(e => e.textContent === "Undo").click(), true)`)
	p.wait("the run to be back in the list", listed(run))
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	p.click("sheet")
	p.wait("all controls", `document.getElementById("sheet").getAttribute("aria-expanded") === "true"`)
	eval[bool](p, `(document.getElementById("c-runs").scrollIntoView({block: "center"}), true)`)
	p.settled()
	p.shot("runs-390x844")
	p.narrow(390)
	p.click("sheet")
	p.do(chromedp.EmulateViewport(1280, 800))
	p.change("79")

	eval[bool](p, `(localStorage.torn = "yes", true)`)
	p.set("c-n", "80")
	p.wait("a save that is broken off", `self.torn > 0`)
	p.beside(url)
	eval[bool](p, `(delete localStorage.torn, true)`)
	back := func(n string, kept bool, notice string) {
		t.Helper()
		p.open(url)
		p.wait("the settings of the last save", particlesShown+` === "`+n+`"`)
		if eval[bool](p, listed(run)) != kept {
			t.Errorf("the run is listed: %v, want %v", !kept, kept)
		}
		if text := eval[string](p, `document.getElementById("notices").innerText`); !strings.HasPrefix(text, notice) || notice == "" && text != "" {
			t.Errorf("the page says %q, want %q", text, notice)
		}
	}
	back("79", true, "")

	p.wait("a save", `document.documentElement.dataset.saved`)
	p.beside(url)
	const lost = `
		const parts = records.filter(({ name }) => name === "parts");
		for (const { url } of parts) await cache.delete(url);
		await cache.put("saves?" + encodeURIComponent(JSON.stringify({ name: "labs", tab: "other", lab: "demo", fragment: "" })), new Response(""));
		return parts.length;`
	if n := evalLater[int](p, inStorage(lost)); n != 1 {
		t.Errorf("%d parts were kept, want 1", n)
	}
	back("79", false, "A session that could not be restored was set aside.")

	// If the user clears the storage while the page is open, the page still saves. If a save
	// fails, the page reports this, and saves again later.
	forget := func() {
		p.do(command(storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: strings.TrimSuffix(url, "/"), StorageTypes: "cache_storage"}))
	}
	forget()
	p.change("81")
	eval[bool](p, `(self.put = Cache.prototype.put, Cache.prototype.put = async () => { throw new DOMException("full", "QuotaExceededError"); }, true)`)
	p.set("c-n", "82")
	p.wait("a word on that", said("could not be kept"))
	p.set("c-n", "83") // other news do not hide the notice
	if !eval[bool](p, said("could not be kept")) {
		t.Error("the word on it is gone")
	}
	eval[bool](p, `(Cache.prototype.put = self.put, true)`)
	p.wait("the save that is tried again", `document.documentElement.dataset.saved.includes("n=83")`)
	p.wait("a word on that", said("has space again"))
	if eval[bool](p, said("could not be kept")) {
		t.Error("the word on the lack of space stays")
	}

	// If the browser deletes the saves while the page is closed, as on a full disk, the next
	// page reports the loss once.
	p.beside(url)
	forget()
	p.open(url)
	p.wait("a word on the deleted saves", said("has deleted the saved sessions"))
	p.change("84")
	p.reload()
	p.wait("the settings of the last save", particlesShown+` === "84"`)
	if text := eval[string](p, `document.getElementById("notices").innerText`); text != "" {
		t.Errorf("the page says %q again", text)
	}
	p.quiet()
}

// slow delays all writes to the storage, as long as self.slow is true.
const slow = `(() => {
	const put = Cache.prototype.put;
	Cache.prototype.put = async function (...args) {
		while (self.slow) await new Promise((resolve) => setTimeout(resolve, 50));
		return put.apply(this, args);
	};
})()`

// TestBlockedStorage opens and trains the lab in a browser whose user blocks all storage. The
// browser then throws an error at every access.
func TestBlockedStorage(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(`for (const name of ["caches", "indexedDB", "localStorage", "sessionStorage"]) Object.defineProperty(self, name, { get() { throw new DOMException("blocked", "SecurityError"); } });`)
	p.open(serve(t, distDir).url + "#lab=demo")
	p.press("train")
	p.wait("some steps", stepExpression+` > 3`)
	p.wait("a word on that", `document.getElementById("notices").textContent.includes("could not be kept")`)
	p.quiet()
}

// TestTrainingWaitsForTheDisk trains while the storage is slow. A reload must not lose more
// than a few seconds of training, so the training must wait for its save, and continue
// afterwards.
func TestTrainingWaitsForTheDisk(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(slow)
	p.open(serve(t, distDir).url)
	p.wait("the shipped model", `document.documentElement.dataset.status === "done"`)
	p.set("c-runto", "20000") // so many steps that the training does not end
	p.click("c-go")
	p.wait("a step", `(`+stepExpression+`) > 0`)
	eval[bool](p, `(self.slow = true)`)
	p.wait("training that stands still", `(() => {
		const step = `+stepExpression+`;
		if (step !== self.step) [self.step, self.since] = [step, performance.now()];
		return performance.now() - self.since > 3000;
	})()`)
	if status := eval[string](p, `document.documentElement.dataset.status`); status != "training" {
		t.Errorf("the training is %s", status)
	}
	stood := p.step()
	eval[bool](p, `(self.slow = false, true)`)
	p.wait("more steps", `(`+stepExpression+`) > `+itoa(stood))
	p.quiet()
}

// TestOwnAfterAReload drops a file of trajectories on the picture. After a reload, and after the end
// of the worker, the lab must show the same frame of the same trajectory.
func TestOwnAfterAReload(t *testing.T) {
	t.Parallel()
	const trajectories, frames, particles = 3, 8, 30
	numbers := make([]float32, trajectories*frames*particles*2)
	for i := range numbers {
		numbers[i] = float32(i%97)/97 - float32(i%13)/26
	}
	var file bytes.Buffer
	if err := data.WriteNPY(&file, data.NewArray([]int{trajectories, frames, particles, 2}, numbers)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "mine.npy")
	if err := os.WriteFile(name, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	p := newParticles(t, newBrowser(t), serve(t, distDir).url+"#lab=particles", 1280, 800, 1)
	p.waitFrame("the shipped model", drawn)
	p.drop("#canvas", name)
	p.take()
	p.waitFrame("a recorded trajectory", func(f *wire.Frame) bool { return f.Number("horizon") == frames-1 })
	p.set("c-trajectory", "2")
	p.waitFrame("the end of the second", func(f *wire.Frame) bool {
		return strings.Contains(string(f.Text("note")), "trajectory 2 of") && f.Number("now") == frames-1 && !f.On("playing")
	})
	p.set("c-at", "3")
	p.wait("a save of frame 3", `document.documentElement.dataset.saved?.includes("frame=3")`)
	want := append([]float32(nil), p.waitFrame("frame 3", func(f *wire.Frame) bool { return f.Number("now") == 3 }).Numbers("x")...)
	p.reload()
	f := p.waitFrame("frame 3 after a reload", func(f *wire.Frame) bool { return f.Number("now") == 3 && f.Number("horizon") == frames-1 })
	for i, x := range f.Numbers("x") {
		if x != want[i] {
			t.Fatalf("coordinate %d is %g, and was %g", i, x, want[i])
		}
	}
	p.wait("the second trajectory after a reload", `document.getElementById("c-trajectory").value === "2"`)

	// A worker of an idle lab that ends without an event has a successor, with the same file. The page
	// would blame the save for the end of a worker that has not saved anything yet.
	p.wait("a save by this worker", `document.documentElement.dataset.saved?.includes("frame=3")`)
	eval[bool](p, `(workers.at(-1).terminate(), true)`)
	p.wait("a word on the worker", said("continues from its last save"))
	p.waitFrame("frame 3 in the next worker", func(f *wire.Frame) bool { return f.Number("now") == 3 && f.Number("horizon") == frames-1 })

	// If the file does not fit, everything else is saved.
	eval[bool](p, full)
	name = filepath.Join(t.TempDir(), "more.npy")
	if err := os.WriteFile(name, append(file.Bytes()[:file.Len()-4], 0, 0, 0, 0), 0o644); err != nil {
		t.Fatal(err)
	}
	p.drop("#canvas", name)
	p.take()
	p.wait("a save of another file", `self.refused && document.documentElement.dataset.saved?.includes("frame=3") === false`)
	p.wait("a word on the file that is not kept", said("Your file"))
	p.reload()
	p.wait("a word on the file", said(`without your file "more.npy"`))
	p.quiet()
}

// BenchmarkReload trains with the defaults of the page, and reloads the page six times.
// MACROSCOPE_LAB names the lab; the default is particles. The benchmark reports how many seconds of
// training a reload loses at most.
func BenchmarkReload(b *testing.B) {
	// The page's line about the task names two numbers: how many trajectories or steps of the phase
	// are done, and how many the whole phase has. self.resumed keeps the first two numbers that a
	// page shows.
	const progress = `document.documentElement.dataset.status === "training" ? (/(\d+) of (\d+)/.exec(document.getElementById("task").textContent) ?? []).slice(1).map(Number) : []`
	p := newTab(b, newBrowser(b), 1280, 800, 1)
	p.addScript(`new MutationObserver(() => { if (!self.resumed?.length) self.resumed = ` + progress + `; }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });`)
	p.open(serve(b, distDir).url + "#lab=" + getenv("MACROSCOPE_LAB", "particles"))
	p.wait("the end of the run", `document.documentElement.dataset.playing === "false"`)
	p.set("c-eps", "0.05")
	p.press("train")
	type look struct {
		at       time.Time
		done, of int
	}
	worst := 0.0
	for range b.N {
		for k := range 6 {
			var looks []look
			for began := time.Now(); time.Since(began) < time.Duration(5+2*k)*time.Second || len(looks) == 0; time.Sleep(50 * time.Millisecond) {
				if n := eval[[]int](p, progress); len(n) == 2 {
					looks = append(looks, look{time.Now(), n[0], n[1]})
				}
			}
			last := looks[len(looks)-1]
			p.reload()
			p.wait("training to go on", `self.resumed?.length === 2`)
			first := eval[[]int](p, `self.resumed`)
			lost := last.at.Sub(looks[0].at).Seconds()
			for _, l := range looks {
				if l.of != first[1] || l.done <= first[0] {
					lost = last.at.Sub(l.at).Seconds()
				}
			}
			b.Logf("%d of %d when the page was left, %d of %d afterwards: %.1f s", last.done, last.of, first[0], first[1], lost)
			worst = max(worst, lost)
		}
	}
	b.ReportMetric(worst, "s-lost")
}

// said returns an expression that is true if a notice contains this text.
func said(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#notices .notice")].some(e => e.textContent.includes(%q))`, text)
}

// listed returns an expression that is true if the list contains a run with this name.
func listed(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#c-runs li b")].some(e => e.textContent === %q)`, name)
}
