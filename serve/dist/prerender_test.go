package main

import (
	"bytes"
	"image/png"
	"maps"
	"regexp"
	"strings"
	"testing"

	"macroscope/model/lab/catalogue"
	"macroscope/model/wire/markup"
)

// TestPrerender checks that the page has the controls of the first lab, with their values.
func TestPrerender(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.prerender(catalogue.Line()); err != nil {
		t.Fatal(err)
	}
	page := string(b[pageFile])
	for _, want := range []string{
		`data-panel="demo"`, `<input id="c-eps" type="text"`, `value="0.1"`, `id="c-train"`, `aria-labelledby="g-target-name"`, `<b class="ink-target" data-sign="symbol-q_X" tabindex="0">target density</b>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(page, " style=") {
		t.Error("the page has a style within an element, which it forbids itself")
	}
	for _, share := range shares.FindAllString(page, -1) {
		if !strings.Contains(string(b[styleFile]), "["+share+"] {") {
			t.Errorf("there is no rule for %s", share)
		}
	}
}

// TestNumbersAreTypeset checks that the page has true minus signs and powers of ten, also
// in fields, and that symbols keep their case.
func TestNumbersAreTypeset(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile(`[\s(>"=]-\d|\de[+-]\d`)
	scale := regexp.MustCompile(` (min|max|step|value)="[^"]*"`) // numbers of a slider, which are not typeset because the browser parses them
	slider := regexp.MustCompile(`<input[^>]*type="range"[^>]*>`)
	for _, l := range catalogue.All() {
		s, err := b.opened(l)
		if err != nil {
			t.Fatal(err)
		}
		state := s.State()
		for _, name := range []string{"b", "dt", "eps"} {
			if _, ok := state.Values[name]; ok {
				state.Values[name] = map[string]string{"b": "-1.25", "dt": "1e-05", "eps": "1e-08"}[name]
			}
		}
		state.Summary, state.Warning, state.Task, state.Model = "It is -3 and 2.5e-07.", "From (-3) on -2e-05.", "step 1 of -1e+06", "trained from -2"
		for i := range state.Figures {
			state.Figures[i].Text = "-1.5e-06"
		}
		parts := markup.Panel(s.Panel(), &state)
		maps.Copy(parts, markup.Sentences(&state))
		for id, content := range parts {
			html := slider.ReplaceAllStringFunc(content, func(tag string) string { return scale.ReplaceAllString(tag, "") })
			if at := program.FindStringIndex(html); at != nil {
				t.Errorf("%s: the element %s has %q", l.Link(), id, html[max(0, at[0]-60):min(len(html), at[1]+20)])
			}
		}
	}
	if strings.Contains(string(b[styleFile]), "::first-letter") {
		t.Error("the page changes the case of first letters, those of symbols too")
	}
}

// TestLinks checks that the page has a link to every lab.
func TestLinks(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.addLinks(catalogue.All()); err != nil {
		t.Fatal(err)
	}
	for _, l := range catalogue.All() {
		if want := `<a href="#lab=` + l.Link() + `">` + l.System.Traits.Title + `</a>`; !strings.Contains(string(b[pageFile]), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// TestPosters checks that every lab with a system has a poster in both themes, and that no poster is empty.
func TestPosters(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.addPosters(catalogue.All()); err != nil {
		t.Fatal(err)
	}
	for _, l := range catalogue.All() {
		if !hasPoster(l) {
			continue
		}
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
