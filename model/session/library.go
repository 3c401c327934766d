package session

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

const (
	maxRuns     = 12      // that are kept
	maxWeights  = 8 << 20 // in all of them
	maxRunName  = 40      // letters
	shippedRun  = "shipped"
	trainingRun = "in training"
)

// run is a model that is kept under a name.
type run struct {
	name    string
	origin  string // where its weights are from, in words
	reached string // what it was measured to reach, "" if it was not
	model   *experiment.Model

	encoded []byte // its file in a saved session, nil before the first
}

// table lists what a saved session holds of a run beside its model.
func (r *run) table() setting.Table {
	return setting.Table{
		{Name: "name", Value: &r.name}, {Name: "origin", Value: &r.origin}, {Name: "reached", Value: &r.reached, Absent: " "},
	}
}

// library is the models that a session keeps. No two have one name.
type library struct {
	s    *Session
	runs []run
}

// find returns the place of the run of a name, or -1.
func (l *library) find(name string) int {
	return slices.IndexFunc(l.runs, func(r run) bool { return r.name == name })
}

// get returns the run of a name, which may be the training.
func (l *library) get(name string) (*run, error) {
	if i := l.find(name); i >= 0 {
		return &l.runs[i], nil
	}
	if t := l.s.trainer.run(); t != nil && name == trainingRun {
		return t, nil
	}
	return nil, fmt.Errorf("there is no run called %s", setting.Quote(name))
}

// free returns a name like this one that no run has yet.
func (l *library) free(name string) string {
	if r := []rune(name); len(r) > maxRunName {
		name = string(r[:maxRunName])
	}
	free := name
	for i := 2; l.find(free) >= 0 || free == trainingRun || free == ""; i++ {
		if free = fmt.Sprintf("%s %d", name, i); name == "" {
			free = fmt.Sprintf("run %d", i-1)
		}
	}
	return free
}

// keep adds a run, in the place of one of the same name.
func (l *library) keep(r run) error {
	i := l.find(r.name)
	if i < 0 && len(l.runs) >= maxRuns {
		return fmt.Errorf("there are %d runs and room for no more; delete one first", len(l.runs))
	}
	weights := r.model.Weights()
	for k := range l.runs {
		if k != i {
			weights += l.runs[k].model.Weights()
		}
	}
	if weights > maxWeights {
		return fmt.Errorf("the runs have %d million weights together and there is room for no more; delete one first", weights>>20)
	}
	if i < 0 {
		l.runs = append(l.runs, r)
	} else {
		l.runs[i] = r
	}
	return nil
}

// keepShown keeps the training as it is now, if it is on show, or model A, under
// the name that the visitor gave.
func (l *library) keepShown() error {
	s := l.s
	t := s.trainer.run()
	var r run
	switch a, b := s.display.a, s.display.b; {
	case t != nil && (a != nil && a.live || b != nil && b.live):
		r = *t
	case a != nil:
		r = run{origin: a.origin, model: a.model}
	default:
		return s.noModel()
	}
	r.name, r.model = l.free(s.keepAs), r.model.Clone()
	if err := l.keep(r); err != nil {
		return err
	}
	s.keepAs = ""
	s.changed()
	return nil
}

// drop forgets a run, unless it is needed.
func (l *library) drop(name string) error {
	i := l.find(name)
	d := &l.s.display
	switch {
	case name == trainingRun:
		return errors.New("the training cannot be deleted; begin another, which takes its place")
	case i < 0:
		return fmt.Errorf("there is no run called %s", setting.Quote(name))
	case name == d.a.called():
		return errors.New("this run is on show; show another first")
	case name == shippedRun && l.s.lab.Codes != "":
		return errors.New("the shipped model stays, since others are trained on what its encoder made")
	}
	l.runs = slices.Delete(l.runs, i, i+1)
	if d.b.called() == name {
		d.b = nil
	}
	l.s.changed()
	return nil
}

// list describes all runs, the training last if there is one.
func (l *library) list() []wire.Run {
	var list []wire.Run
	add := func(r *run) {
		w := wire.Run{Name: r.name, Detail: r.model.Detail()}
		if r.reached != "" {
			w.Detail += ", " + r.reached
		}
		switch r.name {
		case l.s.display.a.called():
			w.Shown = "a"
		case l.s.display.b.called():
			w.Shown = "b"
		}
		list = append(list, w)
	}
	for i := range l.runs {
		add(&l.runs[i])
	}
	if t := l.s.trainer.run(); t != nil {
		add(t)
	}
	return list
}

// save adds all but the shipped run to a saved session.
func (l *library) save(to *savedParts) {
	for i := range l.runs {
		r := &l.runs[i]
		if r.name == shippedRun {
			continue
		}
		if r.encoded == nil {
			f := r.model.Checkpoint()
			r.table().Write(f.Metadata, sessionPrefix)
			var b bytes.Buffer
			if ckpt.Encode(&b, f) == nil {
				r.encoded = b.Bytes()
			}
		}
		to.addFile(savedRun, r.encoded)
	}
}

// readRun reads a run of a saved session into a list of them.
func (l *library) readRun(runs *[]run, f *ckpt.File) error {
	var r run
	if err := r.table().Read(f.Metadata, sessionPrefix); err != nil {
		return err
	}
	var err error
	if r.model, err = l.open(f); err != nil {
		return err
	}
	// The shipped one will be among them too.
	taken := slices.ContainsFunc(*runs, func(other run) bool { return other.name == r.name })
	if taken || r.name == "" || r.name == shippedRun || r.name == trainingRun || len(*runs) >= maxRuns-1 {
		return fmt.Errorf("its run %s cannot be used", setting.Quote(r.name))
	}
	*runs = append(*runs, r)
	return nil
}

// open returns the model that a checkpoint holds, which must be of the lab's
// system and of particles that the page can show.
func (l *library) open(f *ckpt.File) (*experiment.Model, error) {
	m, err := l.s.lab.Systems.Open(f)
	if err != nil {
		return nil, err
	}
	if of := m.System.Traits().Name; of != l.s.traits.Name {
		return nil, fmt.Errorf("the checkpoint is of the system %s; open it in that lab", setting.Quote(of))
	}
	if d := m.Config.Dim(); d != l.s.traits.Dim {
		return nil, fmt.Errorf("it is of particles with %d coordinates, and the page shows those with %d", d, l.s.traits.Dim)
	}
	return m, nil
}

// withoutEnding is a file's name less its ending.
func withoutEnding(name string) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}
