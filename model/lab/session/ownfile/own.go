// Package ownfile manages the user's own file of trajectories. It reads the file in pieces,
// between which the page can respond. It summarises the file before the user accepts it,
// records which trajectory is displayed, and measures a model on all trajectories.
package ownfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/saved"
	"macroscope/model/lab/view"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

const (
	// readAtOnce is how long a command reads before it returns. Work reads the rest.
	readAtOnce = 30 * time.Millisecond
	// askAfter is how long a file is read before the page offers to cancel.
	askAfter = 300 * time.Millisecond
)

// ErrNone says that a control needs the user's file and that there is none.
var ErrNone = errors.New("there are no trajectories of your own; open a file first")

// Purpose is the reason for which a trajectory is read.
type Purpose int

// The purposes.
const (
	Dropped  Purpose = iota // the user will decide whether to accept the file
	Chosen                  // the user has selected another trajectory of the file in use
	Bundled                 // the user will decide whether to open the file's bundle
	Restored                // a saved session is being restored
)

// Read is a trajectory that has been read, or an error. It is valid until the next trajectory
// of the file is read.
type Read struct {
	For   Purpose
	From  *File
	Index int
	First *system.Trajectory
	Err   error
}

// OwnFile manages a session's file of trajectories, if there is one. It is not safe for
// concurrent use.
type OwnFile struct {
	system      *system.System
	live        system.Live // plays the system
	observables []setting.Option
	describe    lab.Describe
	now         func() time.Time

	data      *File    // the file in use; nil if there is none
	reading   *reading // nil if nothing is being read
	waiting   *wire.Command
	measuring *measuring // nil if the model is not measured
}

// measuring is a measurement of a model on the user's trajectories.
type measuring struct {
	model  *model.Model
	count  int // number of trajectories
	pieces *work.Pieces
	ended  bool   // whether there is a result, or an error that will come again
	text   string // the result in sentences; "" before the end
	figure string // the result in short
	errors string // the errors of the observables of a described system; "" before the end
}

// newMeasuring begins to measure a model on the trajectories of a file.
func newMeasuring(model *model.Model, of *File, figures []wire.Figure) *measuring {
	own := of.Source
	task := measure.Task{Model: model, Source: own, Count: own.Shape().Trajectories, Members: measure.TestMembers, Seed: measure.TestSeed}.Bounded()
	m := &measuring{model: model, count: task.Count}
	m.pieces = work.Begin(func(pause work.Pause) error {
		result, err := task.RunOwn(own, pause)
		if err == nil {
			m.text, m.figure = result.InWords(setting.Quote(of.Name))
			m.errors = errorsInWords(result, model, figures)
		}
		return err
	})
	return m
}

// errorsInWords says the error of each observable of a described system, on the runs that were kept out of training if there
// are any: in the unit of its figure, and in brackets the errors of its first value repeated and of the mean of these runs.
func errorsInWords(of *measure.Measured, m *model.Model, figures []wire.Figure) string {
	p := of.Prediction
	if of.KeptOut != nil {
		p = of.KeptOut
	}
	var all []string
	for k := range m.Config.Variables {
		i := slices.IndexFunc(figures, func(f wire.Figure) bool { return f.ID == fmt.Sprint("z", k+1) })
		if m.Config.Traits.Description == nil || i < 0 {
			break
		}
		e, name := p.ErrorsIn(m, k), figures[i].Label+" "
		if m.Config.Variables == 1 {
			name = ""
		}
		text := fmt.Sprintf("%s%.3g %s", name, e.Model, figures[i].Unit)
		all = append(all, strings.TrimSpace(text)+fmt.Sprintf(" (%.3g, %.3g)", e.First, e.Mean))
	}
	return strings.Join(all, "; ")
}

// New returns an OwnFile without a file. live plays the lab's system.
func New(of *lab.Lab, live system.Live, now func() time.Time) *OwnFile {
	return &OwnFile{system: of.System, live: live, observables: of.System.Observables, describe: of.Describe, now: now}
}

