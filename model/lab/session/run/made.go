package run

import (
	"slices"

	"macroscope/model/lab/session/effect"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Made is the user's work on the displayed run: particles that the user has drawn, edited or
// pulled, and a force. If the user has changed nothing, the value is Made{}.
type Made struct {
	positions []float32 // in the format of Live.Save; nil if there are none
	note      string
	force     string   // the user's own force; "" if there is none
	settings  []string // the system's settings; nil if there is no work
	begin     int      // frame to which the restored run goes, or Playing
}

// Made returns the user's present work.
func (r *Run) Made() (m Made) {
	m.positions, m.note = r.live.Save()
	m.force = r.ownForce()
	if m.positions == nil && m.force == "" {
		return Made{}
	}
	m.settings, m.begin = r.live.Settings().Texts(), Playing
	if p := r.live.Player(); !p.Playing() {
		m.begin = p.Goal()
	}
	return m
}

// Equal reports whether m and the other work have the same particles and the same force.
func (m *Made) Equal(other *Made) bool {
	return (m.positions == nil) == (other.positions == nil) && slices.Equal(m.positions, other.positions) && m.force == other.force
}

// Adopt begins the run with other settings of the system and with the user's work m. It plays if the present run plays, and
// otherwise goes to the same frame.
func (r *Run) Adopt(settings []string, m Made) (effect.Effect, error) {
	begin := Playing
	if p := r.live.Player(); !p.Playing() {
		begin = p.Goal()
	}
	assign(r.live.Settings(), settings)
	if m.positions != nil {
		return r.Place(m.positions, m.note, begin)
	}
	return r.Generate(begin)
}

// ownForce returns the user's own force in the run, or "".
func (r *Run) ownForce() string {
	f := r.live.Settings().Find("force")
	if f == nil || f.Text() == f.Absent {
		return ""
	}
	if slices.ContainsFunc(r.live.Page().Systems, func(p system.Preset) bool { return p.Values[f.Name] == f.Text() }) {
		return ""
	}
	return f.Text()
}

// Gone describes the work that a command has replaced. command is the command's name. The
// result is "" if there was no work, or if the purpose of the command was to replace the work.
func (r *Run) Gone(was Made, command string) string {
	positions, _ := r.live.Save()
	switch {
	case was.positions != nil && (positions == nil || command == "undo" && !slices.Equal(was.positions, positions)):
		return "The particles that you drew or edited are gone."
	case was.force != "" && r.ownForce() == "" && command != "force":
		return "The force " + setting.Quote(was.force) + " of your own is gone."
	}
	return ""
}

// BringBack restores the user's work and the settings that belong to this work.
func (r *Run) BringBack(m Made) (effect.Effect, error) {
	assign(r.live.Settings(), m.settings)
	if m.positions != nil {
		return r.Place(m.positions, m.note, m.begin)
	}
	return r.Do(system.Live.Generate)
}
