//go:build !js

package e2e

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// dying changes how workers respond to a request to restore a save. If the page's storage
// contains "dies", the worker ends as if its program had panicked; if it contains "hangs", the
// worker ignores the request. The storage also sets how often the page checks its worker.
const dying = `(() => {
	if (localStorage.tick) self.watchTick = Number(localStorage.tick);
	const post = Worker.prototype.postMessage;
	Worker.prototype.postMessage = function (message, ...rest) {
		if (message?.command?.kind === "restore" && localStorage.dying) {
			self.restored = (self.restored ?? 0) + 1;
			if (localStorage.dying === "dies") setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: { type: "fatal", text: "The session stopped on an error of its own (planted)." } })));
			return;
		}
		post.call(this, message, ...rest);
	};
})()`

// rotten inverts the bytes of every save of the page, except the first four bytes of each save.
// It gives the number of saves.
var rotten = inStorage(`
	const saves = records.filter(({ name }) => name === "labs");
	for (const { url, bytes } of saves) await cache.put(url, new Response(bytes.map((b, i) => (i < 4 ? b : ~b))));
	return saves.length;`)

// setAside waits for the button "Save it as a file", presses it, and returns the downloaded file. The save
// must be kept until the button "Delete it" is pressed.
func (p *tab) setAside() []byte {
	p.t.Helper()
	dir := p.t.TempDir()
	p.downloads(dir)
	const button = `[...document.querySelectorAll("#notices button")].find(b => b.textContent === "Save it as a file")`
	p.wait("the offer of the save", button)
	eval[bool](p, `(`+button+`.click(), true)`)
	b, err := os.ReadFile(downloaded(p.t, dir))
	if err != nil {
		p.t.Fatal(err)
	}
	kept := func() bool {
		return evalLater[bool](p, inStorage(`return records.some(({ lab }) => String(lab).startsWith("aside "))`))
	}
	if !kept() {
		p.t.Error("the save is deleted although the visitor has not said so")
	}
	eval[bool](p, `([...document.querySelectorAll("#notices button")].find(b => b.textContent === "Delete it").click(), true)`)
	for kept() {
		time.Sleep(50 * time.Millisecond)
	}
	p.wait("the end of the word on the file", "!"+said("set aside"))
	return b
}

func (p *tab) reload() {
	p.t.Helper()
	eval[bool](p, `(self.beforeReload = true, setTimeout(() => location.reload()), true)`)
	p.wait("another page", `!self.beforeReload && document.readyState === "complete"`)
	p.playing()
}

// particlesShown is the number of particles that the demo displays.
const particlesShown = `document.getElementById("c-n")?.value`

// change sets the demo's number of particles and waits until the change is saved.
func (p *tab) change(n string) {
	p.t.Helper()
	p.set("c-n", n)
	p.wait("a save of the change", `document.documentElement.dataset.saved?.includes("n=`+n+`")`)
}

// TestBadSave opens the page with four bad saves. The first ends the worker, the second hangs
// it, the third repeatedly ends the page while the page restores it, and the fourth contains
// wrong bytes. Each save is set aside and offered as a file, and the lab starts from its
// opening state.
func TestBadSave(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(dying)
	url := serve(t, distDir).url
	p.open(url)
	change := func() { t.Helper(); p.change("77") }
	anew := func() {
		t.Helper()
		p.wait("the lab as the address has it", `document.documentElement.dataset.status`)
	}
	change()
	eval[bool](p, `(localStorage.dying = "dies", true)`)
	p.reload()
	saved := p.setAside()
	if !bytes.HasPrefix(saved, []byte("MSS1")) {
		t.Errorf("the file begins with %q", saved[:min(len(saved), 8)])
	}
	if n := eval[int](p, `self.restored`); n != 1 {
		t.Errorf("%d workers were told to restore the save", n)
	}
	anew()
	eval[bool](p, `(delete localStorage.dying, true)`)
	p.reload() // the page must not restore the bad save again
	if text := eval[string](p, `document.getElementById("notices").innerText`); text != "" {
		t.Errorf("the page still says %q", text)
	}

	change()
	eval[bool](p, `(localStorage.dying = "hangs", localStorage.tick = 100, true)`)
	p.reload()
	p.wait("a word on the worker", said("stopped while it restored"))
	p.setAside()
	if n := eval[int](p, `self.restored`); n != 1 {
		t.Errorf("%d workers were told to restore the save", n)
	}
	anew()
	change()
	eval[bool](p, `(localStorage.tick = 1e9, true)`)
	for n := 1; n <= 3; n++ {
		eval[bool](p, `(self.beforeReload = true, setTimeout(() => location.reload()), true)`)
		p.wait("a page that restores the save", `!self.beforeReload && self.restored === 1 && sessionStorage["macroscope.attempts"] === "`+itoa(n)+`"`)
	}
	p.reload()
	p.wait("a word on the pages", said("ended several times while it restored"))
	p.setAside()
	if eval[bool](p, `self.restored > 0`) {
		t.Error("a fourth page restores what three have ended of")
	}
	anew()
	eval[bool](p, `(delete localStorage.dying, delete localStorage.tick, true)`)
	change()
	p.do(chromedp.Navigate(url + "style.css")) // the lab saves when the page is left
	if n := evalLater[int](p, rotten); n == 0 {
		t.Fatal("nothing is saved")
	}
	p.wait("the icon that such a page asks for in vain", `document.readyState === "complete"`)
	p.open(url)
	p.setAside()
	anew()
	p.reload()
	if text := eval[string](p, `document.getElementById("notices").innerText`); text != "" {
		t.Errorf("the page still says %q", text)
	}
}
