//go:build !js

package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestLecture makes a link for a lecture, opens it, and checks its settings. In projector mode,
// the main controls are visible.
func TestLecture(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)
	s := serve(t, distDir)
	p := newTab(t, browser, 1280, 800, 1)
	p.open(s.url + "#lab=particles&seed=4&frame=60")
	p.wait("the lab", `document.documentElement.dataset.lab === "particles" && !document.getElementById("groups").disabled`)
	p.click("share")
	p.wait("the offer", `[...document.querySelectorAll(".notice button")].some((e) => e.textContent.startsWith("For a lecture"))`)
	eval[bool](p, `([...document.querySelectorAll(".notice button")].find((e) => e.textContent.startsWith("For a lecture")).click(), true)`)
	p.wait("the dialog", `document.getElementById("ask").open && document.getElementById("lecture-short")`)
	source := axe(t)
	p.accessibleInThemes(source, "lecture")
	p.shot("lecture-dialog-1280")
	set := func(id, value string) {
		eval[bool](p, `(() => { const e = document.getElementById("`+id+`"); e.value = "`+value+`"; e.dispatchEvent(new Event("change")); e.dispatchEvent(new Event("input")); return true; })()`)
	}
	eval[bool](p, `([...document.querySelectorAll("#ask button")].find((e) => e.textContent === "ε, ẑ and Shuffle only").click(), true)`)
	if short := eval[string](p, `document.getElementById("lecture-short").value`); !regexp.MustCompile(`\?show=(eps,zdim|zdim,eps),shuffle#lab=particles`).MatchString(short) {
		t.Errorf("the preset's link is %s", short)
	}
	set("lecture-dt", "shown")
	set("lecture-zdim", "locked")
	set("lecture-embed", "controls")
	short, full, frame := eval[string](p, `document.getElementById("lecture-short").value`), eval[string](p, `document.getElementById("lecture-full").value`), eval[string](p, `document.getElementById("lecture-frame").value`)
	if !strings.Contains(short, "/?show=") || !strings.Contains(short, "lock=zdim") || !strings.Contains(short, "embed=controls") || !strings.Contains(short, "#lab=particles") || len(short) >= len(full) {
		t.Errorf("short %s\nfull %s", short, full)
	}
	if !strings.HasPrefix(frame, "<iframe src=") || !strings.Contains(frame, "embed=controls") {
		t.Errorf("frame %s", frame)
	}
	p.open(short)
	p.wait("what is shown, locked and hidden", `document.documentElement.dataset.lab === "particles" && !document.getElementById("groups").disabled &&
		document.getElementById("c-eps").checkVisibility() && document.getElementById("c-zdim").disabled && !document.getElementById("c-eps").disabled &&
		document.getElementById("c-shuffle").checkVisibility() && document.getElementById("c-dt").checkVisibility() && !document.getElementById("c-n").checkVisibility() && !document.getElementById("g-training").checkVisibility() &&
		!document.querySelector("header.top").checkVisibility() && !document.getElementById("seek").checkVisibility() && document.querySelectorAll("#groups > section:not([hidden])").length === 2`)
	p.settled()
	p.shot("lecture-opened-1280")
	eval[bool](p, `(document.getElementById("c-train").addEventListener("click", () => (self.trained = true)), true)`)
	p.do(chromedp.KeyEvent("t"))
	if eval[bool](p, `self.trained ?? false`) {
		t.Error("the shortcut of a hidden control presses it")
	}
	p.accessible(source, "embedded")
	p.open(s.url + "?embed=picture#lab=particles&seed=4&frame=60")
	p.wait("the picture alone", `document.documentElement.dataset.lab === "particles" && !document.getElementById("panel").checkVisibility() && document.getElementById("c-play").checkVisibility()`)
	for _, screen := range [...][2]int64{{360, 640}, {820, 600}, {1920, 1080}} {
		p.do(chromedp.EmulateViewport(screen[0], screen[1]))
		p.settled()
		p.narrow(screen[0])
		p.shot("lecture-picture-" + itoa(int(screen[0])))
	}
	q := newTab(t, browser, 1280, 800, 1)
	q.open(s.url + "?show=n,eps#lab=particles")
	q.wait("the lab's own start, not the last visit of another tab", `document.documentElement.dataset.lab === "particles" && document.documentElement.dataset.playing === "true" && !location.hash.includes("seed=4")`)
	// Every part of the query that nothing understands is named. A lab before the # is opened.
	q.open(s.url + "?show=eps,%20zdim&lock=methods&embed=page&tour=last&lad=3&utm_source=mail&lab=particles")
	q.wait("a word on what is strange", `[...document.querySelectorAll("#notices *")].some((e) => e.textContent.endsWith('before the #: "lad=3", "lock=methods", "embed=page", "tour=last". The names are those of Share, “For a lecture…”.'))`)
	if !eval[bool](q, `document.documentElement.dataset.lab === "particles" && location.hash.includes("lab=particles") && ["eps", "zdim"].every((id) => document.getElementById("c-"+id).checkVisibility()) && !document.getElementById("c-method").checkVisibility()`) {
		t.Error("the lab before the #, or a control after a space, is not shown")
	}
	for lab, still := range map[string]string{"demo": "drift=off", "particles": "frame=20"} {
		p.open(s.url + "#lab=" + lab + "&" + still)
		p.wait("the lab", `(document.documentElement.dataset.lab ?? "demo") === "`+lab+`" && !document.getElementById("groups").disabled`)
		p.do(chromedp.KeyEvent("p"))
		p.wait("on a projector, what drives it", `document.documentElement.classList.contains("projector") && ["eps", "zdim", "method", "shuffle"].every((id) => document.getElementById("c-"+id).checkVisibility()) &&
			document.getElementById("c-preset")?.checkVisibility() !== false && !document.getElementById("g-files").checkVisibility()`)
		p.settled()
		p.narrow(1920)
		p.shot("projector-" + lab + "-1920")
		p.accessible(source, "projector")
		p.do(chromedp.KeyEvent("p"))
	}
	p.quiet()
}
