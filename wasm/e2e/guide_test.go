//go:build !js

package e2e

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestLessons opens links of the lessons. Each link must open a page of a tour, and the title of
// this page must be the text of the link. With -long the test opens all links, otherwise a link of
// the first lab and a link of another lab. TestLesson in serve/dist compares the titles of all links
// with the tours.
func TestLessons(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	b, err := os.ReadFile(filepath.Join(distDir, "guide", "lesson.html"))
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`<a href="\.\./index\.html(\?tour=\d+#lab=(\w+))">([^<]+)</a>`).FindAllStringSubmatch(string(b), -1)
	if len(links) < 15 {
		t.Fatalf("the lessons have %d links to the lab", len(links))
	}
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	opened := map[string]bool{}
	for _, m := range links {
		if (opened[m[2]] || len(opened) == 2) && !*long {
			continue
		}
		opened[m[2]] = true
		p.do(chromedp.Navigate("about:blank")) // another fragment alone would not load the page
		p.open(s.url + m[1])
		p.wait("the page "+m[3], `document.getElementById("tour-title")?.textContent === `+strconv.Quote(html.UnescapeString(m[3])))
	}
	p.quiet()
}

// TestPaper follows an old link to the paper's tables, and opens the lab with a row of their page.
func TestPaper(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.do(chromedp.Navigate(serve(t, distDir).url + "?paper"))
	p.wait("the page of the guide", `location.pathname.endsWith("/guide/paper.html") && document.querySelectorAll("table").length === 7`)
	eval[bool](p, `([...document.querySelectorAll("tbody th")].find((e) => e.textContent === "AE-Aug Open").querySelector("a").click(), true)`)
	p.wait("the row's model", `document.documentElement.dataset.lab === "particles" && document.getElementById("c-method")?.value === "ae-aug"`)
	p.quiet()
}

// TestSlides goes through the slides by key and by button. Each must show its lab.
func TestSlides(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.do(chromedp.Navigate(s.url + "guide/slides.html"))
	const last = 8
	for k := 1; k <= last; k++ {
		p.wait("slide "+itoa(k), `document.getElementById("at").textContent === "`+itoa(k)+` of 8" && document.querySelectorAll("iframe").length === 1`)
		if k == 1 || k == last || *long || *shots {
			p.wait("its lab", `document.querySelector("iframe").contentDocument?.getElementById("view")?.classList.contains("live")`)
			p.shot("slide-" + itoa(k))
		}
		switch {
		case k == last:
		case k%2 == 0:
			eval[bool](p, `(document.getElementById("on").click(), true)`)
		default:
			eval[bool](p, `(document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "PageDown", bubbles: true})), true)`)
		}
	}
	if !eval[bool](p, `document.getElementById("on").disabled && location.hash === "#8"`) {
		t.Error("after the last slide there is a next one")
	}
	p.quiet()
}
