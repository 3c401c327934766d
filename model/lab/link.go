package lab

import (
	"fmt"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Keys of a link that are no settings: particles, and changes in mid-run.
const (
	Particles = "points"
	Turned    = "turned"
)

// always are the settings in every link of single sets, even with the lab's own values, like
// the system's settings.
var always = map[string]bool{"eps": true, "zdim": true}

// Fragment writes the settings of a run and s as a URL fragment, without '#'. It leaves out
// the settings of s that equal own, the lab's at its opening.
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

// Short returns a fragment without settings that have their initial values, run of the system
// and own of the lab. If a user without a link sees another state, the version remains, so
// that it is still a link.
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

// Parse reads a fragment into the settings of a run and returns the others; s are the lab's
// at its opening. Settings that the fragment lacks or gets wrong have their defaults; the
// error names the wrong ones, and the settings can still be used. It ignores keys that are no
// settings.
func (s Settings) Parse(l *Lab, run system.Live, fragment string) (Settings, error) {
	own := l.System.Live().Settings()
	settings := run.Settings()
	for i, text := range own.Texts() {
		_ = settings[i].Set(text) // its default, which is valid
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
	// Each may be valid alone and all together not.
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
