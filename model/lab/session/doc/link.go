package doc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"macroscope/model/file/points"
	"macroscope/model/lab"
	"macroscope/model/setting"
)

// always lists the settings that every link to a lab of single sets contains, even if they have
// their default values.
var always = map[string]bool{"eps": true, "zdim": true}

// Fragment writes the choices that travel with a link as a URL fragment, without '#'. `usual` contains
// the choices with which the lab opens. Settings of the lab with their usual values are left out.
// `particles` are the visitor's own particles as text, or "".
func (s *Sheet) Fragment(usual *Sheet, particles string) string {
	var b strings.Builder
	b.WriteString("v=" + setting.LinkVersion + "&lab=" + s.lab.Link())
	put := func(f *setting.Field) { b.WriteString("&" + f.Name + "=" + setting.Escape(f.Text())) }
	for i := range s.System {
		put(&s.System[i])
	}
	timed := s.lab.Timed()
	for i := range s.own {
		switch f := &s.own[i]; {
		case f.Name == "stage" || f.Name == "step":
			if s.Model == lab.Trained {
				put(f)
			}
		case f.Name == "frame" && s.Frame < 0:
		case f.Text() != usual.own[i].Text() || !timed && always[f.Name]:
			put(f)
		}
	}
	if particles != "" {
		b.WriteString("&" + Particles + "=" + particles)
	}
	if s.Run.Turned != "" {
		b.WriteString("&" + Turned + "=" + s.Run.Turned)
	}
	return b.String()
}

// Short removes settings from a fragment if they have the values with which the lab opens. s is a
// document with these values. If the lab has an opening state (Lab.Opening), Short keeps the version
// (v=…) in the fragment. Otherwise the fragment could become empty, and an empty fragment opens this
// state.
func (s *Sheet) Short(fragment string) string {
	parts := strings.Split(fragment, "&")
	kept := parts[:0]
	for _, part := range parts {
		name, text, _ := strings.Cut(part, "=")
		of := s.System.Find(name)
		if of == nil {
			of = s.own.Find(name)
		}
		if name == "v" && s.lab.Opening == "" {
			continue
		}
		if name == "v" || (of == nil || setting.Escape(of.Text()) != text || name == "frame") {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "&")
}

// Read reads the document of a link. Missing and invalid settings get their defaults. The error names all invalid
// parts; even then the result can be used.
func Read(l *lab.Lab, fragment string) (*Sheet, error) {
	live := l.System.Live()
	s := NewSheet(l, live)
	values, err := setting.ParseLink(fragment, l.Link())
	if err != nil {
		return s, err
	}
	usual := s.System.Texts()
	var damaged error
	if values.Has(Particles) {
		var exact []float32
		if s.Run.Particles, exact, damaged = points.Decode(values.Get(Particles), l.System.Dim); damaged == nil {
			s.Run.Particles = append(s.Run.Particles, exact...)
		}
	}
	s.Run.Turned = values.Get(Turned)
	delete(values, Particles)
	delete(values, Turned)
	var wrong []string
	for _, err := range append(s.System.Take(values), s.own.Take(values)...) {
		wrong = append(wrong, err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		wrong = append(wrong, "there is no setting called "+setting.Quote(name))
	}
	// Settings that are valid one by one may be invalid together.
	if err := live.Check(); err != nil {
		for i, text := range usual {
			_ = s.System[i].Set(text)
		}
		wrong = append(wrong, fmt.Sprintf("its system cannot be played: %v", err))
	}
	if s.Model != lab.Trained {
		s.Phase, s.Step = 0, 0
	}
	if damaged != nil {
		wrong = append(wrong, damaged.Error())
	}
	if len(wrong) > 0 {
		return s, fmt.Errorf("the link was read in part: %s", setting.First(5, "; ", wrong))
	}
	return s, nil
}
