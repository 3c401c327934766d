//go:build !js

package e2e

import (
	"strings"
	"testing"
)

// TestSimple counts what the simple view shows in a lab with a prediction and in one without, and switches to everything and
// back. The choice must be remembered, and be a part of the address.
func TestSimple(t *testing.T) {
	t.Parallel()
	url := serve(t, distDir).url
	p := newTab(t, newBrowser(t), 1440, 900, 1)
	p.sees()
	// The visible texts, buttons and fields of the page, except those of the labs' names and of Help.
	const seen = `(() => {
		const visible = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 2 && getComputedStyle(e).fontSize !== "0px";
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		let text = "";
		for (let n = walk.nextNode(); n; n = walk.nextNode()) if (n.data.trim() && visible(n.parentElement) && !n.parentElement.closest(".hidden, script, option, #notices")) text += " " + n.data.trim();
		const fields = [...document.querySelectorAll("main input, main button, main select, #everything")].filter(visible);
		return { words: text.trim().split(/\s+/), controls: fields.map((e) => e.id).filter((id) => id && !/^c-(eps|zdim)$/.test(id)), values: fields.filter((e) => e.type === "text").map((e) => e.value) };
	})()`
	type found struct{ Words, Controls, Values []string }
	for _, lab := range []string{"demo", "particles"} {
		p.open(url + "?view=simple#lab=" + lab)
		p.playing()
		p.wait("the lab "+lab, `Boolean(document.getElementById("c-`+map[string]string{"demo": "drift", "particles": "play"}[lab]+`"))`)
		got := eval[found](p, seen)
		if len(got.Words) > 40 {
			t.Errorf("%s: %d words: %q", lab, len(got.Words), got.Words)
		}
		want := "c-play, c-eps-slider, c-zdim-slider, c-shuffle, c-another"
		if lab == "demo" {
			want = "c-eps-slider, c-zdim-slider, c-shuffle, c-another, c-drift"
		}
		if list := strings.Join(got.Controls, ", "); list != "everything, "+want {
			t.Errorf("%s: the controls are %s", lab, list)
		}
		numbers := len(got.Values)
		for _, w := range got.Words {
			if strings.ContainsAny(w, "0123456789") {
				numbers++
			}
		}
		if numbers > 4 {
			t.Errorf("%s: %d numbers, %q and %q", lab, numbers, got.Values, got.Words)
		}
	}
	before := p.picture()
	p.click("everything")
	p.changes("the picture of everything", before)
	if !eval[bool](p, `document.getElementById("c-train").checkVisibility() && location.search === "?view=everything" && localStorage.getItem("macroscope.view") === "everything"`) {
		t.Errorf("everything is not shown, or not remembered: %s", eval[string](p, "location.search"))
	}
	p.click("everything")
	if !eval[bool](p, `!document.getElementById("c-train").checkVisibility() && location.search === "?view=simple"`) {
		t.Error("the simple view does not return")
	}
	p.quiet()
}
