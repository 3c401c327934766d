package markup_test

import (
	"fmt"
	"strings"
	"testing"

	"macroscope/model/wire"
	"macroscope/model/wire/markup"
)

func Example() {
	panel := wire.Panel{Groups: []wire.Group{{ID: "target", Title: "[Target|target]", Controls: []wire.Control{
		{ID: "seed", Kind: wire.Number, Label: "Seed", Hint: "All randomness comes from this number."},
	}}}}
	parts := markup.Panel(&panel, &wire.State{Values: map[string]string{"seed": "-1"}})
	fmt.Println(strings.ReplaceAll(parts["groups"], "><", ">\n<"))
	fmt.Println(parts["hints"])
	// Output:
	// <legend class="hidden">Controls</legend>
	// <section class="group" id="g-target" aria-labelledby="g-target-name">
	// <h2 id="g-target-name">
	// <b class="ink-target" data-sign="symbol-q_X">Target</b>
	// </h2>
	// <div class="line" data-control="seed">
	// <label for="c-seed">Seed</label>
	// <input id="c-seed" type="text" autocomplete="off" spellcheck="false" aria-describedby="c-seed-hint" inputmode="decimal" value="−1">
	// </div>
	// </section>
	// <p id="c-seed-hint">All randomness comes from this number.</p>
}

// TestSentences checks how numbers are typeset and marks become HTML, and that names in quotation marks
// stay as they are.
func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"MRE 2.8e-05":              "MRE 2.8×10⁻⁵",
		"x from -1 to 1e+06":       "x from −1 to 1×10⁶",
		"(90 % band 25.8 to 40)":   "(90\u00a0% band 25.8 to 40)",
		`-1 of "a -1 \" 2e-05" -1`: `−1 of &#34;a -1 \&#34; 2e-05&#34; −1`,
		`**two** of "run_1 **x**"`: `<b>two</b> of &#34;run_1 **x**&#34;`,
		`q_X of "a\"β" and "`:      `<i class="m" data-sign="symbol-q_X">q<sub>X</sub></i> of &#34;a\&#34;β&#34; and &#34;`,
		"[a ẑ|learned], z̄, εx":    `<b class="ink-learned" data-sign="symbol-p_θ">a <i class="m" data-sign="symbol-ẑ">ẑ</i></b>, <i class="m" data-sign="symbol-z̄">z̄</i>, εx`,
		"[far|wrong][, so|aside]":  `<b class="ink-wrong">far</b><span class="aside">, so</span>`,
		"[a|press wider] [b|C] **": `<button type="button" class="link" data-press="wider">a</button> [b|C] **`,
		"<b> & '":                  "&lt;b&gt; &amp; &#39;",
	} {
		if got := markup.Sentences(&wire.State{Warning: text})["warning"]; got != want {
			t.Errorf("%q becomes %s, want %s", text, got, want)
		}
	}
}

