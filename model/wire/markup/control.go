package markup

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"macroscope/model/wire"
)

// room is the largest number of letters in a row of options.
const room = 32

// The HTML of controls. The method control fills in what is in braces.
const (
	own   = ` data-control="{id}"{hidden}`
	field = `{off}"` + own + `{because}>`
	typed = `{label}<input id="c-{id}" type="text" autocomplete="off" spellcheck="false"{input} inputmode=`
	slide = ` type="range" aria-label="{name}"{input}{ends}>`

	buttonHTML = `<button id="c-{id}" type="button"{class}` + own + `{described}{disabled}>{icon}<span>{words}</span></button>`
)

// templateOf returns the HTML of a kind of control. icon is the icon of a button that names none. A map
// would add code to the worker.
func templateOf(kind string, row bool) (html, icon string) {
	switch kind {
	case wire.Slider:
		return `<div class="control{flat}` + field + typed + `"decimal"{number}><input id="c-{id}-slider"` + slide + `{ticks}{more}</div>`, ""
	case wire.Range:
		return `<div class="scrub` + field + `<input id="c-{id}"` + slide + `</div>`, ""
	case wire.Number:
		return `<div class="line` + field + typed + `"decimal"{number}>{more}</div>`, ""
	case wire.Field:
		return `<div class="line` + field + typed + `"text"{value}>{more}</div>`, ""
	case wire.Switch:
		return `<label class="switch` + field + `<input id="c-{id}" type="checkbox" role="switch"{input}{on}><span>{title}</span>{more}</label>`, ""
	case wire.Choice:
		if row {
			return `<div class="choice` + field + `<span id="c-{id}-name">{title}</span><div id="c-{id}" class="segment" role="radiogroup" aria-labelledby="c-{id}-name">{options}</div>{more}</div>`, ""
		}
		return `<div class="line` + field + `{label}<select id="c-{id}"{input}>{options}</select>{more}</div>`, ""
	case wire.Runs:
		return `<div class="keeps` + field + `<p class="note" hidden>Nothing is kept yet.</p><ul id="c-{id}" class="runs" aria-label="{name}"></ul></div>`, ""
	case wire.Open:
		return buttonHTML, "open"
	case wire.Export:
		return buttonHTML, "save"
	case wire.Image:
		return buttonHTML, "image"
	}
	return buttonHTML, ""
}

func isButton(c *wire.Control) bool {
	html, _ := templateOf(c.Kind, false)
	return html == buttonHTML
}

// control returns a control. If heading is not "", it is on the line of the label. more is what follows
// on the control's line. most is the largest number of options in a row.
func (w *writer) control(c *wire.Control, most int, heading, more string) string {
	id, value, off := escape(c.ID), w.state.Values[c.ID], w.state.Off[c.ID] != ""
	title, name := symbolic(c.Label)+unit(c.Unit), c.Label+only(c.Unit != "", ", "+c.Unit)
	label := `<label for="c-` + id + `">` + title + "</label>"
	if heading != "" {
		label = `<div class="name">` + heading + label + "</div>"
	}
	described := only(off || about(c) != "", ` aria-describedby="c-`+id+`-hint"`)
	input := described + only(off, " disabled")
	options, row := options(c, id, input, value, most)
	html, icon := templateOf(c.Kind, row)
	if icon = cmp.Or(c.Icon, icon); icon == "train" && w.state.Tasks[c.ID] == wire.Running {
		icon = "pause"
	}
	class := strings.TrimSpace(only(c.Primary, "primary") + only(icon != "", " iconic") + only(off, " off"))
	ends, ticks := w.slider(c, value)
	return strings.NewReplacer(
		"{id}", id, "{off}", only(more != "", " joined")+only(off, " off"), "{hidden}", only(w.state.Hidden[c.ID], " hidden"),
		"{because}", only(off, described), "{described}", described, "{disabled}", only(off, ` aria-disabled="true"`), "{input}", input,
		"{title}", title, "{label}", label, "{name}", escape(name), "{more}", more, "{options}", options,
		"{flat}", only(ticks == "", " flat"), "{ends}", ends, "{ticks}", ticks, "{on}", only(value == "on", " checked"),
		"{value}", only(value != "", ` value="`+escape(value)+`"`), "{number}", only(value != "", ` value="`+escape(typeset(value))+`"`),
		"{class}", only(class != "", ` class="`+class+`"`), "{icon}", only(icon != "", `<svg class="icon" aria-hidden="true"><use href="#i-`+icon+`"/></svg>`),
		"{words}", escape(cmp.Or(w.state.Labels[c.ID], c.Label)),
	).Replace(html)
}

