package session

import (
	"fmt"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/setting"
)

// always are the settings that a link has even if they are the lab's own: the
// system's are.
var always = map[string]bool{"eps": true, "zdim": true}

// fragment writes the settings as a URL fragment, without '#'. Those that every
// lab has are left out where they are the lab's own.
func (s opening) fragment(l lab.Settings) string {
	var b strings.Builder
	b.WriteString("v=" + setting.LinkVersion + "&lab=" + s.lab.Link())
	for _, f := range s.live.Settings() {
		b.WriteString("&" + f.Name + "=" + f.Text())
	}
	own := lab.Defaults(&s.lab)
	ownTable := own.Table(&s.lab)
	for _, f := range l.Table(&s.lab) {
		text := f.Text()
		switch {
		case f.Name == "stage" || f.Name == "step":
			if l.Model == "scratch" {
				b.WriteString("&" + f.Name + "=" + text)
			}
		case f.Name == "frame" && l.Frame < 0:
		case text != ownTable.Find(f.Name).Text() || s.lab.IsSampler() && always[f.Name]:
			b.WriteString("&" + f.Name + "=" + text)
		}
	}
	return b.String()
}

// parse reads a fragment into the system's settings and returns the others. What
// it does not mention has its default; what it gets wrong keeps its default too
// and is named in the error, beside which the settings can be used.
func (s opening) parse(fragment string) (lab.Settings, error) {
	l := lab.Defaults(&s.lab)
	own := s.lab.System.Live().Settings()
	live := s.live.Settings()
	for i, text := range own.Texts() {
		_ = live[i].Set(text) // its own default, which it takes
	}
	values, err := setting.ParseLink(fragment, s.lab.Link())
	if err != nil {
		return l, err
	}
	wrong := append(live.Take(values), l.Table(&s.lab).Take(values)...)
	for name := range values {
		wrong = append(wrong, fmt.Errorf("there is no setting called %s", setting.Quote(name)))
		break // one is enough to say that the link is not ours
	}
	// Each may be right by itself and all of them no system.
	if err := s.live.Check(); err != nil {
		for i, text := range own.Texts() {
			_ = live[i].Set(text)
		}
		wrong = append(wrong, fmt.Errorf("its system cannot be played: %w", err))
	}
	if l.Model != "scratch" {
		l.Phase, l.Step = 0, 0
	}
	if len(wrong) > 0 {
		return l, fmt.Errorf("the link was read in part: %w", wrong[0])
	}
	return l, nil
}

// linked returns the settings as a link carries them.
func (s opening) linked() lab.Settings {
	l := s.settings
	if l.Frame = -1; !s.lab.IsSampler() {
		switch what, _ := s.live.Preparing(); {
		case what != "":
			l.Frame = s.run.begin
		case !s.live.Player().Playing():
			l.Frame = s.live.Player().Goal()
		}
	}
	l.Phase, l.Step = 0, 0
	if l.Model == "scratch" && s.trainer.repeatable() {
		l.Phase, l.Step = int(s.trainer.live.Phase()), s.trainer.live.Step()
	} else {
		l.Model = "shipped"
	}
	return l
}
