package session

import (
	"slices"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// made is what the visitor has made of the run on show: particles that were drawn, edited
// or pulled, and a force.
type made struct {
	positions []float32 // as Live.Save has them; nil if there are none
	note      string
	force     string   // of the visitor's own, "" if there is none
	settings  []string // of the system, if there is any of that
	begin     int      // frame on show, -1 if it plays
}

// made returns what there is of that before a command, if that is one that can put
// something in its place without having asked.
func (s *Session) made(before wire.Command) (m made) {
	switch before.Kind {
	case wire.Set, wire.Press, wire.Link:
		m.positions, m.note = s.live.Save()
		m.force = s.ownForce()
	}
	if m.positions == nil && m.force == "" || before.Name == wire.Accept {
		return made{}
	}
	m.settings, m.begin = s.live.Settings().Texts(), -1
	if p := s.live.Player(); !p.Playing() {
		m.begin = p.Goal()
	}
	return m
}

// ownForce returns the force that is played, "" if it comes with the lab.
func (s *Session) ownForce() string {
	f := s.live.Settings().Find("force")
	if f == nil || f.Text() == f.Absent {
		return ""
	}
	if slices.ContainsFunc(s.live.Page().Systems, func(p system.Preset) bool { return p.Values[f.Name] == f.Text() }) {
		return ""
	}
	return f.Text()
}

// offer lets the visitor have back what a command has put something else in the place of,
// unless the command was about that.
func (s *Session) offer(was made, c wire.Command) {
	positions, _ := s.live.Save()
	text := ""
	switch {
	case was.positions != nil && (positions == nil || c.Name == "undo" && !slices.Equal(was.positions, positions)):
		text = "The particles that you drew or edited went."
	case was.force != "" && s.ownForce() == "" && c.Name != "force":
		text = "The force " + setting.Quote(was.force) + " of your own went."
	default:
		return
	}
	if s.news != nil {
		text = s.news.Text + " " + text
	}
	s.tell(&wire.Notice{Text: text, Action: "Undo", Press: "undo"}, func() error { return s.bringBack(was) })
}

// bringBack plays what the visitor had made under the settings that it had.
func (s *Session) bringBack(m made) error {
	table := s.live.Settings()
	for i, text := range m.settings {
		_ = table[i].Set(text) // which it had
	}
	if m.positions != nil {
		return opening{s}.place(m.positions, m.note, m.begin)
	}
	return commands{s}.act(s.live.Generate)
}
