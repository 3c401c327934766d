package run

import (
	"slices"

	"macroscope/model/lab/session/effect"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Work is the user's own work on the displayed run. The zero value means that there is none.
type Work struct {
	Particles []float32 // particles that were drawn, edited or pulled, in the format of Live.Save; nil if there are none
	Note      string    // says where the particles come from
	Turned    string    // changes made while the run was playing, see turner; "" if there are none
	Force     string    // the user's own force, which is a setting of the system; "" if there is none
}

// Work returns the user's present work. The particles are not copied.
func (r *Run) Work() (w Work) {
	w.Particles, w.Note = r.live.Save()
	w.Turned, _ = r.Turned()
	w.Force = r.ownForce()
	return w
}

// SameParticles reports whether w and the other work have the same particles.
func (w *Work) SameParticles(other *Work) bool {
	return (w.Particles == nil) == (other.Particles == nil) && slices.Equal(w.Particles, other.Particles)
}

// Open begins a run with these settings of the system and with the user's work. If frame is Playing,
// the run plays from frame 0; otherwise it goes to that frame and pauses. If the work does not fit the
// settings, the run begins without it, and the error says why.
func (r *Run) Open(settings setting.Table, w Work, frame int) (e effect.Effect, err error) {
	assign(r.live.Settings(), settings.Texts())
	if w.Particles != nil {
		if e, err = r.Place(w.Particles, w.Note, frame); err == nil {
			return e, nil
		}
	}
	if t, ok := r.live.(turner); ok && w.Turned != "" {
		r.begin = frame
		if wrong := t.Turn(w.Turned); wrong == nil {
			return r.look(), err
		} else if err == nil {
			err = wrong
		}
	}
	e, wrong := r.Generate(frame)
	if err == nil {
		err = wrong
	}
	return e, err
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
func (r *Run) Gone(was *Work, command string) string {
	particles, _ := r.live.Save()
	switch {
	case was.Particles != nil && (particles == nil || command == "undo" && !slices.Equal(was.Particles, particles)):
		return "The particles that you drew or edited are gone."
	case was.Force != "" && r.ownForce() == "" && command != "force":
		return "The force " + setting.Quote(was.Force) + " of your own is gone."
	}
	return ""
}
