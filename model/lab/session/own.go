package session

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"macroscope/model/lab/session/intake"
	"macroscope/model/lab/session/preview"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/experiment"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// What a system's Live and System may have beside their interfaces.
type (
	// playable says why trajectories are too large to be played on a page.
	playable interface{ Playable(system.Shape) error }
	// observer plays a recording of another observable or force than the system's own.
	observer interface {
		RecordAs(t *system.Trajectory, observable, force, note string)
	}
	// remarked says what else is to be known of a file.
	remarked interface{ Remark() string }
	// valued adds the values of controls that are no settings.
	valued interface{ Values(map[string]string) }
)

// ownArray stands, among the observables, for an array of the visitor's file.
const ownArray = "array"

// own is the visitor's own trajectories, if there are any, and how well model A
// predicts them.
type own struct {
	s        *Session
	data     *intake.File  // nil if there are none
	reading  *reading      // nil if nothing is being read
	waiting  *wire.Command // a file that was dropped while that of a saved session was read; nil if there is none
	measured *experiment.Measurement
}

// recorded returns the trajectories as a training takes them, nil if there are
// none.
func (o *own) recorded() system.Recorded {
	if o.data == nil {
		return nil // and not an interface that holds nil
	}
	return o.data.Source
}

// file reads a dropped file of trajectories and asks whether it is to be taken.
func (o *own) file(name string, b []byte) *wire.Notice {
	d := &intake.File{Name: name, Bytes: b}
	return o.read(&reading{of: o.of(d, 0), dropped: true, done: func(first *system.Trajectory, err error) *wire.Notice {
		if err != nil {
			return failure(fmt.Errorf("%s was not opened: %w", setting.Quote(name), err))
		}
		f := preview.File{Name: name, Size: len(b), Source: d.Source, First: first, System: o.s.lab.System, Page: o.s.live.Page()}
		o.s.asked.put(asked{
			Ask:      wire.Ask{Title: "Use these data?", Facts: f.Facts(), Points: append(f.Points(), o.replaced(first)...), Accept: "Use these data"},
			accepted: func() *wire.Notice { return o.accept(d, first) },
			dropped:  d.Close,
		})
		return nil
	}})
}

// replaced says what becomes of what is on show if a trajectory is taken.
func (o *own) replaced(t *system.Trajectory) (points []string) {
	s := o.s
	if positions, _ := s.live.Save(); positions != nil && o.data == nil {
		points = append(points, "They take the place of the particles that you drew or edited, which a link or Save everything keeps.")
	}
	if o.data != nil {
		points = append(points, fmt.Sprintf("They take the place of %s.", setting.Quote(o.data.Name)))
	}
	if a := s.display.a; a != nil {
		var frame system.Frame
		s.lab.System.Frame(&frame, t, 0, s.traits.Dim)
		if err := a.Model.Takes(&frame); err != nil {
			points = append(points, fmt.Sprintf("The model on show cannot take them: %v.", err))
		}
	}
	return points
}

// accept takes a file whose first trajectory has been read.
func (o *own) accept(d *intake.File, first *system.Trajectory) *wire.Notice {
	o.show(d, 0, first, -1)
	shape := d.Source.Shape()
	what := shape.InWords()
	if o.s.lab.IsSampler() {
		what = setting.Count(shape.Particles, "particle", "particles")
	}
	text := fmt.Sprintf("Read %s from %s.", what, setting.Quote(d.Name))
	if len(d.Bytes) > saved.MaxData {
		text += fmt.Sprintf(" It has more than %d MB, so this browser does not keep it: open it again after a reload.", saved.MaxData>>20)
	}
	if r, ok := d.Source.(remarked); ok && r.Remark() != "" {
		text += " " + r.Remark()
	}
	return &wire.Notice{Text: text}
}

// take reads a trajectory of a file, which becomes the session's, and shows it.
func (o *own) take(d *intake.File, index int) *wire.Notice {
	return o.read(&reading{of: o.of(d, index), done: func(t *system.Trajectory, err error) *wire.Notice {
		if err == nil {
			o.show(d, index, t, -1)
		}
		return failure(err)
	}})
}

// show shows a trajectory that has been read, and is copied, from frame begin on; -1
// lets it play.
func (o *own) show(d *intake.File, index int, t *system.Trajectory, begin int) {
	kept := t.Clone()
	if o.data != d {
		o.drop()
	}
	o.data, d.Trajectory = d, index
	note := d.Name
	if n := d.Source.Shape().Trajectories; n > 1 || !o.s.lab.IsSampler() {
		note = fmt.Sprintf("%s, trajectory %d of %d", d.Name, index+1, n)
	}
	if r, ok := o.s.live.(observer); ok {
		r.RecordAs(kept, d.Source.Observable(), system.ForceOf(d.Source), note)
	} else {
		o.s.live.Record(kept, note)
	}
	o.s.run.begin = begin
	o.s.run.look()
	o.measure()
}

// restored takes the file of a saved session, of which it has read the trajectory that was
// on show.
func (o *own) restored(d *intake.File, r *saved.Session, t *system.Trajectory) {
	index := min(r.Trajectory, d.Source.Shape().Trajectories-1)
	if r.Edited { // which is on show already
		o.data, d.Trajectory = d, index
		return
	}
	o.show(d, index, t, r.Begin())
}