// File returns the file in use, or nil if there is none.
func (o *OwnFile) File() *File { return o.data }

// Name returns the name of the file in use, or "" if there is none.
func (o *OwnFile) Name() string {
	if o.data == nil {
		return ""
	}
	return o.data.Name
}

// Recorded returns the file's trajectories, for training, or nil if there are none.
func (o *OwnFile) Recorded() system.Recorded {
	if o.data == nil {
		return nil
	}
	return o.data.Source
}

// Kept returns the file that a saved session stores: the file that is being restored, otherwise
// the file in use. It returns nil if there is neither.
func (o *OwnFile) Kept() *File {
	if _, restores := o.Restoring(); restores {
		return o.reading.from
	}
	return o.data
}

// Read begins to read a trajectory of a file. It first ends any reading in progress. It returns nil
// if more remains to be read; Work then reads the rest. `begin` is the frame to which a restored
// run goes, or -1 if the run plays from frame 0.
func (o *OwnFile) Read(f *File, index int, why Purpose, begin int) *Read {
	describe := o.describe
	if why != Dropped { // the file is of this session's system
		describe = nil
	}
	o.Stop()
	r := &reading{from: f, index: index, why: why, frame: begin, since: o.now()}
	r.pieces = work.Begin(func(pause work.Pause) error { return r.all(o.system, o.live, describe, pause) })
	o.reading = r
	return o.readOn(r.since, readAtOnce)
}

// readOn reads until the budget is spent or the trajectory is complete.
func (o *OwnFile) readOn(began time.Time, budget time.Duration) *Read {
	r := o.reading
	for first := true; first || o.now().Sub(began) < budget; first = false {
		more, err := r.pieces.Next()
		if more {
			continue
		}
		done := &Read{For: r.why, From: r.from, Index: r.index, Err: err}
		if err != nil {
			o.Stop()
		} else {
			done.First = &r.from.first
		}
		o.reading = nil
		return done
	}
	return nil
}

// Stop ends the reading if there is one. The displayed trajectory stays.
func (o *OwnFile) Stop() {
	r := o.reading
	if r == nil {
		return
	}
	o.reading = nil
	r.pieces.Close()
	if r.from != o.data {
		r.from.Close()
	}
}

// End ends the reading and closes the file in use.
func (o *OwnFile) End() {
	o.Stop()
	o.Drop()
}

// Cancel ends the reading at the user's request.
func (o *OwnFile) Cancel() effect.Effect {
	name, restores := o.Restoring()
	o.Stop()
	if !restores {
		return effect.Effect{}
	}
	return effect.Told(fmt.Sprintf("The lab goes on without your file %s; open it again to have it back.", setting.Quote(name)))
}

// Reading reports whether something is being read.
func (o *OwnFile) Reading() bool { return o.reading != nil }

// Restoring returns the name of the file that is being read for a saved session. ok is false if
// there is none.
func (o *OwnFile) Restoring() (name string, ok bool) {
	if r := o.reading; r != nil && r.why == Restored {
		return r.from.Name, true
	}
	return "", false
}

// Begin returns the frame to which the restored run goes, or -1 if the run plays from frame 0.
func (o *OwnFile) Begin() int { return o.reading.frame }

// Wait stores the command for a file that the user has dropped while another file is being
// restored. The session carries the command out afterwards.
func (o *OwnFile) Wait(c wire.Command) { o.waiting = &c }

// Waiting returns the command that Wait has stored, and forgets it. It returns nil if there is
// none, or while a file is being read.
func (o *OwnFile) Waiting() *wire.Command {
	c := o.waiting
	if o.reading == nil {
		o.waiting = nil
		return c
	}
	return nil
}

// preview returns the summary of a file that has been read.
func (o *OwnFile) preview(r *Read) *preview {
	sys, page := r.From.of(o.system), o.live.Page()
	if sys != o.system {
		page = sys.Live().Page()
	}
	return &preview{r.From, r.First, sys, page}
}

// Facts describes the content of a file that has been read: numbers, kinds and ranges.
func (o *OwnFile) Facts(r *Read) []wire.Entry {
	return o.preview(r).facts()
}

