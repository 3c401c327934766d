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

// TestTour walks through the tour of every lab. It answers each question, checks that the
// answer is kept and that the commands work, and returns to the user's state.
func TestTour(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	right := make(map[int]int) // for each place, how many times the right answer is there
	for _, lab := range []string{"demo", "particles", "mixing", "polymer"} {
		t.Run(lab, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("..", "..", "assets", "tours", lab+".json"))
			if err != nil {
				t.Fatal(err)
			}
			type command struct{ Link, Set, Value string }
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
			p.visit(t, lab, s.url+"#lab="+lab)
			p.wait("the lab", `!document.getElementById("transport").disabled`)
			if lab == "demo" { // the profile is new, so the page offers a tour
				p.wait("an offer", `document.getElementById("tour-button").classList.contains("new")`)
			}
			p.wait("an address", `location.hash.includes("seed")`)
			before := eval[string](p, `location.hash`)
			p.click("tour-button")
			for k, page := range pages {
				p.wait(fmt.Sprintf("page %d", k+1), fmt.Sprintf(`document.querySelector("#tour .note")?.textContent === "page %d of %d"`, k+1, len(pages)))
				for _, c := range page.Start { // without this the end below could be judged by an older page's address
					if c.Link != "" {
						p.wait("the page's link", fmt.Sprintf(`%q.split("&").every((one) => /^(frame|step)=/.test(one) || location.hash.includes(one))`, c.Link))
					}
				}
				if k == 1 {
					p.shot("tour-" + lab + "-1280x800")
				}
				if k == 2 { // a phone also shows the highlighted part, with its sheet closed
					p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateTouch, chromedp.EmulateMobile))
					p.wait("lights in the window", `innerWidth === 390 && document.querySelectorAll(".lit").length > 0 && [...document.querySelectorAll(".lit")].every((e) => e.checkVisibility() && e.getBoundingClientRect().top >= 0 && e.getBoundingClientRect().bottom <= innerHeight)`)
					p.narrow(390)
					p.shot("tour-" + lab + "-390x844")
					p.do(chromedp.EmulateViewport(1280, 800))
				}
				if page.Ask != nil {
					click := fmt.Sprintf(`document.querySelector("#tour .answers [data-answer='%d']").click()`, page.Ask.Right)
					p.wait("the question", `document.querySelectorAll("#tour .answers button").length > 1`)
					right[eval[int](p, fmt.Sprintf(`[...document.querySelectorAll("#tour .answers [data-answer]")].findIndex((e) => e.dataset.answer === "%d")`, page.Ask.Right))]++
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
			// If the last page has the user's state, there is nothing to restore.
			same := fmt.Sprintf(`location.hash.replace(/&(frame|step)=\d+/g, "") === %q.replace(/&(frame|step)=\d+/g, "")`, before)
			back := `document.querySelector("#notices button")?.textContent === "Return"`
			p.wait("a way back", back+" || "+same)
			eval[bool](p, back+` && document.querySelector("#notices button").click(), true`)
			p.wait("the lab as it was", same)
			if strings.Contains(eval[string](p, `document.querySelector("#notices [role=alert]").textContent`), " ") {
				t.Errorf("an error: %s", eval[string](p, `document.querySelector("#notices [role=alert]").textContent`))
			}
			// The next tour asks again. It keeps its answers until it ends or asks again.
			p.click("tour-button")
			asks := `document.querySelector("#tour .note")?.textContent.startsWith("page 1 ") && !!document.querySelector("#tour .answers")`
			p.wait("the first question", asks)
			wrong := (pages[0].Ask.Right + 1) % 3
			eval[bool](p, fmt.Sprintf(`document.querySelector("#tour .answers [data-answer='%d']").click(), true`, wrong))
			p.wait("that the answer was wrong", `document.querySelector("#tour .reveal")?.textContent.startsWith("Not quite.")`)
			p.click("tour-button")
			p.click("tour-button")
			p.wait("the answer", `!!document.querySelector("#tour .reveal")`)
			eval[bool](p, `document.querySelector("#tour .again button:last-child").click(), true`)
			p.wait("the question again", asks)
			eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}))`)
			p.wait("the end by a key", `document.getElementById("tour").hidden`)
			p.quiet()
		})
	}
	all := right[0] + right[1] + right[2]
	for place, n := range right {
		if 2*n > all {
			t.Errorf("%d of %d right answers have place %d", n, all, place)
		}
	}
}

// The script `walk` goes through all pages of the open tour and answers every question. It returns
// a list of errors. An error is text out of sight, a highlight out of sight, a picture that is too
// small or cut, or a question that was passed over.
const walk = `(() => {
  const box = document.getElementById("tour");
  const stage = document.getElementById("stage");
  const found = [];
  const look = (what) => {
    const inner = box.querySelector(".pages");
    const name = box.querySelector("h2").textContent + ", " + what + ": ";
    const over = inner.scrollHeight - inner.clientHeight;
    if (over > 1) found.push(name + over + " px of its text are out of sight");
    if (stage.clientHeight < %d) found.push(name + "the picture has " + stage.clientHeight + " px");
    if (innerWidth < 500 && stage.scrollHeight > stage.clientHeight + 1) found.push(name + "the picture is cut");
    for (const lit of document.querySelectorAll(".lit")) {
      const r = lit.getBoundingClientRect();
      if (lit.checkVisibility() && (r.top < -1 || r.bottom > innerHeight + 1)) found.push(name + (lit.id || lit.className) + " is out of sight");
    }
  };
  const button = (place) => box.querySelector("footer button:" + place + "-of-type");
  while (!button("first").disabled) button("first").click();
  for (let end = false; !end;) {
    look("text");
    const text = box.querySelector("h2");
    if (box.querySelector(".question, .reveal")?.checkVisibility() === false) {
      button("last").click();
      if (box.querySelector("h2") !== text) found.push(text.textContent + ": its question was passed over");
      look("question");
    }
    const answer = box.querySelector(".answers button");
    if (answer) {
      answer.click();
      look("answer");
    }
    end = button("last").textContent === "End";
    if (!end) button("last").click();
  }
  return found;
})()`

// TestTourFits checks every page of every tour on phones, on a small projector and on a laptop. The
// page must be completely visible, with its highlights and with a large enough picture.
func TestTourFits(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	for _, tour := range []struct{ lab, button string }{{"demo", "#tour-button"}, {"particles", "#tour-button"}, {"particles", "#ask .answers button"}, {"mixing", "#tour-button"}, {"polymer", "#tour-button"}} {
		p.visit(t, tour.lab, s.url+"#lab="+tour.lab)
		// The lab does not receive the commands of the pages, because their effect does not
		// matter here.
		eval[bool](p, `(self.post = Worker.prototype.postMessage, Worker.prototype.postMessage = () => {}, true)`)
		for _, screen := range []struct {
			width, height int64
			phone         bool
			picture       int // smallest height of the picture in pixels
		}{{360, 740, true, 210}, {390, 844, true, 250}, {1024, 768, false, 300}, {1280, 800, false, 300}} {
			if screen.width == 390 && !*long { // the narrower phone of 360 px suffices
				continue
			}
			options := []chromedp.EmulateViewportOption{}
			if screen.phone {
				options = append(options, chromedp.EmulateTouch, chromedp.EmulateMobile)
			}
			p.do(chromedp.EmulateViewport(screen.width, screen.height, options...))
			p.wait("the screen", fmt.Sprintf(`innerWidth === %d`, screen.width))
			eval[bool](p, fmt.Sprintf(`(document.documentElement.classList.toggle("projector", innerWidth === 1024), localStorage.removeItem("macroscope.tours"), %q.startsWith("#ask") && document.getElementById("teach").click(), document.querySelector(%[1]q).click(), true)`, tour.button))
			p.wait("a page", `document.querySelector("#tour .note")?.textContent.startsWith("page ")`)
			for _, problem := range eval[[]string](p, fmt.Sprintf(walk, screen.picture)) {
				t.Errorf("%s of %s, %d px wide: %s", tour.button, tour.lab, screen.width, problem)
			}
			eval[bool](p, `(document.documentElement.classList.remove("projector"), document.querySelector("#tour header button").click(), true)`)
		}
		eval[bool](p, `(Worker.prototype.postMessage = self.post, true)`)
		// A phone in landscape also shows the picture.
		for _, screen := range [][2]int64{{740, 360}, {844, 390}} {
			if screen[0] == 844 && !*long {
				continue
			}
			p.do(chromedp.EmulateViewport(screen[0], screen[1], chromedp.EmulateTouch, chromedp.EmulateMobile))
			p.wait("the screen", fmt.Sprintf(`innerWidth === %d`, screen[0]))
			if height := eval[float64](p, `document.getElementById("stage").clientHeight`); height < 200 {
				t.Errorf("%s, %d px wide and %d high: the picture has %g px", tour.lab, screen[0], screen[1], height)
			}
		}
	}
	p.quiet()
}
