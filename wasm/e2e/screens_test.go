//go:build !js

package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// geometry measures the visible parts of the page. wrong() lists the visible defects.
const geometry = `
self.wrong = (width, coarse) => {
  const found = [], root = document.documentElement;
  const controls = "button, a[href]:not(p a), input:not(.switch input, .segment input), select, summary, .switch, .segment label";
  const texts = "h1, #tagline, #summary, .notice p, dt, dd, #warning, #task, progress, .note, .group h2, .ticks span";
  // seen is the visible part of an element, not clipped by its ancestors.
  const seen = (e) => {
    if (!e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || e.closest(".hidden")) return null;
    let { left, top, right, bottom } = e.getBoundingClientRect();
    for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
      const style = getComputedStyle(p);
      if (style.overflowX !== "visible" || style.overflowY !== "visible") {
        const r = p.getBoundingClientRect();
        [left, top, right, bottom] = [Math.max(left, r.left), Math.max(top, r.top), Math.min(right, r.right), Math.min(bottom, r.bottom)];
      }
      if (style.position === "fixed") break;
    }
    return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom } : null;
  };
  const name = (e) => (e.id ? "#" + e.id : e.tagName.toLowerCase() + (e.className ? "." + e.className : "")) + (e.textContent.trim() ? " '" + e.textContent.trim().slice(0, 30) + "'" : "");
  const show = (r) => [r.left, r.top, r.right, r.bottom].map((v) => Math.round(v)).join(" ");

  if (innerWidth !== width) found.push("the page is laid out for " + innerWidth);
  for (const e of [document.scrollingElement, document.body]) {
    if (e.scrollWidth > width) found.push(name(e).slice(0, 8) + " is " + e.scrollWidth + " wide");
  }
  scrollTo(1000, 0);
  if (scrollX > 0 || document.body.scrollLeft > 0) found.push("the page pans");
  scrollTo(0, 0);

  const within = document.querySelector("dialog[open]") ?? document.body;
  const every = (selectors) => [...within.querySelectorAll(selectors)];
  const all = every(controls + ", " + texts)
    .map((e) => [e, seen(e)]).filter(([, r]) => r);
  for (const [e, r] of all) {
    if (r.left < -0.5 || r.right > width + 0.5) found.push(name(e) + " reaches out of the window: " + show(r));
    if (r.top < -0.5 || r.bottom > innerHeight + 0.5) found.push(name(e) + " is cut by the window: " + show(r));
  }
  for (const e of every("*")) {
    if (e.clientWidth === 0 || !seen(e)) continue;
    const style = getComputedStyle(e);
    if (["auto", "scroll"].includes(style.overflowX) && e.scrollWidth > e.clientWidth + 1) found.push(name(e).slice(0, 20) + " pans by itself: " + e.scrollWidth + " in " + e.clientWidth);
  }
  for (const e of every("#tagline, #labs a, .top-buttons *, h1, button, dt, dd, h2, #summary")) {
    const box = seen(e);
    if (!box) continue;
    const words = document.createRange();
    words.selectNodeContents(e);
    const rects = [...words.getClientRects()].filter((r) => r.width > 1 && r.height > 1);
    const cut = rects.filter((r) => r.left < box.left - 1 || r.right > box.right + 1 || !e.closest("#panel, dialog") && (r.top < box.top - 4 || r.bottom > box.bottom + 4));
    const gone = rects.every((r) => r.left >= box.right || r.top >= box.bottom);
    if (cut.length > 0 && !(e.id === "tagline" && gone)) found.push(name(e) + " is not whole: " + show(cut[0]) + " in " + show(box));
  }
  for (const [i, [e, r]] of all.entries()) {
    for (const [f, s] of all.slice(i + 1)) {
      if (e.contains(f) || f.contains(e)) continue;
      const w = Math.min(r.right, s.right) - Math.max(r.left, s.left);
      const h = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
      const room = e.closest(".ticks") && f.closest(".ticks") ? -3 : 1; // neighbours on a scale may be close
      if (w > room && h > 1 && !(e.type === "range" && f.closest(".ticks"))) found.push(name(e) + " (" + show(r) + ") and " + name(f) + " (" + show(s) + ") overlap");
    }
  }
  const stage = document.getElementById("stage"), panel = document.getElementById("panel").getBoundingClientRect();
  if (width < 400 && !root.classList.contains("sheet-open") && stage.scrollHeight > stage.clientHeight + 1) found.push("the transport cuts the picture: " + stage.scrollHeight + " in " + stage.clientHeight);
  if (width > 760 && panel.width > width / 3 + 1) found.push("the panel is " + panel.width + " wide");
  // A warning next to the text on progress leaves both whole.
  const says = document.querySelector(".says"), filled = says.cloneNode(true);
  for (const e of filled.querySelectorAll(".warning, .task")) Object.assign(e, { hidden: false, textContent: "Words that a line has hardly room for, ".repeat(3) });
  says.after(filled);
  for (const e of filled.children) if (e.scrollWidth > e.clientWidth + 1) found.push("." + e.className + " is cut: " + e.scrollWidth + " in " + e.clientWidth);
  filled.remove();
  if (coarse) {
    for (const e of every(controls)) {
      if (!seen(e)) continue;
      const r = e.getBoundingClientRect();
      if (r.height < 43.5 || r.width < 43.5) found.push(name(e) + " is " + r.width.toFixed(1) + " x " + r.height.toFixed(1));
    }
  }
  return [...new Set(found)];
};`

// screened lists the labs, each with a picture that does not move.
var screened = []struct {
	lab, link string
	at        int
}{
	{"demo", "#v=1&lab=demo&set=3", 0},
	{"particles", "#lab=particles&seed=4&frame=40", 40},
	{"mixing", "#lab=mixing&frame=10", 10},
	{"polymer", "#lab=polymer&frame=20", 20},
}

