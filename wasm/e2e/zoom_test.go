//go:build !js

package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestFieldError enters a wrong value in a low and narrow window, as a wide one is at 400 %. The error must be in the
// window, and the field must refer to it. The picture keeps its height; the visitor scrolls.
func TestFieldError(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.open(serve(t, distDir).url + "#lab=particles")
	for _, screen := range [...][2]int64{{1280, 800}, {683, 384}, {844, 390}, {320, 568}, {320, 256}} {
		p.do(chromedp.EmulateViewport(screen[0], screen[1]))
		p.settled()
		p.set("c-eps", "many")
		const notice = `document.querySelector("#notices .notice.error")`
		p.wait("an error", notice)
		p.settled()
		eval[bool](p, `(document.getElementById("c-eps").focus(), true)`)
		if !eval[bool](p, `((r) => r.height > 0 && r.top >= 0 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth)(`+notice+`.getBoundingClientRect())`) {
			t.Errorf("%d×%d: the error is outside of the window: %s", screen[0], screen[1], eval[string](p, `JSON.stringify(`+notice+`.getBoundingClientRect())`))
		}
		if !eval[bool](p, `((e) => e.getAttribute("aria-invalid") === "true" && e.getAttribute("aria-describedby").split(" ").includes(`+notice+`.firstChild.id))(document.getElementById("c-eps"))`) {
			t.Error("the field does not refer to the error")
		}
		// In a lower picture, its labels overlap.
		if high := eval[float64](p, `document.getElementById("view").clientHeight`); high < 330 {
			t.Errorf("%d×%d: the picture is %g px high", screen[0], screen[1], high)
		}
		p.shot("error-" + itoa(int(screen[0])) + "x" + itoa(int(screen[1])))
		p.set("c-eps", "0.05")
		p.wait("no error", `!`+notice+` && !document.getElementById("c-eps").hasAttribute("aria-invalid")`)
	}
	p.quiet()
}

// TestLargeFont opens the lab with a larger font in the browser's settings. Texts must grow, and the page must not
// become wider than the window.
func TestLargeFont(t *testing.T) {
	t.Parallel()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.open(serve(t, distDir).url + "#lab=particles")
	const size = `parseFloat(getComputedStyle(document.querySelector("#g-main label")).fontSize)`
	before := eval[float64](p, size)
	p.do(command(page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: 24, Fixed: 20}}))
	defer p.do(command(page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: 16, Fixed: 13}}))
	for _, screen := range [...][2]int64{{1280, 800}, {390, 844}, {320, 640}} {
		p.do(chromedp.EmulateViewport(screen[0], screen[1]))
		p.settled()
		p.narrow(screen[0])
		if got := eval[float64](p, size); got < 1.4*before {
			t.Errorf("%d wide: a label has %g px instead of 1.5 times %g", screen[0], got, before)
		}
		p.shot("font-24-" + itoa(int(screen[0])))
	}
	p.quiet()
}
