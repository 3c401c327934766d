package main

import (
	"bytes"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"macroscope/model/labs"
)

// The page that visitors get has the controls of the first lab, with its values.
func TestPrerender(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.prerender(labs.Line()); err != nil {
		t.Fatal(err)
	}
	page := string(b[pageFile])
	for _, want := range []string{
		`data-panel="demo"`, `<input id="c-eps" type="text"`, `value="0.1"`, `id="c-train"`, `aria-labelledby="g-target-name"`, `<b class="ink-target">target density</b>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(page, " style=") {
		t.Error("the page has a style within an element, which it forbids itself")
	}
	for _, class := range regexp.MustCompile(`at-\d+`).FindAllString(page, -1) {
		if !strings.Contains(string(b[styleFile]), "."+class+"."+class+" {") {
			t.Errorf("there is no rule for the class %s", class)
		}
	}
}

// Every lab has a link in the page's head.
func TestLinks(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.addLinks(labs.All()); err != nil {
		t.Fatal(err)
	}
	for _, l := range labs.All() {
		if want := `<a href="#lab=` + l.Link() + `">` + l.System.Traits().Title + `</a>`; !strings.Contains(string(b[pageFile]), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// Every lab has a poster in both themes that shows something.
func TestPosters(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.addPosters(labs.All()); err != nil {
		t.Fatal(err)
	}
	for _, l := range labs.All() {
		first, err := b.still(l)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := b.still(l); err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: the same build gives another still, %v", l.Link(), err)
		}
		for _, theme := range posterThemes {
			name := posterName(l.Link(), theme.suffix)
			if !strings.Contains(string(b[styleFile]), `"`+l.Link()+`"`) || !strings.Contains(string(b[styleFile]), `url("`+name+`")`) {
				t.Errorf("there is no rule for %s", name)
			}
			img, err := png.Decode(bytes.NewReader(b[name]))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			paper, inked := img.At(0, 0), 0
			for y := range img.Bounds().Dy() {
				for x := range img.Bounds().Dx() {
					if img.At(x, y) != paper {
						inked++
					}
				}
			}
			if share := float64(inked) / float64(img.Bounds().Dx()*img.Bounds().Dy()); share < 0.05 || share > 0.9 {
				t.Errorf("%s: %.0f %% of it is drawn on", name, 100*share)
			}
		}
	}
}
