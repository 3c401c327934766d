// Package markup writes the HTML of a lab's panel. The build writes the first lab's panel into the
// page, and the worker sends the panels of the other labs. The page's scripts find each control by the
// attribute data-control, its inputs by the ids c-ID and its description by c-ID-hint. They set --share
// of an element's style to data-share, because the page forbids styles in HTML.
package markup

import (
	"strings"

	"macroscope/model/wire"
)

// Panel returns the HTML inside the page's elements, by their ids, for a panel in a state. An empty state has no
// values yet.
func Panel(p *wire.Panel, st *wire.State) map[string]string {
	w := writer{state: st}
	var scrubs, play, groups string
	for i := range p.Transport {
		c := &p.Transport[i]
		w.explain(c)
		if made := w.control(c, 3, "", ""); c.Kind == wire.Range {
			scrubs += made
		} else {
			play += made
		}
	}
	for i := range p.Groups {
		groups += w.group(&p.Groups[i])
	}
	for i := range p.Figures {
		w.figure(&p.Figures[i])
	}
	first := ""
	for _, sentence := range p.Try {
		first += "<li>" + rich(sentence, false) + "</li>"
	}
	terms := w.terms(p.Help)
	return parts(
		"tagline", escape(p.Tagline), "scrubs", scrubs, "buttons", play, "groups", `<legend class="hidden">Controls</legend>`+groups,
		"figures", w.figures[0], "more-figures", w.figures[1], "hints", w.hints,
		"help-lab", rich(p.Title, false), "help-tagline", rich(p.Tagline, false), "help-try", first, "help-terms", terms,
		"help-figures", w.helpFigures, "help-keys", w.helpKeys, "help-controls", w.helpControls, "help-drop", escape(p.Drop),
	)
}

// parts returns a map of pairs: the id of an element, and the HTML inside it.
func parts(pairs ...string) map[string]string {
	all := make(map[string]string, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
	}
	return all
}

// Sentences returns the HTML of a state's sentences, by the ids of the page's elements. They do not name the kernel, because the visitor's
// machine may use another one than the build.
func Sentences(st *wire.State) map[string]string {
	return parts(
		"summary", rich(st.Summary, true), "warning", rich(st.Warning, false), "provenance", only(st.Model != "", rich("Model: "+st.Model+".", false)),
	)
}

// writer collects the parts of a panel.
type writer struct {
	state                               *wire.State
	hints                               string    // descriptions of controls, figures and symbols, for tips and screen readers
	figures                             [2]string // the figures that are always visible, and the figures under "More"
	helpFigures, helpKeys, helpControls string
}

// entryOf returns an entry of the help.
func entryOf(name, text string) string {
	return "<div><dt>" + name + "</dt><dd>" + text + "</dd></div>"
}

// explain writes what a control does. If the control cannot be used, its hint says why; the page's
// script then finds what the control does in data-about.
func (w *writer) explain(c *wire.Control) {
	what, attribute := escape(about(c)), ""
	if off := w.state.Off[c.ID]; off != "" {
		what, attribute = escape(off), ` data-about="`+what+`"`
	}
	w.hints += `<p id="c-` + escape(c.ID) + `-hint"` + attribute + ">" + what + "</p>"
	if c.Key != "" {
		w.helpKeys += entryOf("<kbd>"+escape(keyName(c.Key))+"</kbd>", escape(c.Label))
	}
	if c.Hint != "" {
		w.helpControls += entryOf(symbolic(c.Label), rich(c.Hint, false))
	}
}

// group returns a group of controls. Buttons share a line. A button that is Beside a field is on the
// field's line.
func (w *writer) group(g *wire.Group) string {
	heading := `<h2 id="g-` + g.ID + `-name">` + rich(g.Title, false) + "</h2>"
	body := only(g.Note != "", `<p class="note">`+rich(g.Note, false)+"</p>")
	lead := "" // the heading, if it is on the line of the first control
	if g.Note == "" && !g.Closed && len(g.Controls) > 0 && len(g.Controls[0].Ticks) > 0 {
		lead, heading = heading, ""
	}
	hidden := len(g.Controls) > 0
	for i := range g.Controls {
		w.explain(&g.Controls[i])
		hidden = hidden && w.state.Hidden[g.Controls[i].ID]
	}
	for rest := g.Controls; len(rest) > 0; {
		c, line, alone := &rest[0], "", isButton(&rest[0])
		for rest = rest[1:]; len(rest) > 0 && isButton(&rest[0]) && (alone || rest[0].Beside); rest = rest[1:] {
			line += w.control(&rest[0], 0, "", "")
		}
		if alone {
			body += `<div class="actions">` + w.control(c, 0, "", "") + line + "</div>"
		} else {
			body += w.control(c, 5, lead, line)
		}
		lead = ""
	}
	body = heading + only(!g.Closed, body) + only(g.Closed, `</summary><div class="inner">`+body+"</div></details>")
	return `<section class="group` + only(g.Peek, " peek") + `" id="g-` + g.ID + `" aria-labelledby="g-` + g.ID + `-name"` + only(hidden, " hidden") + ">" +
		only(g.Closed, "<details><summary>") + body + "</section>"
}

// figure adds a figure. It is hidden until it has a value.
func (w *writer) figure(f *wire.Figure) {
	name, text, hidden, place := rich(f.Label, false), "–", true, 0
	for _, of := range w.state.Figures {
		if of.ID == f.ID && of.Text != "" {
			text, hidden = escape(typeset(of.Text)), of.None
		}
	}
	if f.Fold {
		place = 1
	}
	hint := ""
	if f.Hint != "" {
		hint = ` tabindex="0" aria-describedby="f-` + f.ID + `-hint"`
		w.hints += `<p id="f-` + f.ID + `-hint">` + escape(f.Hint) + "</p>"
		w.helpFigures += entryOf(symbolic(f.Label), rich(f.Hint, false))
	}
	w.figures[place] += "<div" + only(hidden, " hidden") + "><dt><abbr" + hint + ">" + name + "</abbr>" + unit(f.Unit) + `</dt><dd id="f-` + f.ID + `" translate="no">` + text + "</dd></div>"
}

// terms returns the help's list of symbols and words. It adds a hint for each symbol.
func (w *writer) terms(entries []wire.Entry) (list string) {
	said := map[string]bool{}
	for _, e := range entries {
		list += entryOf(symbolic(e.Term), rich(only(e.Name != "", "**"+e.Name+"**: ")+e.Text, false))
		for _, sign := range signs(e.Term) {
			if e.Name != "" && !said[sign] {
				said[sign] = true
				w.hints += `<p id="` + entry + sign + `">` + escape(strings.Replace(sign, "_", "", 1)+", "+e.Name+": "+e.Text) + "</p>"
			}
		}
	}
	return list
}