// Dots returns particles of the first frame that has been read (n, 3), see wire.Ask.
func (o *OwnFile) Dots(r *Read) []float64 {
	return o.preview(r).dots()
}

// Points lists what the user should know before accepting a file: warnings, and the consequences
// for the run and for the displayed model. Each is one sentence. shown may be nil.
func (o *OwnFile) Points(r *Read, shown *model.Model) []string {
	points := o.preview(r).points()
	if positions, _ := o.live.Save(); positions != nil && o.data == nil {
		points = append(points, "They take the place of the particles that you drew or edited, which a link or Save everything keeps.")
	}
	if o.data != nil {
		points = append(points, fmt.Sprintf("They take the place of %s.", setting.Quote(o.data.Name)))
	}
	if shown != nil && r.From.System == nil {
		if _, err := shown.Fits(r.From.Source, false); err != nil {
			points = append(points, fmt.Sprintf("The model on show cannot predict them: %v.", err))
		}
	}
	return points
}

// Taken returns sentences for the user that say which data were read. `what` describes the data.
func Taken(f *File, what string) string {
	text := fmt.Sprintf("Read %s from %s.", what, setting.Quote(f.Name))
	if len(f.Bytes) > saved.MaxData {
		text += fmt.Sprintf(" It has more than %d MB, so this browser does not keep it: open it again after a reload.", saved.MaxData>>20)
	}
	for _, more := range f.more() {
		text += " " + effect.Sentence(more)
	}
	return text
}

// Use replaces the file in use by f. index is the index of the displayed trajectory.
func (o *OwnFile) Use(f *File, index int) {
	if o.data != f {
		o.Drop()
	}
	o.data, f.Trajectory = f, index
}

// Drop closes the file in use, if there is one.
func (o *OwnFile) Drop() {
	if r := o.reading; r != nil && r.why == Chosen {
		o.Stop()
	}
	o.data.Close()
	o.data = nil
	o.giveUp()
}

// idle returns an error if no other trajectory can be read now.
func (o *OwnFile) idle() error {
	switch {
	case o.data == nil:
		return ErrNone
	case o.reading != nil && o.reading.why != Chosen:
		return fmt.Errorf("%s is still being read; wait a moment, or cancel that", setting.Quote(o.reading.from.Name))
	}
	return nil
}

// Choose begins to read another trajectory of the file, to display it. value is the
// trajectory's number, from 1.
func (o *OwnFile) Choose(value string) (*Read, error) {
	if err := o.idle(); err != nil {
		return nil, err
	}
	var k int
	f := setting.Field{Name: "trajectory", What: "the trajectory", Value: &k, Low: 1, High: float64(o.data.Source.Shape().Trajectories)}
	if err := f.Set(value); err != nil {
		return nil, err
	}
	return o.Read(o.data, k-1, Chosen, -1), nil
}

// Observe begins to read the displayed trajectory again, for another observable.
func (o *OwnFile) Observe(value string) (*Read, error) {
	if len(o.observables) == 0 {
		return nil, fmt.Errorf("there is no control called %s", setting.Quote("observable"))
	}
	if o.data == nil {
		if value == o.observables[0].Value {
			return nil, nil
		}
		return nil, errors.New("the observable of what is simulated is the system’s own; open a file to choose another")
	}
	chosen := ""
	f := setting.Field{Name: "observable", What: "the observable", Value: &chosen, Options: o.observables}
	if err := errors.Join(o.idle(), f.Set(value)); err != nil {
		return nil, err
	}
	return o.Read(o.data.As(chosen), o.data.Trajectory, Chosen, -1), nil
}

