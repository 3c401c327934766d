//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"macroscope/model/wire"
)

// surveyWhole reports whether every point of the panel on ε and ẑ dim is measured and drawn.
const surveyWhole = `(() => { const points = [...document.querySelectorAll("#survey .point")]; return points.length > 10 && points.every((e) => e.style.display !== "none") && document.querySelector("#survey .plots").clientWidth > 0; })()`

// TestSurvey opens the panel on ε and ẑ dim in three labs, chooses other values by a click and
// by keys, and checks the panel on every screen.
func TestSurvey(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(probe)
	source := axe(t)
	for _, of := range []struct {
		lab, link, error string
	}{
		{"demo", "#v=1&lab=demo&drift=off&survey=on", ""},
		{"particles", "#lab=particles&seed=4&frame=20&survey=on", "MRE"},
		{"mixing", "#lab=mixing&frame=10&survey=on", "RMSE"},
	} {
		t.Run(of.lab, func(t *testing.T) {
			p.do(chromedp.EmulateViewport(1280, 800))
			p.visit(t, of.lab, s.url+of.link)
			p.wait("the measured curves", surveyWhole)
			p.settled()
			labels := eval[string](p, `[...document.querySelectorAll("#survey svg")].map((e) => e.getAttribute("aria-label")).join("; ")`)
			if !strings.Contains(labels, "KL against ε") || !strings.Contains(labels, "KL against ẑ dim") || of.error != "" && !strings.Contains(labels, of.error) {
				t.Errorf("plots: %s", labels)
			}
			p.shot("survey-" + of.lab + "-1280x800")
			// A point shows its values with their units, and a click selects these values.
			eval[bool](p, `(() => {
				const svg = document.querySelectorAll("#survey svg")[1], r = svg.querySelector(".point").getBoundingClientRect();
				const at = { clientX: (r.left + r.right) / 2, clientY: (r.top + r.bottom) / 2, pointerId: 1, bubbles: true };
				svg.dispatchEvent(new PointerEvent("pointermove", at));
				self.tip = svg.parentElement.querySelector(".value").textContent;
				svg.setPointerCapture = () => {};
				svg.dispatchEvent(new PointerEvent("pointerdown", at));
				return true;
			})()`)
			if tip := eval[string](p, `tip`); !strings.HasPrefix(tip, "ẑ dim 1: KL ") || !strings.HasSuffix(tip, " nats") {
				t.Errorf("the point says %q", tip)
			}
			p.waitFrame("ẑ dim 1", func(f *wire.Frame) bool { return len(f.Numbers("z")) == max(1, len(catalogueSets(of.lab))) })
			// The keys select another ε. A point that is being measured again cannot be focused.
			p.wait("the curves of ẑ dim 1", `document.querySelector("#survey svg").getAttribute("aria-label").includes("ẑ dim 1") && `+surveyWhole)
			eps := p.frame().Number("eps")
			eval[bool](p, `(document.querySelector("#survey svg .point[tabindex='0']").focus(), true)`)
			p.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.Enter))
			p.waitFrame("another ε", func(f *wire.Frame) bool { return f.Number("eps") > 1.1*eps })
			if !eval[bool](p, `document.activeElement.closest("#survey .point") !== null`) {
				t.Error("the focus is lost")
			}
			p.wait("the measured curves", surveyWhole)
			whole := of.lab == "particles" || *long || *shots // its panel has all plots
			if whole {
				p.accessibleInThemes(source, of.lab)
			}
			screens := [][2]int64{{360, 740}, {820, 1180}, {1024, 768}, {390, 844}, {600, 900}, {768, 1024}, {1440, 900}, {1920, 1080}}
			if !*long && !*shots {
				screens = screens[:3]
			}
			if !whole {
				screens = nil
			}
			for _, screen := range screens {
				p.do(chromedp.EmulateViewport(screen[0], screen[1]))
				p.settled()
				p.narrow(screen[0])
				p.shot("survey-" + of.lab + "-" + itoa(int(screen[0])))
			}
			if whole {
				p.click("projector")
				p.settled()
				p.narrow(1920)
				p.shot("survey-" + of.lab + "-projector")
				p.click("projector")
			}
			p.do(chromedp.EmulateViewport(1280, 800))
			if of.lab == "demo" { // the drawing of sweeps and the panel replace each other
				p.click("c-sweep")
				p.wait("the drawing of sweeps instead", `document.getElementById("survey").hidden && !document.getElementById("sweep").hidden && document.querySelectorAll("#sweep .point").length > 2`)
				p.click("c-survey")
				p.wait("the panel instead", `document.getElementById("sweep").hidden && !document.getElementById("survey").hidden`)
			}
			if of.error != "" { // at the first frame, the plot with the focus disappears
				eval[bool](p, `(() => {
					document.querySelectorAll("#survey .plot")[2].querySelector(".point[tabindex='0']").focus();
					const frame = document.getElementById("c-at");
					frame.value = 0;
					return frame.dispatchEvent(new Event("input"));
				})()`)
				p.wait("no error yet", `document.querySelectorAll("#survey .plot")[2].hidden`)
			}
			eval[bool](p, `(document.querySelector("#survey header button").click(), true)`)
			p.wait("the panel closed", `document.getElementById("survey").hidden && !document.getElementById("c-survey").checked`)
			p.quiet()
		})
	}
}