// TestControls checks how controls appear in a state.
func TestControls(t *testing.T) {
	yes, no := wire.Option{Value: "yes", Label: "Yes"}, wire.Option{Value: "no", Label: "No & never"}
	panel := wire.Panel{
		Transport: []wire.Control{
			{ID: "play", Kind: wire.Button, Label: "Play", Key: " ", Icon: "train"},
			{ID: "at", Kind: wire.Range, Label: "Frame", Max: 10, Step: 1},
		},
		Figures: []wire.Figure{{ID: "kl", Label: "KL", Unit: "nats", Hint: "An error."}, {ID: "rate", Label: "rate", Fold: true}},
		Groups: []wire.Group{
			{ID: "first", Title: "First", Controls: []wire.Control{
				{ID: "eps", Kind: wire.Slider, Label: "width ε", Unit: "m", Min: 0.01, Max: 1, Log: true, Ticks: []float64{0.01, 1}},
				{ID: "row", Kind: wire.Choice, Label: "Row", Options: []wire.Option{yes, no}},
				{ID: "menu", Kind: wire.Choice, Label: "Menu", Options: []wire.Option{yes, no, {Value: "x", Label: strings.Repeat("x", 40)}}},
				{ID: "name", Kind: wire.Field, Label: "Name", Hint: "A name."},
				{ID: "keep", Kind: wire.Button, Label: "Keep", Beside: true},
				{ID: "open", Kind: wire.Open, Label: "Open"},
			}},
			{ID: "more", Title: "More", Note: "Less.", Closed: true, Controls: []wire.Control{{ID: "on", Kind: wire.Switch, Label: "On"}}},
		},
		Help: []wire.Entry{{Term: "KL of p_θ", Name: "divergence", Text: "An error."}, {Term: "word", Text: "ε."}},
	}
	state := wire.State{
		Values:  map[string]string{"at": "5", "eps": "0.1", "row": "no", "menu": "yes", "name": `-1"`, "on": "on"},
		Off:     map[string]string{"name": "Not now.", "keep": "Nothing to keep."},
		Hidden:  map[string]bool{"on": true},
		Labels:  map[string]string{"play": "Stop"},
		Tasks:   map[string]string{"play": wire.Running},
		Max:     map[string]float64{"at": 20},
		Figures: []wire.Figure{{ID: "kl", Text: "-1e-05"}},
	}
	parts := markup.Panel(&panel, &state)
	for _, tc := range []struct{ what, id, want string }{
		{"a button that runs", "buttons", `aria-describedby="c-play-hint"><svg class="icon" aria-hidden="true"><use href="#i-pause"/></svg><span>Stop</span>`},
		{"its key", "hints", `<p id="c-play-hint">Key: Space.</p>`},
		{"the key in the help", "help-keys", "<div><dt><kbd>Space</kbd></dt><dd>Play</dd></div>"},
		{"a scrubber with another end", "scrubs", `min="0" max="20" step="1" aria-valuetext="5" value="5" data-share="0.25">`},
		{"a heading on the line of a slider", "groups", `<div class="control" data-control="eps"><div class="name"><h2 id="g-first-name">First</h2><label for="c-eps">width`},
		{"a slider", "groups", `aria-label="width ε, m" min="0" max="1" step="0.005" aria-valuetext="0.1 m" value="0.5`},
		{"its ticks", "groups", `<div class="ticks" aria-hidden="true" translate="no"><span data-share="0">0.01</span><span data-share="1">1</span></div>`},
		{"a row", "groups", `<input type="radio" id="c-row-no" name="c-row" value="no" checked><span>No &amp; never</span>`},
		{"a menu", "groups", `<option value="yes" selected>Yes</option><option value="no">No &amp; never</option>`},
		{"a field that is off", "groups", `<div class="line joined off" data-control="name" aria-describedby="c-name-hint">`},
		{"its input", "groups", `aria-describedby="c-name-hint" disabled inputmode="text" value="-1&#34;"><button id="c-keep"`},
		{"its reason", "hints", `<p id="c-name-hint" data-about="A name.">Not now.</p>`},
		{"a button that is off", "groups", `data-control="keep" aria-describedby="c-keep-hint" aria-disabled="true">`},
		{"a line of buttons", "groups", `<div class="actions"><button id="c-open"`},
		{"a hidden group", "groups", `aria-labelledby="g-more-name" hidden><details><summary><h2 id="g-more-name">More</h2></summary><div class="inner"><p class="note">Less.</p>`},
		{"a switch", "groups", `data-control="on" hidden><input id="c-on" type="checkbox" role="switch" checked>`},
		{"a figure", "figures", `<div><dt><abbr tabindex="0" aria-describedby="f-kl-hint">KL</abbr> <span class="unit">nats</span></dt><dd id="f-kl" translate="no">−1×10⁻⁵</dd></div>`},
		{"a figure without a value", "more-figures", `<div hidden><dt><abbr>rate</abbr></dt><dd id="f-rate" translate="no">–</dd></div>`},
		{"a term", "help-terms", `<sub>θ</sub></i></dt><dd><b>divergence</b>: An error.</dd></div><div><dt>word</dt>`},
		{"its symbols", "hints", `<p id="symbol-KL">KL, divergence: An error.</p><p id="symbol-p_θ">pθ, divergence: An error.</p>`},
	} {
		if !strings.Contains(parts[tc.id], tc.want) {
			t.Errorf("%s: no %s in %s", tc.what, tc.want, parts[tc.id])
		}
	}
}