// Predicts reports whether a model predicts the observable for which the file was read.
func (o *OwnFile) Predicts(m *model.Model) bool {
	observable := ""
	if o.data != nil && o.live.Recorded() {
		observable = o.data.Source.Observable()
	}
	names, of := o.system.Variables(observable), o.system.Variables(m.Config.Data.Observable)
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

// Fits returns an error unless a model can predict the displayed trajectories. It has no objection if
// they are simulated.
func (o *OwnFile) Fits(m *model.Model) error {
	if o.data == nil || !o.live.Recorded() {
		return nil
	}
	return m.Agrees(o.data.Source)
}

// Measure begins to measure the displayed model on the file, if both exist and it has not been
// measured yet. It does not measure a model in training, or a model that does not accept sets like
// those in the file.
func (o *OwnFile) Measure(shown *view.Shown) {
	if o.data == nil || shown == nil || shown.Model.Config.Variables == 0 {
		return
	}
	if m := o.measuring; m != nil {
		if m.model == shown.Model && !shown.Training {
			return
		}
		o.giveUp()
	}
	if shown.Training || shown.Cannot != nil || !o.Predicts(shown.Model) {
		return
	}
	o.measuring = newMeasuring(shown.Model, o.data, o.live.Page().Figures)
}

// giveUp ends the measurement, if there is one, and forgets its result.
func (o *OwnFile) giveUp() {
	if o.measuring != nil {
		o.measuring.pieces.Close()
		o.measuring = nil
	}
}

// Work reads the file until the budget is spent. If there is nothing to read, it measures the
// model. busy is true if more remains. read is the trajectory that has just been completed.
func (o *OwnFile) Work(began time.Time, budget time.Duration) (busy bool, read *Read, e effect.Effect) {
	if o.reading != nil {
		read = o.readOn(began, budget)
		return read == nil || o.waiting != nil, read, effect.Restated()
	}
	m := o.measuring
	if m == nil || m.ended {
		return false, nil, e
	}
	e = effect.Restated()
	for first := true; first || o.now().Sub(began) < budget; first = false {
		more, err := m.pieces.Next()
		if m.ended = !more || err != nil; err != nil {
			m.pieces.Close()
			return false, nil, e.And(effect.Failed(err))
		}
		if !more {
			return false, nil, e.And(effect.Told(m.text))
		}
	}
	return true, nil, e
}

// Figure returns the measured error as text, or "" before the end of the measurement. The page
// shows the text next to the playback controls.
func (o *OwnFile) Figure() string {
	if o.measuring == nil {
		return ""
	}
	return o.measuring.figure
}

// Errors returns the errors of the observables of a described system as text, or "" before the end of the measurement.
func (o *OwnFile) Errors() string {
	if o.measuring == nil {
		return ""
	}
	return o.measuring.errors
}

// Task describes the reading or the measurement in progress. share is the finished part, from 0 to
// 1. text is "" if nothing is being read or measured.
func (o *OwnFile) Task() (text string, share float64) {
	switch m := o.measuring; {
	case o.reading != nil:
		return o.reading.task()
	case m == nil || m.ended:
		return "", 0
	default:
		share := m.pieces.Share()
		return fmt.Sprintf("measuring the model on your trajectories, %d of %d", int(share*float64(m.count)), m.count), share
	}
}

// Ask returns a question that lets the user cancel a long reading.
func (o *OwnFile) Ask() wire.Ask {
	r := o.reading
	if r == nil || o.now().Sub(r.since) < askAfter {
		return wire.Ask{}
	}
	return wire.Ask{Title: "Reading " + setting.Quote(r.from.Name), Text: "This takes a while. What is on show stays until all of it is read."}
}

// Fill adds the values of the file's controls.
func (o *OwnFile) Fill(st *wire.State) {
	st.Values["trajectory"] = "1"
	if len(o.observables) > 0 {
		st.Values["observable"] = o.observables[0].Value
	}
	d := o.data
	if d == nil {
		return
	}
	st.Values["trajectory"] = strconv.Itoa(d.Trajectory + 1)
	st.Max["trajectory"] = float64(d.Source.Shape().Trajectories)
	observable := d.Observable
	if r := o.reading; r != nil && r.why == Chosen { // the selected trajectory, although it is not displayed yet
		st.Values["trajectory"], observable = strconv.Itoa(r.index+1), r.from.Observable
	}
	if observable != "" {
		st.Values["observable"] = observable
	}
}