// headlineLines is the number of lines of the sentence above the picture.
const headlineLines = `(() => {
	const words = document.createRange(), of = document.getElementById("summary");
	words.selectNodeContents(of);
	return words.getBoundingClientRect().height / parseFloat(getComputedStyle(of).lineHeight);
})()`

// TestScreens checks every lab on screens from a phone to a projector, for mouse and for finger.
// Nothing may be wider than the window or overlap. Touch targets must be large enough. A phone must
// show the whole picture. The panel may take at most a third of the page, and a headline on a
// projector at most two lines. The test also takes screenshots.
//
// With -long it tries everything in every lab. Without -long it tries less:
//
//   - The finger is tried on screens up to 768 px wide and on the widest screen. The mouse is tried
//     on screens wider than 768 px.
//   - The first lab is tried on all eight screens, with the help, and with two device pixels per
//     CSS pixel. The other labs are tried on four screens.
func TestScreens(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(probe)
	for _, lab := range screened {
		t.Run(lab.lab, func(t *testing.T) {
			p.visit(t, lab.lab, s.url+lab.link)
			p.standing(lab.at)
			eval[bool](p, "(() => {"+geometry+"; return true; })()")
			whole := lab.lab == "demo" || *long || *shots
			for _, screen := range []struct{ width, height int64 }{
				{360, 740}, {390, 844}, {600, 960}, {768, 1024}, {820, 1180}, {1024, 768}, {1280, 800}, {1920, 1080},
			} {
				if !whole && screen.width != 360 && screen.width != 820 && screen.width != 1280 && screen.width != 1920 {
					continue
				}
				for _, coarse := range []bool{false, true} {
					if !*long && coarse != (screen.width <= 768) && !(coarse && screen.width == 1920) {
						continue
					}
					options := []chromedp.EmulateViewportOption{}
					name := fmt.Sprintf("%d", screen.width)
					if coarse {
						options = append(options, chromedp.EmulateTouch, chromedp.EmulateMobile)
						name += "-touch"
					}
					p.do(chromedp.EmulateViewport(screen.width, screen.height, options...))
					p.wait("the screen", fmt.Sprintf(`innerWidth >= %d && matchMedia("(pointer: coarse)").matches === %v`, screen.width, coarse))
					eval[bool](p, `(document.getElementById("share").click(), true)`)
					p.wait("a notice", `document.querySelector(".notice")`)
					p.looked(name, screen.width, coarse)
					p.shot("width-" + lab.lab + "-" + name)
					if eval[bool](p, `document.getElementById("sheet").checkVisibility()`) {
						p.click("sheet")
						p.looked(name+", controls open", screen.width, coarse)
						p.click("sheet")
					}
					if whole { // the help is the same in every lab
						p.click("help")
						p.looked(name+", help", screen.width, coarse)
						p.click("help-close")
					}
				}
			}
			eval[bool](p, `(document.querySelectorAll(".notice > button:last-child").forEach((e) => e.click()), true)`)
			// Only some runs use another scale, because the change reloads the picture's page,
			// which takes long.
			scale := 1.0
			if whole {
				scale = 2
			}
			p.looks(true)
			p.pictured(lab.lab, "390x844-phone", 390, 844, scale, nil)
			if whole {
				p.pictured(lab.lab, "390x844-phone-sheet", 390, 844, scale, func() { p.click("sheet") })
				p.click("sheet")
				p.pictured(lab.lab, "1280x800", 1280, 800, scale, nil)
			}
			p.pictured(lab.lab, "1280x800-dark", 1280, 800, 1, func() { p.click("theme") })
			p.click("theme")
			p.pictured(lab.lab, "1920x1080-projector", 1920, 1080, 1, func() {
				p.do(chromedp.KeyEvent("p"))
				p.wait("projector mode", `document.documentElement.classList.contains("projector")`)
			})
			for _, screen := range [][2]int64{{1920, 1080}, {1024, 768}} {
				p.do(chromedp.EmulateViewport(screen[0], screen[1]))
				p.wait("the screen", fmt.Sprintf("innerWidth === %d", screen[0]))
				p.settled()
				if lines := eval[float64](p, headlineLines); lines > 2.1 {
					t.Errorf("on a projector of %d the headline has %.1f lines", screen[0], lines)
				}
			}
			p.do(chromedp.KeyEvent("p"))
			p.looks(false)
			p.quiet()
		})
	}
}

// pictured takes a screenshot of the page on a screen. If prepare is not nil, pictured first calls
// prepare, and waits until the canvas has changed.
func (p *tab) pictured(lab, screen string, width, height int64, scale float64, prepare func()) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height, chromedp.EmulateScale(scale)))
	p.wait("the screen", fmt.Sprintf(`innerWidth === %d && devicePixelRatio === %g`, width, scale))
	name := lab + "-" + screen
	var before []byte
	if prepare != nil {
		before = p.picture()
		prepare()
	}
	p.settled()
	p.narrow(width)
	// After a change of size, the picture is blank until it is redrawn.
	for until := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		if b := p.picture(); !bytes.Equal(b, before) && coloursOf(p.t, b) >= 50 {
			break
		}
		if time.Now().After(until) {
			p.t.Fatalf("%s: the picture is empty, or as before", name)
		}
	}
	p.shot(name)
}

// The method `looked` fails the test if the page has visible defects.
func (p *tab) looked(name string, width int64, coarse bool) {
	p.t.Helper()
	if found := eval[[]string](p, fmt.Sprintf("wrong(%d, %v)", width, coarse)); len(found) > 0 {
		p.t.Errorf("%s:\n\t%s", name, strings.Join(found, "\n\t"))
	}
}
