// Package doc holds what a visitor has chosen. Everything else on the page is computed from these
// choices and from files.
//
// The choices are the rows of one table. Its column Travel says which carriers take a choice along: a link, a saved
// session, or history. Links, saved sessions, undo and redo all read this table.
package doc

import (
	"errors"
	"slices"

	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Doc contains the choices of a visitor. The system's settings are in the Sheet.
type Doc struct {
	lab.Settings          // Frame is the displayed frame, or -1 if the run plays
	Run          run.Work // the visitor's own work on the run
	Tool         string   // the selected tool of the pointer
	KeepAs       string   // name for the next model that the visitor will keep
	A, B         string   // names of the wanted models. A is "" for the shipped model for the settings, B is "" for none
	Trained      Training
	File         File
}

// Training says which training there is, and how far it should go. The zero value means that there is none.
type Training struct {
	Origin  origin.Origin // of the training's weights
	OnCodes bool          // whether only the dynamics are trained, on codes
	Status  wire.Status
	By      runs.Recipe
	To      Place // where the training pauses
}

// Place says where a training pauses. If `Of` is "", it pauses at step `Step` of phase `Phase`.
// Otherwise it pauses as soon as the figure `Of` is at most `Most` (see package training). A training
// with the zero Place does not pause.
type Place struct {
	Phase, Step int
	Of          string
	Most        float64
}

// File says which file of trajectories is open, and which of its trajectories is displayed.
type File struct {
	Name       string // "" if there is no file
	Observable string // value of the control for the observable; "" means the system's default
	Trajectory int
}

// Travel says which carriers take a choice along.
type Travel uint8

const (
	Link    Travel = 1 << iota // the page's address. A saved session contains the choices of a link as one text
	Tab                        // a saved session: in the browser, or in a file of “Save everything”
	History                    // undo and redo
)

// Row is a choice: its name, its bounds, its value, and how it travels.
type Row struct {
	setting.Field
	Travel Travel
}

// Sheet is a document of a lab with its table.
type Sheet struct {
	Doc
	System setting.Table // the system's settings. Their values belong to a system.Live

	lab *lab.Lab
	own setting.Table // table of Doc.Settings
}

// NewSheet returns the choices with which a lab opens. The system's settings are those of `live`.
func NewSheet(l *lab.Lab, live system.Live) *Sheet {
	s := &Sheet{lab: l, System: live.Settings()}
	s.Settings = lab.Defaults(l)
	s.own = s.Settings.Table(l)
	return s
}

// Own lists the settings that every lab has.
func (s *Sheet) Own() setting.Table { return s.own }

// Keys in a link that are not settings: the particles, and the changes made while the run was playing.
const (
	Particles = "points"
	Turned    = "turned"
)

// absent stands for an empty text in a file, because empty texts are not written.
const absent = " "

// Table lists all choices but the particles, which every carrier takes along in a form of its own.
func (s *Sheet) Table() []Row {
	rows := make([]Row, 0, len(s.System)+len(s.own)+32)
	add := func(travel Travel, fields ...setting.Field) {
		for _, f := range fields {
			rows = append(rows, Row{f, travel})
		}
	}
	add(Link|History, s.System...)
	for _, f := range s.own {
		if add(Link, f); !f.Hidden {
			rows[len(rows)-1].Travel |= History
		}
	}
	add(Link, setting.Field{Name: Turned, Value: &s.Run.Turned})
	add(Tab|History, setting.Field{Name: "a", What: "the models on show", Value: &s.A}, setting.Field{Name: "b", What: "the models on show", Value: &s.B})
	t, f := &s.Trained, &s.File
	add(Tab,
		setting.Field{Name: "tool", Value: &s.Tool}, setting.Field{Name: "keepas", Value: &s.KeepAs}, setting.Field{Name: "note", Value: &s.Run.Note},
		setting.Field{Name: "trainedfrom", Value: &t.Origin}, setting.Field{Name: "oncodes", Value: &t.OnCodes}, setting.Field{Name: "status", Value: (*int)(&t.Status), High: float64(wire.Diverged)},
		setting.Field{Name: "runto.stage", Value: &t.To.Phase, High: float64(fit.Done)}, setting.Field{Name: "runto.step", Value: &t.To.Step, Low: -1, High: method.MaxStep},
		setting.Field{Name: "until", Value: &t.To.Of, Absent: absent}, setting.Field{Name: "until.most", Value: &t.To.Most, Absent: "0"},
		setting.Field{Name: "trajectory", Value: &f.Trajectory, High: method.MaxStep, Absent: "0"}, setting.Field{Name: "observable", Value: &f.Observable, Absent: absent}, setting.Field{Name: "data", Value: &f.Name, Absent: absent},
	)
	add(Tab, t.By.Table()...)
	return rows
}

// Clone returns a copy of the document, with settings of the system that no Live plays.
func (s *Sheet) Clone() *Sheet {
	c := NewSheet(s.lab, s.lab.System.Live())
	c.Doc = s.Doc
	for i, text := range s.System.Texts() {
		_ = c.System[i].Set(text) // valid here, so valid there
	}
	return c
}

// Past contains the choices at one time that history brings back.
type Past struct {
	Frame int      // the displayed frame, or -1 if the run played; it does not travel with History
	Run   run.Work // the visitor's own work on the run
	texts []string // of the rows that travel with History
}

// Past returns the present choices for history. The particles are not copied.
func (s *Sheet) Past() Past {
	p := Past{Frame: s.Frame, Run: s.Run}
	for _, r := range s.Table() {
		if r.Travel&History != 0 {
			p.texts = append(p.texts, r.Text())
		}
	}
	return p
}

// Equal reports whether two past documents have the same choices.
func (p *Past) Equal(other *Past) bool {
	return slices.Equal(p.texts, other.texts) && p.Run.SameParticles(&other.Run)
}

// Return changes the choices in which two past documents differ from the values in `from` to those in `to`. It returns
// what has changed, in words.
func (s *Sheet) Return(from, to *Past) (changed []string, err error) {
	i := 0
	for _, r := range s.Table() {
		if r.Travel&History == 0 {
			continue
		}
		if i == len(to.texts) || i == len(from.texts) {
			return nil, errors.New("the settings have other names than before")
		}
		if was, is := from.texts[i], to.texts[i]; was != is {
			err = errors.Join(err, r.Set(is))
			if !slices.Contains(changed, r.What) {
				changed = append(changed, r.What)
			}
		}
		i++
	}
	if len(changed) > 0 {
		s.Run.Turned = "" // the run begins anew
	}
	if !from.Run.SameParticles(&to.Run) {
		s.Run.Particles, s.Run.Note = to.Run.Particles, to.Run.Note
		if len(changed) == 0 {
			changed = append(changed, "the particles")
		}
	}
	return changed, err
}

// Follow changes the choices in which two links of a document differ from the values in `was` to those
// in `is`. A training is not followed: a saved session contains it.
func (s *Sheet) Follow(was, is *Sheet) {
	before, after := was.Table(), is.Table()
	for i, r := range s.Table() {
		switch {
		case r.Travel&Link == 0 || before[i].Text() == after[i].Text() || r.Name == "model" || r.Name == "stage" || r.Name == "step":
		default:
			_ = r.Set(after[i].Text()) // the link that has the value could be read
		}
	}
	if is.Run.Particles != nil && !was.Run.SameParticles(&is.Run) {
		s.Run.Particles = is.Run.Particles
	}
}