// kept returns the file that is to be here again after a reload, nil if there is none.
func (o *own) kept() *intake.File {
	if r := o.reading; r != nil && r.restores {
		return r.of.From
	}
	return o.data
}

// drop lets the file go.
func (o *own) drop() {
	if r := o.reading; r != nil && !r.dropped {
		o.stop()
	}
	o.data.Close()
	o.data, o.measured = nil, nil
}

// errNoData is what controls of a file say without one.
var errNoData = errors.New("there are no trajectories of your own; open a file first")

// idle says why another trajectory cannot be read now.
func (o *own) idle() error {
	switch {
	case o.data == nil:
		return errNoData
	case o.reading != nil && o.reading.dropped:
		return fmt.Errorf("%s is still being read; wait a moment, or cancel that", setting.Quote(o.reading.of.From.Name))
	}
	return nil
}

// choose shows another trajectory of the file, counted from 1.
func (o *own) choose(value string) *wire.Notice {
	if err := o.idle(); err != nil {
		return failure(err)
	}
	var k int
	f := setting.Field{Name: "trajectory", What: "the trajectory", Value: &k, Low: 1, High: float64(o.data.Source.Shape().Trajectories)}
	if err := f.Set(value); err != nil {
		return failure(err)
	}
	return o.take(o.data, k-1)
}

// observe reads the file with another observable.
func (o *own) observe(value string) *wire.Notice {
	all := o.s.lab.Observables()
	if len(all) == 0 {
		return failure(fmt.Errorf("there is no control called %s", setting.Quote("observable")))
	}
	if o.data == nil {
		if value == all[0].Value {
			return nil
		}
		return failure(errors.New("the observable of what is simulated is the system’s own; open a file to choose another"))
	}
	chosen := ""
	f := setting.Field{Name: "observable", What: "the observable", Value: &chosen, Options: all}
	err := errors.Join(o.idle(), f.Set(value))
	if err != nil {
		return failure(err)
	}
	d := o.data
	return o.take(d.As(chosen), d.Trajectory)
}

// leave goes back to the simulation.
func (o *own) leave() error {
	if o.data == nil {
		return errNoData
	}
	o.drop()
	o.s.run.begin = -1
	if err := o.s.live.Generate(); err != nil {
		return err
	}
	o.s.run.look()
	return nil
}

// speaks says whether a model predicts the observable of the run on show.
func (o *own) speaks(m *experiment.Model) bool {
	observable := ""
	if o.data != nil && o.s.live.Recorded() {
		observable = o.data.Source.Observable()
	}
	names, of := o.s.lab.System.Variables(observable), o.s.lab.System.Variables(m.Config.Observable)
	if len(names) != len(of) {
		return false
	}
	for i := range names {
		if names[i] != of[i] {
			return false
		}
	}
	return true
}

// measure begins to measure model A on own data, if there are any and it can.
func (o *own) measure() {
	d, a := o.data, o.s.display.a
	if d == nil || a == nil || a.Model.Config.Variables == 0 {
		return
	}
	if m := o.measured; m != nil {
		if m.Model() == a.Model && !a.Training {
			return
		}
		o.measured = nil
		m.Close()
	}
	if a.Training || a.Cannot != nil || !o.speaks(a.Model) {
		return
	}
	r, err := d.Source.Reader()
	if err != nil {
		return
	}
	o.measured = experiment.NewMeasurement(a.Model, r, d.Source.Shape())
}

// work reads, opens the file that waited for that, or else measures, until the budget is spent, and reports whether
// there is more to do.
func (o *own) work(began time.Time, budget time.Duration) (busy bool, notice *wire.Notice) {
	switch c := o.waiting; {
	case o.reading != nil:
		return o.readOn(began, budget)
	case c != nil:
		o.waiting = nil
		return true, commands{o.s}.do(*c)
	}
	m := o.measured
	if m == nil || m.Done() {
		return false, nil
	}
	o.s.stateStale = true
	for first := true; first || o.s.now().Sub(began) < budget; first = false {
		if err := m.Advance(); err != nil {
			o.measured = nil
			return false, failure(err)
		}
		if m.Done() {
			return false, &wire.Notice{Text: m.InWords(setting.Quote(o.data.Name))}
		}
	}
	return true, nil
}

// figure is what was measured, as a number beside the transport.
func (o *own) figure() string {
	m := o.measured
	if m == nil || !m.Done() {
		return ""
	}
	return m.Figure()
}

// values adds the values of the file's controls.
func (o *own) values(st *wire.State) {
	st.Values["trajectory"] = "1"
	if all := o.s.lab.Observables(); len(all) > 0 {
		st.Values["observable"] = all[0].Value
	}
	if d := o.data; d != nil {
		st.Values["trajectory"] = strconv.Itoa(d.Trajectory + 1)
		st.Max["trajectory"] = float64(d.Source.Shape().Trajectories)
		observable := d.Observable
		if r := o.reading; r != nil && !r.dropped { // what was chosen comes
			st.Values["trajectory"], observable = strconv.Itoa(r.of.Index+1), r.of.From.Observable
		}
		if observable != "" {
			st.Values["observable"] = observable
		}
	}
}
