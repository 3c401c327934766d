//go:build !js

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestStory opens the paper's story by its address, in its lab, and walks through it: every
// page highlights a part of the picture. A focused symbol displays its meaning and its equation
// number.
func TestStory(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(`self.lights = []; addEventListener("message", ({ data }) => data?.type === "light" && parent.lights.push(data.part));`)
	p.open(s.url + "?tour=story")
	page := func(k int) {
		p.wait(fmt.Sprintf("page %d", k), fmt.Sprintf(`document.querySelector("#tour .note")?.textContent === "page %d of 6"`, k))
	}
	page(1)
	p.wait("its lab", `document.documentElement.dataset.panel === "particles"`)
	for k, part := range []string{"set", "target", "code", "learned", "dynamics", "prediction"} {
		page(k + 1)
		p.wait("the light of "+part, `self.lights.at(-1)?.split(" ")[0] === "`+part+`"`)
		if part == "target" || part == "dynamics" {
			p.wait("a picture at rest", `document.documentElement.dataset.playing === "false" && document.getElementById("c-at").value === "20"`)
			for _, width := range []int64{1280, 820, 360, 1920} {
				p.do(chromedp.EmulateViewport(width, 900))
				p.settled()
				p.narrow(width)
				p.shot(fmt.Sprintf("story-%s-%d", part, width))
			}
			p.do(chromedp.EmulateViewport(1280, 800))
		}
		if part == "code" { // ẑ exists only after the page's frame has been simulated
			p.wait("ẑ of the page's frame", `document.getElementById("c-at").value === "20" && !document.getElementById("c-decode").matches(":disabled, [aria-disabled=true]")`)
		}
		eval[bool](p, `document.querySelector("#tour footer .primary").click(), true`)
	}
	p.wait("an undimmed picture", `self.lights.at(-1) === ""`)

	// Every symbol has an entry in the help.
	for _, lab := range []string{"particles", "mixing", "polymer"} {
		p.open(s.url + "?tour=story#lab=" + lab) // in the same page, because only the fragment differs
		p.wait("the lab", `document.documentElement.dataset.panel === "`+lab+`" && document.getElementById("summary").textContent.length > 20`)
		// The picture and the sentence of the previous lab may stay for a moment.
		p.wait("an entry of every symbol", `document.querySelector("[data-sign]") !== null && [...document.querySelectorAll("[data-sign]")].every((e) => document.getElementById(e.dataset.sign))`)
		if lab == "polymer" {
			// An address that contains only the lab's name opens the lab's opening state, on
			// the first visit and later.
			pair := `document.getElementById("c-start").value === "hairpin" && document.getElementById("c-beside").value === "second"`
			p.wait("a hairpin beside a strand", pair)
			eval[bool](p, `(location.hash = "v=1&lab=polymer", true)`)
			p.wait("the one chain of a link", `document.getElementById("c-start").value === "drawn" && document.getElementById("c-beside").value === "none"`)
			eval[bool](p, `(location.hash = "lab=polymer", true)`)
			p.wait("a hairpin beside a strand again", pair)
		}
		p.do(chromedp.EmulateViewport(360, 740))
		p.settled()
		p.shot("phone-" + lab + "-360")
		p.do(chromedp.EmulateViewport(1280, 800))
	}
	p.open(s.url + "?tour=story#lab=demo&drift=off")
	p.wait("a symbol to be reached", `document.querySelectorAll("#summary [tabindex='0']").length > 2`)
	eval[bool](p, `document.querySelector("#summary [data-sign='symbol-q_X']").focus({ focusVisible: true }), true`)
	p.wait("what it is", `!document.getElementById("tip").hidden && document.getElementById("tip").textContent.includes("(Eq. 2)")`)
	p.shot("story-symbol-1280")

	// A symbol in the picture also displays its meaning. The keyboard, screen readers and the
	// pointer can reach the symbol, and the picture still receives the pointer.
	const drawn = `document.querySelector(".signs [tabindex='0'][data-sign='symbol-%s']")`
	for sign, words := range map[string]string{"q_X": "(Eq. 2)", "ẑ": "(Eq. 1)", "KL": "in nats"} {
		symbol := fmt.Sprintf(drawn, sign)
		p.wait("the drawn "+sign, symbol+` !== null`)
		eval[bool](p, symbol+`.focus({ focusVisible: true }), true`)
		p.wait("what it is", `!document.getElementById("tip").hidden && document.getElementById("tip").textContent.includes("`+words+`") && `+symbol+`.getAttribute("aria-label") === document.getElementById("tip").textContent`)
		p.shot("story-drawn-" + sign + "-1280")
		eval[bool](p, symbol+`.blur(), true`)
		p.wait("silence", `document.getElementById("tip").hidden`)
		at := eval[[]float64](p, `((r) => [r.left + r.width / 2, r.top + r.height / 2])(`+symbol+`.getBoundingClientRect())`)
		if over := eval[string](p, fmt.Sprintf(`document.elementFromPoint(%g, %g).id`, at[0], at[1])); over != "canvas" {
			t.Errorf("the pointer over %s is taken by %q", sign, over)
		}
		p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
		p.wait("what is pointed at", `!document.getElementById("tip").hidden && document.getElementById("tip").textContent.includes("`+words+`")`)
		p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]+40))
		p.wait("silence elsewhere", `document.getElementById("tip").hidden`)
	}
	p.quiet()
}
