//go:build !js

package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
)

// TestPrint prints the lab. The picture must be on the paper, and must not be loaded again.
func TestPrint(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1000, 1300, 1)
	p.sees()
	p.open(serve(t, distDir).url + "#lab=particles&frame=40")
	p.wait("a picture at rest", `document.documentElement.dataset.playing === "false" && document.getElementById("canvas").contentDocument.querySelector(".paper")`)
	eval[bool](p, `(document.getElementById("canvas").contentWindow.stays = true)`)
	media := func(of string) {
		p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: of}))
	}
	p.do(command(page.PrintToPDF, page.PrintToPDFParams{}))
	media("print")
	p.wait("the paper", `getComputedStyle(document.getElementById("canvas").contentDocument.querySelector(".paper")).display === "block" && !document.getElementById("panel").checkVisibility()`)
	p.pictures(2)
	if n := coloursOf(t, p.picture()); n < 30 {
		t.Errorf("the printed picture has %d colours", n)
	}
	p.shot("print-1000x1300")
	media("")
	p.pictures(2)
	if !eval[bool](p, `document.getElementById("canvas").contentWindow.stays === true`) {
		t.Error("printing loads the picture again")
	}
	p.quiet()
}
