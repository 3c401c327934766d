package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"macroscope/model/lab/catalogue"
	"macroscope/model/wire"
	"macroscope/model/wire/markup"
)

// documentOfText stands for the browser's document in a script that imports the page's modules. Elements become
// HTML.
const documentOfText = `
globalThis.document = { createElement: (tag) => {
	const inner = [], names = [];
	return {
		setAttribute: (name, value) => names.push(" " + name + "=\"" + value + "\""),
		append: (...more) => inner.push(...more),
		toString: () => "<" + tag + names.join("") + ">" + inner.map((each) => typeof each === "string" ? escape(each) : each).join("") + "</" + tag + ">",
	};
} };
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&#34;").replaceAll("'", "&#39;");
`

// TestSentences checks that the page's scripts write a sentence of a state as the build and the worker
// write the sentences of a panel. It tries the sentences of all labs.
func TestSentences(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"MRE 2.8e-05", "x from -1 to 1", "(90 % band 25.8 to 40)", `-1 of "a -1 \" 2e-05" -1`, "1e+06 e-5 2e-x -5 %",
		`Read **two** from "run_1 **x** [α|target]", ε`, `q_X of "a\"β" and "`, "run_1, x_ab, x_KLM, x_KLMN, z̄, φ̂_X, εx, αβ, ẑ1",
		"[a **b**|target] [c|more] [d <&>|press wider] [e|aside] ** ** [f|Target] [|aside] [|", "**", "[",
	}
	for _, l := range catalogue.All() {
		s, err := b.opened(l)
		if err != nil {
			t.Fatal(err)
		}
		p, st := s.Panel(), s.State()
		texts = append(texts, st.Summary, st.Warning, st.Model, p.Title, p.Tagline)
		texts = append(texts, p.Try...)
		for _, e := range p.Help {
			texts = append(texts, e.Term, e.Text)
		}
		for _, f := range p.Figures {
			texts = append(texts, f.Label, f.Unit, f.Hint)
		}
		for _, g := range p.Groups {
			texts = append(texts, g.Title, g.Note)
			for _, c := range g.Controls {
				texts = append(texts, c.Label, c.Unit, c.Hint)
			}
		}
	}
	var tests []nodeTest
	for _, text := range texts {
		want := markup.Sentences(&wire.State{Summary: text})["summary"]
		tests = append(tests, nodeTest{text, documentOfText + fmt.Sprintf(`const { rich } = await import("./shell/rich.js"); return rich(%q, true).map((each) => typeof each === "string" ? escape(each) : each).join("");`, text), want})
	}
	checkInNode(t, tests)
}

// TestScales checks that the build and the worker write the ticks of a slider where the page's scripts
// place its thumb.
func TestScales(t *testing.T) {
	at := regexp.MustCompile(`<span data-share="([^"]*)">([^<]*)</span>`)
	values := []float64{1e-8, 2e-8, 3.14159e-5, 0.001, 0.0234, 0.5, 1, 99.96, 1000, 123456}
	var tests []nodeTest
	for scale, c := range map[string]wire.Control{
		"powers(1e-8, 1)":           {Min: 1e-8, Max: 1, Log: true},
		"powers(0.01, 10)":          {Min: 0.01, Max: 10, Log: true},
		"even(0, 200000, 1)":        {Max: 200000, Step: 1},
		"even(-1, 1, 0)":            {Min: -1, Max: 1},
		"among([1, 10, 50, 2000])":  {Stops: []float64{1, 10, 50, 2000}},
		"among([-1, 0, 0.5, 1e-9])": {Stops: []float64{-1, 0, 0.5, 1e-9}},
	} {
		c.ID, c.Kind, c.Ticks = "x", wire.Slider, values
		want := ""
		for _, tick := range at.FindAllStringSubmatch(markup.Panel(&wire.Panel{Groups: []wire.Group{{Controls: []wire.Control{c}}}}, new(wire.State))["groups"], -1) {
			want += tick[1] + " " + tick[2] + ";"
		}
		tests = append(tests, nodeTest{scale, fmt.Sprintf(`
const { among, even, powers } = await import("./shell/scale.js");
const { labels } = await import("./shell/format.js");
const values = %s, label = labels(values);
const { min, max, place } = %s;
return values.map((v) => Number(((place(v) - min) / (max - min)).toFixed(6)) + " " + label(v) + ";").join("");`, strings.ReplaceAll(fmt.Sprint(values), " ", ","), scale), want})
	}
	checkInNode(t, tests)
}
