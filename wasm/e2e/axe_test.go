//go:build !js

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe returns the source of axe-core, which `npm ci` installs. If axe-core is missing, the test
// fails in CI. On a developer's machine the test is skipped with a clear message.
func axe(t testing.TB) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	if err == nil {
		return string(source)
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("axe-core is not installed: %v", err)
	}
	t.Skip("NO AXE-CORE ON THIS MACHINE: ACCESSIBILITY IS NOT TESTED; run npm ci in wasm/e2e")
	return ""
}

// violation is one violated rule of axe-core, with its place in the page.
type violation struct {
	ID     string   `json:"id"`
	Impact string   `json:"impact"` // minor, moderate, serious or critical
	Help   string   `json:"help"`
	Nodes  []string `json:"nodes"`
}

// accessible fails the test for every serious or critical violation in the page, and logs other
// violations. If rules are named, it checks only these.
func (p *tab) accessible(source, state string, rules ...string) {
	p.t.Helper()
	of := ""
	if len(rules) > 0 {
		of = fmt.Sprintf(`, runOnly: ["%s"]`, strings.Join(rules, `", "`))
	}
	// Elements have too little contrast while they fade in or out, so the test waits.
	p.settled()
	eval[bool](p, `(() => { if (!window.axe) { `+source+` } return true; })()`)
	found := evalLater[[]violation](p, `axe.run(document, {iframes: false, resultTypes: ["violations"]`+of+`}).then(r => r.violations.map(v => (
		{id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map(n => n.target.join(" ") + ": " + (n.failureSummary ?? "").replace(/\s+/g, " "))})))`)
	for _, v := range found {
		text := fmt.Sprintf("%s: axe-core, %s (%s): %s\n\t%s", state, v.ID, v.Impact, v.Help, strings.Join(v.Nodes, "\n\t"))
		if v.Impact == "serious" || v.Impact == "critical" {
			p.t.Error(text)
		} else {
			p.t.Log(text)
		}
	}
}

// colours lists the rules that depend on the theme.
var colours = []string{"color-contrast", "link-in-text-block"}

// accessibleInThemes checks all rules in the present theme, and the rules on colours in the other
// theme. The themes differ only in colours.
func (p *tab) accessibleInThemes(source, state string) {
	p.t.Helper()
	for _, rules := range [][]string{nil, colours} {
		p.accessible(source, state+", "+eval[string](p, `document.documentElement.dataset.theme ?? "theme of the system"`), rules...)
		eval[bool](p, `(document.getElementById("theme").click(), true)`)
	}
}

// TestAccessible looks for violations in two labs, in light and dark, on a wide screen and on a
// phone with its sheet open. It also checks the tour, the sweep and the help.
func TestAccessible(t *testing.T) {
	t.Parallel()
	source := axe(t)
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	for lab, still := range map[string]string{"demo": "drift=off", "particles": "frame=20"} {
		t.Run(lab, func(t *testing.T) {
			p.visit(t, lab, s.url+"#lab="+lab+"&"+still)
			for _, size := range []struct {
				name          string
				width, height int64
			}{{"1280x800", 1280, 800}, {"390x844", 390, 844}} {
				p.do(chromedp.EmulateViewport(size.width, size.height))
				p.wait("the screen", fmt.Sprintf("innerWidth === %d", size.width))
				if size.width < 500 {
					p.click("sheet")
				}
				if size.width < 500 { // the colours are those of the wide screen
					p.accessible(source, size.name)
				} else {
					p.accessibleInThemes(source, size.name)
				}
				p.click("tour-button")
				p.wait("the tour", `!document.getElementById("tour").hidden`)
				p.narrow(size.width)
				p.accessible(source, size.name+", tour")
				p.shot("tour-axe-" + lab + "-" + size.name)
				p.click("tour-button")
				p.click("c-sweep")
				p.wait("the sweep", `document.querySelector("#sweep .point")`)
				p.narrow(size.width)
				p.accessible(source, size.name+", sweep")
				p.shot("sweep-axe-" + lab + "-" + size.name)
				p.click("c-sweep")
				p.click("help")
				p.accessible(source, size.name+", help")
				p.click("help-close")
				if size.width < 500 {
					p.click("sheet")
				}
			}
		})
	}
}

// TestGuideAccessible looks for violations in the guide's pages, in light and dark, on a wide
// screen and on a phone. No page may be wider than the screen.
func TestGuideAccessible(t *testing.T) {
	t.Parallel()
	source := axe(t)
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	pages, err := filepath.Glob(filepath.Join(distDir, "guide", "*.html"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("there is no guide in %s: %v", distDir, err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		p.do(chromedp.Navigate(s.url + "guide/" + name))
		for _, width := range []int64{1280, 390} {
			p.do(chromedp.EmulateViewport(width, 844))
			p.wait("the screen", fmt.Sprintf("innerWidth === %d", width))
			p.narrow(width)
			for theme, rules := range map[string][]string{"light": nil, "dark": colours} {
				if theme == "dark" && width < 500 {
					continue // the colours are those of the wide screen
				}
				eval[bool](p, fmt.Sprintf(`(document.documentElement.dataset.theme = %q, true)`, theme))
				p.accessible(source, fmt.Sprintf("%s, %d wide, %s", name, width, theme), rules...)
			}
		}
	}
}
