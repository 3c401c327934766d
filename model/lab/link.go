package lab

import (
	"fmt"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Keys of a link that are no settings: particles, and what was changed in mid-run.
const (
	Particles = "points"
	Turned    = "turned"
)

// always are the settings that a link of single sets has even if they are the
// lab's own: the system's are.
var always = map[string]bool{"eps": true, "zdim": true}

// Fragment writes the settings of a run and these as a URL fragment, without '#'.
// Of these, those that are what the lab opens with, own, are left out.
func (s *Sheet) Fragment(run system.Live, own *Sheet) string {
	var b strings.Builder
	b.WriteString("v=" + setting.LinkVersion + "&lab=" + s.lab.Link())
	put := func(f *setting.Field) { b.WriteString("&" + f.Name + "=" + setting.Escape(f.Text())) }
	settings := run.Settings()
	for i := range settings {
		put(&settings[i])
	}
	table, timed := s.table, s.lab.Timed()
	for i := range table {
		switch f := &table[i]; {
		case f.Name == "stage" || f.Name == "step":
			if s.Model == Trained {
				put(f)
			}
		case f.Name == "frame" && s.Frame < 0:
		case f.Text() != own.table[i].Text() || !timed && always[f.Name]:
			put(f)
		}
	}
	return b.String()
}

// Short returns a fragment without the settings that a link need not have: those that
// are what a link begins with, run of the system and own of the lab. Where a visitor
// without a link finds something else, the version is left, so that it is one.
func Short(run setting.Table, own *Sheet, fragment string) string {
	table := own.table
	parts := strings.Split(fragment, "&")
	kept := parts[:0]
	for _, part := range parts {
		name, text, _ := strings.Cut(part, "=")
		of := run.Find(name)
		if of == nil {
			of = table.Find(name)
		}
		if name == "v" && own.lab.Opening == "" {
			continue
		}
		if name == "v" || (of == nil || setting.Escape(of.Text()) != text || name == "frame") {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "&")
}

// Parse reads a fragment into the settings of a run and returns the others; s are
// what the lab opens with. What the fragment does not mention has its default; what
// it gets wrong keeps its default too and is named in the error, beside which the
// settings can be used. What is no setting is left to others.
func (s Settings) Parse(l *Lab, run system.Live, fragment string) (Settings, error) {
	own := l.System.Live().Settings()
	settings := run.Settings()
	for i, text := range own.Texts() {
		_ = settings[i].Set(text) // its own default, which it takes
	}
	values, err := setting.ParseLink(fragment, l.Link())
	if err != nil {
		return s, err
	}
	delete(values, Particles)
	delete(values, Turned)
	wrong := append(settings.Take(values), s.Table(l).Take(values)...)
	for name := range values {
		wrong = append(wrong, fmt.Errorf("there is no setting called %s", setting.Quote(name)))
		break // one is enough to say that the link is not ours
	}
	// Each may be right by itself and all of them no system.
	if err := run.Check(); err != nil {
		for i, text := range own.Texts() {
			_ = settings[i].Set(text)
		}
		wrong = append(wrong, fmt.Errorf("its system cannot be played: %w", err))
	}
	if s.Model != Trained {
		s.Phase, s.Step = 0, 0
	}
	if len(wrong) > 0 {
		return s, fmt.Errorf("the link was read in part: %w", wrong[0])
	}
	return s, nil
}
