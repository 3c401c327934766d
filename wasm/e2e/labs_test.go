//go:build !js

package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestLabs changes between two labs by links, by a reload and by the browser's history. Each
// lab continues from its last state.
func TestLabs(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	at := func(lab string) string {
		return `document.documentElement.dataset.lab === "` + lab + `" && document.documentElement.dataset.status`
	}
	follow := func(lab string) {
		eval[bool](p, `(document.querySelector('#labs a[href="#lab=`+lab+`"]').click(), true)`)
		p.wait(lab, at(lab))
	}

	p.open(s.url + "#lab=__proto__") // opens the first lab, and requests nothing by this name
	p.set("c-eps", "0.2")
	p.wait("a save", `document.documentElement.dataset.saved?.includes("eps=0.2")`)
	follow("particles")
	p.wait("particles that move", `document.getElementById("c-at").value > 0`)
	p.set("c-seed", "7")
	p.wait("a link that says so", `location.hash.includes("seed=7")`)
	follow("demo")
	p.wait("the demo as it was", `document.getElementById("c-eps").value === "0.2" && location.hash.includes("eps=0.2")`)
	follow("particles")
	p.wait("the particles as they were", `document.getElementById("c-seed").value === "7" && location.hash.includes("seed=7")`)
	p.do(chromedp.Reload())
	p.wait("the particles after a reload", at("particles")+` && document.getElementById("c-seed").value === "7"`)
	eval[bool](p, `(history.back(), true)`)
	p.wait("the demo by going back", at("demo")+` && document.getElementById("c-eps").value === "0.2"`)

	// An unknown lab leaves everything unchanged.
	eval[bool](p, `(location.hash = "#lab=alchemy", true)`)
	p.wait("a sentence", `[...document.querySelectorAll("#notices *")].some(e => e.textContent.includes("alchemy"))`)
	p.wait("the address to be back", `/lab=demo&.*eps=0\.2/.test(location.hash)`)

	// A link with settings opens these settings instead of the lab's last state.
	eval[bool](p, `(location.hash = "#v=1&lab=particles&seed=9", true)`)
	p.wait("the link's seed", at("particles")+` && document.getElementById("c-seed").value === "9"`)

	dir := t.TempDir()
	p.downloads(dir)
	p.wait("a picture", `document.getElementById("view").classList.contains("live")`)
	p.click("c-image")
	for until := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if names, err := filepath.Glob(filepath.Join(dir, "macroscope-particles-*.png")); err == nil && len(names) == 1 {
			break
		}
		if time.Now().After(until) {
			t.Fatal("the picture was not saved")
		}
	}
	p.quiet()
}
