//go:build !js

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"macroscope/model/wire"
)

// strokes(at...) drags the mouse through points of the picture. The coordinates are fractions of
// the picture's width and height.
func (p *tab) strokes(at ...float64) {
	p.t.Helper()
	p.along(at, func(of int, x, y float64) action {
		kind := [...]input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMouseReleased}[of]
		return command(input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1})
	})
}

// touches(at...) drags a finger through points of the picture. The points have the same form as the
// arguments of strokes.
func (p *tab) touches(at ...float64) {
	p.t.Helper()
	p.along(at, func(of int, x, y float64) action {
		kind := [...]input.DispatchTouchEventType{input.DispatchTouchEventTypeTouchStart, input.DispatchTouchEventTypeTouchMove, input.DispatchTouchEventTypeTouchEnd}[of]
		points := []*input.TouchPoint{}
		if of < 2 {
			points = append(points, &input.TouchPoint{X: x, Y: y})
		}
		return command(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	})
}

// The method `along` moves a pointer through points. `event` returns the action at a point. The
// argument `of` selects the action: 0 for press, 1 for move and 2 for release.
func (p *tab) along(at []float64, event func(of int, x, y float64) action) {
	p.t.Helper()
	p.wait("what is shown to be drawn, each thing in its place", `((canvas) => canvas.came > 0 && canvas.came === canvas.drawn)(document.getElementById("canvas").contentWindow)`)
	type box struct{ X, Y, W, H float64 }
	r := eval[box](p, `(r => ({X: r.x, Y: r.y, W: r.width, H: r.height}))(document.getElementById("canvas").getBoundingClientRect())`)
	do := func(of int, x, y float64) {
		p.do(event(of, r.X+x*r.W, r.Y+y*r.H))
		p.pictures(2) // separates the moves, which the page would otherwise combine
	}
	do(0, at[0], at[1])
	for ; len(at) >= 4; at = at[2:] {
		for k := range 8 {
			part := float64(k+1) / 8
			do(1, at[0]+part*(at[2]-at[0]), at[1]+part*(at[3]-at[1]))
		}
	}
	do(2, at[0], at[1])
}

// askShown returns an expression that is true if a question contains this text.
func askShown(text string) string {
	return `document.getElementById("ask").open && document.getElementById("ask").textContent.includes("` + text + `")`
}

// TestSharedParticles draws particles and shares them. (TestCarriers in model/lab/session opens such links.)
func TestSharedParticles(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newParticles(t, newBrowser(t), s.url+"#lab=particles", 1280, 800, 1)
	p.waitFrame("the shipped model", drawn)
	p.click("c-clear")
	p.waitFrame("an empty plane", func(f *wire.Frame) bool { return len(f.Numbers("x")) == 0 })
	p.strokes(0.15, 0.55, 0.25, 0.25, 0.35, 0.55)
	p.wait("the link", `location.hash.includes("points=") && location.hash.includes("frame=0")`)
	p.waitFrame("the drawing", func(f *wire.Frame) bool { return len(f.Numbers("x")) > 100 && f.Number("now") == 0 })
	// The test replaces the clipboard, because the browser may refuse to copy in one of several
	// windows.
	eval[bool](p, `(navigator.clipboard.writeText = async (text) => { self.copied = text; }, true)`)
	p.click("share")
	p.wait("a word on what it carries", `self.copied === location.href && document.getElementById("notices").textContent.includes("particles on show")`)
	p.shot("share-1280x800")
	// Before copying, the page names the parts that the link will not contain.
	p.set("c-name", "mine")
	p.click("c-keep")
	p.wait("the kept run", `document.getElementById("c-runs").textContent.includes("mine")`)
	p.click("share")
	p.wait("the question", askShown("1 model that you kept"))
	p.shot("share-leaves-1280x800")
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	p.settled()
	p.narrow(390)
	p.shot("share-leaves-390x844")
	p.do(chromedp.KeyEvent("\x1b"))
	p.wait("the question to go", `!document.getElementById("ask").open`)
	p.quiet()

}

// TestPreviewInTheBrowser drops files. A preview of each file appears first; its layout is
// checked on a wide and on a narrow screen. A model of another lab opens in that lab.
func TestPreviewInTheBrowser(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	dump := filepath.Join(t.TempDir(), "mixed.dump")
	if err := os.WriteFile(dump, []byte(twoFrames), 0o644); err != nil {
		t.Fatal(err)
	}
	p := newProbed(t, newBrowser(t), "mixing", s.url+"#lab=mixing", 1280, 800, 1)
	p.waitFrame("the atoms", func(f *wire.Frame) bool { return len(f.Numbers("boundary")) > 0 && len(f.Numbers("ratios")) > 0 })
	p.drop("#canvas", dump)
	p.wait("the preview", askShown("2 of species A, 2 of species B"))
	p.shot("preview-1280x800")
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	p.settled()
	p.narrow(390)
	p.shot("preview-390x844")
	p.do(chromedp.EmulateViewport(1280, 800))
	eval[bool](p, `([...document.querySelectorAll("#ask button")].at(-1).click(), true)`)
	p.wait("the preview to go", `!document.getElementById("ask").open`)
	if f := p.waitFrame("a frame", func(f *wire.Frame) bool { return len(f.Numbers("x")) > 0 }); len(f.Numbers("boundary")) == 0 {
		t.Error("a cancelled file was taken")
	}
	p.drop("#canvas", dump)
	p.take()
	p.waitFrame("the recording, without a boundary", func(f *wire.Frame) bool { return len(f.Numbers("x")) == 8 && len(f.Numbers("boundary")) == 0 })
	p.wait("the simulation's controls to go", `["boundary", "temperature"].every((id) => !document.getElementById("c-" + id).checkVisibility())`)
	p.settled()
	p.shot("recorded-1280x800")
	p.click("c-simulate")
	p.wait("the simulation's controls", `document.getElementById("c-boundary").checkVisibility()`)

	model, err := filepath.Abs("../../assets/models/demo-eps0.1-z8.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	p.drop("#canvas", model)
	p.wait("the offer", askShown("a model of another lab"))
	p.shot("other-lab-1280x800")
	p.take()
	p.wait("the other lab with the model", `document.documentElement.dataset.lab === "demo" && document.getElementById("c-runs")?.textContent.includes("demo-eps0.1-z8")`)
	p.quiet()
}

// twoFrames is a LAMMPS dump of two frames of four atoms.
const twoFrames = `ITEM: TIMESTEP
0
ITEM: NUMBER OF ATOMS
4
ITEM: BOX BOUNDS ff ff pp
0 10
0 10
-0.5 0.5
ITEM: ATOMS id type x y
1 1 2 2
2 1 4 4
3 2 6 6
4 2 8 8
ITEM: TIMESTEP
100
ITEM: NUMBER OF ATOMS
4
ITEM: BOX BOUNDS ff ff pp
0 10
0 10
-0.5 0.5
ITEM: ATOMS id type x y
1 1 2.5 2
2 1 4 5
3 2 6 5.5
4 2 8 7
`

// TestBundleInTheBrowser trains briefly, saves everything, and opens the file in another profile. (TestBundle in serve/cmd
// continues such a training on the command line.)
func TestBundleInTheBrowser(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.open(s.url)
	p.wait("the shipped model", `document.documentElement.dataset.status === "done"`)
	p.click("c-drift")
	p.set("c-position", "0.4")
	p.click("c-add")
	p.wait("the link with the particles", `location.hash.includes("points=")`)
	p.click("c-reset")
	p.set("c-runto", "20")
	p.click("c-go")
	p.wait("a pause", `document.documentElement.dataset.status === "paused"`)
	reached := p.step()
	dir := t.TempDir()
	p.downloads(dir)
	p.click("c-bundle")
	saved := downloaded(t, dir)
	p.quiet()

	other := newTab(t, newBrowser(t), 1280, 800, 1)
	other.open(s.url)
	other.wait("the shipped model", `document.documentElement.dataset.status === "done"`)
	other.do(chromedp.SetUploadFiles("#file", []string{saved}))
	other.wait("the question", askShown("Open everything in this file?"))
	other.settled()
	other.shot("bundle-1280x800")
	other.take()
	other.wait("the training", `document.getElementById("notices").textContent.includes("Opened") && document.documentElement.dataset.status === "paused" && (`+stepExpression+`) === `+itoa(reached))
	other.wait("the particles", `location.hash.includes("points=")`)
	other.quiet()
}

// TestCopyWithoutClipboard presses Copy in the dialog for lectures on a page whose clipboard is
// forbidden, as it is without HTTPS. The browser must receive the text, and a refusal must be reported.
func TestCopyWithoutClipboard(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.open(serve(t, distDir).url + "#lab=particles")
	eval[bool](p, `(navigator.clipboard.writeText = async () => { throw new DOMException("no", "NotAllowedError"); },
		document.addEventListener("copy", ({ clipboardData }) => { self.copied = clipboardData.getData("text/plain"); }), true)`)
	p.click("share")
	p.wait("the offer", said("For a lecture"))
	eval[bool](p, `([...document.querySelectorAll("#notices button")].find((e) => e.textContent === "For a lecture…").click(), true)`)
	p.wait("the dialog", `document.getElementById("ask").open`)
	const button, result = "#lecture-short + button", `document.querySelector("#lecture-short ~ [role=status]").textContent`
	p.do(chromedp.Click(button))
	p.wait("a word on the copy", result+` === "The short link is on the clipboard."`)
	if got, want := eval[string](p, `self.copied ?? ""`), eval[string](p, `document.getElementById("lecture-short").value`); got != want {
		t.Errorf("the browser received %q instead of %q", got, want)
	}
	eval[bool](p, `(document.addEventListener("copy", (event) => event.stopImmediatePropagation(), true), true)`)
	p.do(chromedp.Click(button))
	p.wait("a word on the refusal", result+`.includes("did not copy") && document.activeElement.id === "lecture-short"`)
	p.quiet()
}

// TestSandboxWithoutDownloads saves files in a frame that may not save any. The lab must not say that
// there is a file, and must keep a session that was set aside.
func TestSandboxWithoutDownloads(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.open(s.url)
	p.change("77")
	p.beside(s.url)
	if n := evalLater[int](p, rotten); n == 0 {
		t.Fatal("nothing is saved")
	}
	eval[bool](p, `((f) => { f.setAttribute("sandbox", "allow-scripts allow-same-origin"); f.src = "`+s.url+`"; document.body.replaceChildren(f); self.frame = () => f.contentDocument; return true; })(Object.assign(document.createElement("iframe"), {width: 1100, height: 640}))`)
	const (
		buttons = `[...frame().querySelectorAll("#notices button")]`
		asked   = `frame().getElementById("notices").textContent.includes("allow-downloads")`
	)
	p.wait("the offer of the save", buttons+`.some((b) => b.textContent === "Save it as a file")`)
	eval[bool](p, `(`+buttons+`.find((b) => b.textContent === "Save it as a file").click(), true)`)
	p.wait("a word on the file", asked)
	if !evalLater[bool](p, inStorage(`return records.some(({ lab }) => String(lab).startsWith("aside "))`)) || !eval[bool](p, buttons+`.some((b) => b.textContent === "Delete it")`) {
		t.Error("the save is deleted although no file has arrived")
	}
}