// options returns the options of a choice. They are a row of buttons if they are at most `most`, and if
// their labels together have at most `room` letters; otherwise they are a menu.
func options(c *wire.Control, id, input, value string, most int) (list string, row bool) {
	letters := 0
	for _, o := range c.Options {
		letters += utf8.RuneCountInString(o.Label)
	}
	row = len(c.Options) <= most && letters <= room
	for _, o := range c.Options {
		of := escape(o.Value)
		if row {
			list += `<label><input type="radio" id="c-` + id + "-" + of + `" name="c-` + id + `" value="` + of + `"` + input + only(o.Value == value, " checked") + "><span>" + rich(o.Label, false) + "</span></label>"
		} else {
			list += `<option value="` + of + `"` + only(o.Value == value, " selected") + ">" + escape(o.Label) + "</option>"
		}
	}
	return list, row
}

// slider returns the attributes of a slider for its ends and its value, and the labels below it. Screen
// readers do not read these, but the value's text.
func (w *writer) slider(c *wire.Control, text string) (attributes, ticks string) {
	end, changed := w.state.Max[c.ID]
	if !changed {
		end = c.Max
	}
	value, err := strconv.ParseFloat(text, 64)
	s := placed(c, end, value)
	attributes = ` min="` + plain(s.lo) + `" max="` + plain(s.hi) + `" step="` + plain(s.step) + `"`
	if err == nil {
		attributes += ` aria-valuetext="` + escape(strings.TrimSpace(short(value)+" "+c.Unit)) + `" value="` + plain(s.at) + `" data-share="` + s.share() + `"`
	}
	label := labels(c.Ticks)
	for _, tick := range c.Ticks {
		ticks += `<span data-share="` + placed(c, end, tick).share() + `">` + label(tick) + "</span>"
	}
	return attributes, only(ticks != "", `<div class="ticks" aria-hidden="true" translate="no">`+ticks+"</div>")
}

// only returns a text, or nothing if it is off.
func only(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

// about describes a control.
func about(c *wire.Control) string {
	if c.Key == "" {
		return c.Hint
	}
	return strings.TrimSpace(c.Hint + " Key: " + keyName(c.Key) + ".")
}

// keyName returns a key in words.
func keyName(key string) string {
	switch {
	case key == " ":
		return "Space"
	case utf8.RuneCountInString(key) == 1:
		return strings.ToUpper(key)
	}
	return strings.TrimPrefix(key, "Arrow")
}

// unit returns a unit behind a name.
func unit(text string) string {
	return only(text != "", ` <span class="unit">`+rich(text, false)+"</span>")
}

// thumb is the thumb of a slider: the slider's ends and step, and the thumb's place.
type thumb struct{ lo, hi, step, at float64 }

// placed returns the thumb of a control at a value. end is the largest value. The scales are those of
// assets/shell/scale.js.
func placed(c *wire.Control, end, value float64) thumb {
	switch {
	case len(c.Stops) > 0:
		measure := func(x float64) float64 { return x }
		best, least := 0, c.Stops[0]
		for _, v := range c.Stops {
			least = min(least, v)
		}
		if least > 0 {
			measure = math.Log
		}
		for i, v := range c.Stops {
			if math.Abs(measure(v)-measure(value)) < math.Abs(measure(c.Stops[best])-measure(value)) {
				best = i
			}
		}
		return thumb{0, float64(len(c.Stops) - 1), 1, float64(best)}
	case c.Log:
		span, even := math.Log10(end/c.Min), 1.0
		if span > 4 {
			even = 0.2
		}
		from, to := 0.0, 1.0
		for range 30 {
			mid := (from + to) / 2
			if back := 1 - mid; math.Log10(end)-span*(even*back+(1-even)*back*back*back) < math.Log10(min(end, max(c.Min, value))) {
				from = mid
			} else {
				to = mid
			}
		}
		return thumb{0, 1, 0.005, to}
	}
	step := c.Step
	if step <= 0 {
		step = (end - c.Min) / 200
	}
	return thumb{c.Min, end, step, value}
}

// share returns the place as a share of the slider, in the form that the style needs.
func (s thumb) share() string {
	if s.hi <= s.lo {
		return "0"
	}
	return plain(math.Round(1e6*(s.at-s.lo)/(s.hi-s.lo)) / 1e6)
}
