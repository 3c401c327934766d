package lab

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/assets"
	"macroscope/model/file/bundle"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// MaxAuto is the largest number of automatically kept runs.
const MaxAuto = 8

// Names of the files that the page can save from a lab, in addition to its model.
const (
	CurvesFile = "csv"
	SweepFile  = "sweep" // the results of the user's sweep
	RunFile    = "npz"
)

// page returns the texts in assets.Lab that apply to this lab.
func (l *Lab) page() *system.Page {
	if l.texts == nil {
		is := l.conditions()
		l.texts = system.ReadPage(strings.NewReplacer("{runs}", fmt.Sprint(MaxAuto), "{ending}", bundle.Ending).Replace(assets.Lab), func(c string) bool { return is[c] })
	}
	return l.texts
}

// conditions returns the conditions that are true for the lab. Texts can depend on these
// conditions. A condition is a kind of lab or the name of a setting.
func (l *Lab) conditions() map[string]bool {
	traits, learns, sampler := l.System.Traits, l.Learns(), !l.Timed()
	is := map[string]bool{
		"learns": learns, "set": sampler, "run": !sampler,
		l.System.Motion().Name: learns,
		"single":               len(traits.Sets) <= 1, "several": len(traits.Sets) > 1,
		"as-is": traits.Scaling == system.AsIs, "standardise": traits.Scaling == system.Standardise, "span": traits.Scaling == system.Span,
		"sweep": l.Sweep != "", "sizes": len(l.sweepSizes()) > 1,
		"simulates": l.Describe == nil, "own": l.Describe != nil, "files": !l.undescribed(),
		"opens": l.System.Live().Page().Accepts != "", "observable": l.System.Observables != nil,
	}
	for _, f := range new(Settings).Table(l) {
		is[f.Name] = !f.Hidden
	}
	return is
}

// sweepSizes lists the presets for a user's sweep.
func (l *Lab) sweepSizes() []string {
	return slices.DeleteFunc(method.Presets(l.System.Traits.Name, "flow"), func(name string) bool { return name != "quick" && name != "browser" })
}

// Panel returns the controls and texts of a lab. It combines the texts for all labs with the texts
// for the lab's system.
func Panel(lab *Lab, live system.Live, settings *Settings) *wire.Panel {
	page, own := live.Page(), lab.page()
	p := &wire.Panel{
		Lab: lab.Link(), Title: lab.System.Traits.Title, Tagline: page.Tagline, Picture: page.Picture,
		Figures: Figures(lab, live), Help: slices.Concat(page.Help, own.Help), Try: page.Try, Accepts: page.Accepts, Drop: page.Drop,
		Largest: bundle.MaxBytes >> 20, // a bundle holds as much
	}
	if p.Accepts != "" {
		p.Accepts += "," + bundle.Ending
		p.Drop += ", " + own.Say("drop")
	}
	filled := filler{lab, live, settings.Table(lab)}
	of, common := filled.groups(page.Groups), filled.groups(own.Groups)
	at := len(of)
	if !lab.Timed() {
		at = 1 // the controls of models follow the first group
	}
	p.Transport, common = common[0].Controls, common[1:]
	files := slices.IndexFunc(common, func(g wire.Group) bool { return g.ID == "data" || g.ID == "files" })
	p.Groups = fold(slices.Concat(of[:at], common[:files], of[at:], common[files:]), own.Say("main"), strings.Fields(page.First)...)
	return p
}

// filler completes controls with values from the run and its lab.
type filler struct {
	lab   *Lab
	live  system.Live
	table setting.Table
}

func (f *filler) groups(described []wire.Group) []wire.Group {
	groups := slices.Clone(described)
	for i, g := range groups {
		groups[i].Controls = nil
		for _, c := range g.Controls {
			groups[i].Controls = append(groups[i].Controls, f.control(c))
			if c.ID == "preset" && f.table.Find("method") != nil {
				groups[i].Controls = append(groups[i].Controls, f.control(f.lab.page().Control("method")))
			}
		}
	}
	return groups
}

func (f *filler) control(c wire.Control) wire.Control {
	page := f.live.Page()
	if c.Hint == "" {
		c.Hint = page.Hints[c.ID]
	}
	switch field := f.field(c.ID); {
	case field != nil && len(field.Options) > 0:
		c.Options = labelled(field.Options, c.Options)
	case c.ID == "preset":
		for _, p := range page.Systems {
			c.Options = append(c.Options, wire.Option{Value: p.Name, Label: p.Label})
		}
		c.Options = append(c.Options, wire.Option{Value: "own", Label: f.lab.page().Say("own")})
	case c.ID == "observable":
		c.Options = labelled(f.lab.System.Observables, nil)
	case c.ID == "sweepsize":
		c.Options = labelled(setting.Choices(f.lab.sweepSizes()...), f.lab.page().Control("size").Options)
	case c.ID == "sweep":
		c.Value = f.lab.Sweep
	case c.ID == "at":
		c.Max = float64(max(1, f.live.Run().Horizon))
	}
	return c
}

// field returns the setting with this name, from the run or from the lab. It returns nil if there
// is none.
func (f *filler) field(name string) *setting.Field {
	if of := f.live.Settings().Find(name); of != nil {
		return of
	}
	return f.table.Find(name)
}

// labelled returns the options. If `labels` contains an option with the same value, its label
// replaces the original label.
func labelled(options []setting.Option, labels []wire.Option) (list []wire.Option) {
	for _, o := range options {
		if at := slices.IndexFunc(labels, func(l wire.Option) bool { return l.Value == o.Value }); at >= 0 {
			o.Label = labels[at].Label
		}
		list = append(list, wire.Option(o))
	}
	return list
}

// Figures lists the figures next to the playback controls: first the system's figures, then the
// figures of models and of the training.
func Figures(lab *Lab, live system.Live) []wire.Figure {
	return slices.Concat(live.Page().Figures, lab.page().Figures)
}
