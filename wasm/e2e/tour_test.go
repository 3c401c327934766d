//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTour walks through the tour of every lab: it answers each question, which is
// kept, sees what its commands do, and goes back to where the visitor was.
func TestTour(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	browser := newBrowser(t)
	for _, lab := range []string{"demo", "particles", "mixing", "polymer"} {
		t.Run(lab, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("..", "..", "assets", "tours", lab+".json"))
			if err != nil {
				t.Fatal(err)
			}
			type command struct{ Set, Value string }
			var pages []struct {
				Title string
				Start []command
				Ask   *struct {
					Answers []string
					Right   int
					Then    []command
				}
			}
			if err := json.Unmarshal(b, &pages); err != nil {
				t.Fatal(err)
			}
			p := newTab(t, browser, 1280, 800, 1)
			p.open(s.url + "#lab=" + lab)
			p.wait("the lab", `document.documentElement.dataset.panel === "`+lab+`" && !document.getElementById("transport").disabled && !!document.documentElement.dataset.status`)
			if lab == "demo" { // the first that this profile sees
				p.wait("an offer", `document.getElementById("tour-button").classList.contains("new")`)
			}
			p.wait("an address", `location.hash.includes("seed")`)
			before := eval[string](p, `location.hash`)
			p.click("tour-button")
			for k, page := range pages {
				p.wait(fmt.Sprintf("page %d", k+1), fmt.Sprintf(`document.querySelector("#tour .note")?.textContent === "page %d of %d"`, k+1, len(pages)))
				if k == 1 {
					p.shot("tour-" + lab + "-1280x800")
				}
				if k == 2 { // a phone shows what is lit as well, without its sheet being opened
					p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateTouch, chromedp.EmulateMobile))
					p.wait("lights in the window", `innerWidth === 390 && document.querySelectorAll(".lit").length > 0 && [...document.querySelectorAll(".lit")].every((e) => e.checkVisibility() && e.getBoundingClientRect().top >= 0 && e.getBoundingClientRect().bottom <= innerHeight)`)
					p.narrow(390)
					p.shot("tour-" + lab + "-390x844")
					p.do(chromedp.EmulateViewport(1280, 800))
				}
				if page.Ask != nil {
					click := fmt.Sprintf(`document.querySelectorAll("#tour .answers button")[%d].click()`, page.Ask.Right)
					p.wait("the question", `document.querySelectorAll("#tour .answers button").length > 1`)
					eval[bool](p, click+`, true`)
					p.wait("that the answer was right", `document.querySelector("#tour .reveal")?.textContent.startsWith("As you said.")`)
					for _, c := range page.Ask.Then {
						if c.Set != "" {
							p.wait(c.Set+" = "+c.Value, fmt.Sprintf(`[...document.querySelectorAll("#c-%[1]s, #c-%[1]s input:checked")].some((e) => e.value === %[2]q || e.type === "checkbox" && e.checked === (%[2]q === "on"))`, c.Set, c.Value))
						}
					}
				}
				eval[bool](p, `document.querySelector("#tour footer .primary").click(), true`)
			}
			p.wait("the end", `document.getElementById("tour").hidden && document.activeElement.id === "tour-button"`)
			// Where the last page is as the visitor's lab was there is nothing to go back to.
			same := fmt.Sprintf(`location.hash.replace(/&(frame|step)=\d+/g, "") === %q.replace(/&(frame|step)=\d+/g, "")`, before)
			back := `document.querySelector("#notices button")?.textContent === "Back to that"`
			p.wait("a way back", back+" || "+same)
			eval[bool](p, back+` && document.querySelector("#notices button").click(), true`)
			p.wait("the lab as it was", same)
			if strings.Contains(eval[string](p, `document.querySelector("#notices [role=alert]").textContent`), " ") {
				t.Errorf("an error: %s", eval[string](p, `document.querySelector("#notices [role=alert]").textContent`))
			}
			// The answers are kept: the next tour shows them.
			p.click("tour-button")
			p.wait("the first page with its answer", `document.querySelector("#tour .note")?.textContent.startsWith("page 1 ") && !!document.querySelector("#tour .reveal")`)
			eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}))`)
			p.wait("the end by a key", `document.getElementById("tour").hidden`)
			p.quiet()
		})
	}
}
