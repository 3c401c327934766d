package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Keys in a link that are not settings: the particles, and the changes made while the run was
// playing.
const (
	Particles = "points"
	Turned    = "turned"
)

// always lists the settings that every link to a lab of single sets contains, even if they have
// their default values.
var always = map[string]bool{"eps": true, "zdim": true}

// Fragment writes the settings of a run and of s as a URL fragment, without '#'. `own` contains the
// settings with which the lab opens. Settings of s with the same value in `own` are left out.
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

// Short removes settings from a fragment if they have the values with which the lab opens. For the
// system's settings these values are in `run`. For the lab's settings they are in `own`. If the lab
// has an opening state (Lab.Opening), Short keeps the version (v=…) in the fragment. Otherwise the
// fragment could become empty, and an empty fragment opens this state.
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

// Parse reads a fragment. It sets the settings of `run` and returns the settings of the lab. s
// contains the settings with which the lab opens. Missing or invalid settings get their
// defaults. The error names all invalid settings; even then the result can be used. Parse
// ignores the keys Particles and Turned.
func (s Settings) Parse(l *Lab, run system.Live, fragment string) (Settings, error) {
	own := l.System.Live().Settings()
	settings := run.Settings()
	for i, text := range own.Texts() {
		_ = settings[i].Set(text) // the default is valid
	}
	values, err := setting.ParseLink(fragment, l.Link())
	if err != nil {
		return s, err
	}
	delete(values, Particles)
	delete(values, Turned)
	var wrong []string
	for _, err := range append(settings.Take(values), s.Table(l).Take(values)...) {
		wrong = append(wrong, err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		wrong = append(wrong, "there is no setting called "+setting.Quote(name))
	}
	// Settings that are valid one by one may be invalid together.
	if err := run.Check(); err != nil {
		for i, text := range own.Texts() {
			_ = settings[i].Set(text)
		}
		wrong = append(wrong, fmt.Sprintf("its system cannot be played: %v", err))
	}
	if s.Model != Trained {
		s.Phase, s.Step = 0, 0
	}
	if len(wrong) > 0 {
		return s, fmt.Errorf("the link was read in part: %s", setting.First(5, "; ", wrong))
	}
	return s, nil
}
