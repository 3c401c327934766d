package session

import (
	"errors"
	"fmt"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/runs"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// library is the models of a session: those that it keeps, and the one in
// training.
type library struct {
	s    *Session
	kept runs.List
}

// get returns the run of a name, which may be the training.
func (l *library) get(name string) (*runs.Run, error) {
	if r := l.kept.Find(name); r != nil {
		return r, nil
	}
	if t := l.s.trainer.run(); t != nil && name == runs.Training {
		return t, nil
	}
	return nil, fmt.Errorf("there is no run called %s", setting.Quote(name))
}

// shipped returns the model that comes with the lab, nil before it is there.
func (l *library) shipped() *experiment.Model {
	if r := l.kept.Find(runs.Shipped); r != nil {
		return r.Model
	}
	return nil
}

// keepShown keeps the training as it is now, if it is on show, or model A, under
// the name that the visitor gave.
func (l *library) keepShown() error {
	s := l.s
	t := s.trainer.run()
	var r runs.Run
	switch a, b := s.display.a, s.display.b; {
	case t != nil && (a != nil && a.Training || b != nil && b.Training):
		r = *t
	case a != nil:
		r = runs.Run{Origin: a.Origin, Model: a.Model}
	default:
		return s.display.missing()
	}
	r.Name, r.Model = l.kept.Free(s.keepAs), r.Model.Clone()
	if err := l.kept.Keep(r); err != nil {
		return err
	}
	s.keepAs = ""
	s.changed()
	return nil
}

// drop forgets a run, unless it is needed.
func (l *library) drop(name string) error {
	d := &l.s.display
	switch {
	case name == runs.Training:
		return errors.New("the training cannot be deleted; begin another, which takes its place")
	case l.kept.Find(name) == nil:
		return fmt.Errorf("there is no run called %s", setting.Quote(name))
	case name == d.a.Called():
		return errors.New("this run is on show; show another first")
	case name == runs.Shipped && l.s.lab.Codes != "":
		return errors.New("the shipped model stays, since others are trained on what its encoder made")
	}
	l.kept.Drop(name)
	if d.b.Called() == name {
		d.b = nil
	}
	l.s.changed()
	return nil
}

// list describes all runs, the training last if there is one.
func (l *library) list() []wire.Run {
	var list []wire.Run
	add := func(r *runs.Run) {
		w := wire.Run{Name: r.Name, Detail: r.Model.Detail()}
		if r.Reached != "" {
			w.Detail += ", " + r.Reached
		}
		switch r.Name {
		case l.s.display.a.Called():
			w.Shown = "a"
		case l.s.display.b.Called():
			w.Shown = "b"
		}
		list = append(list, w)
	}
	for i := range l.kept.All() {
		add(&l.kept.All()[i])
	}
	if t := l.s.trainer.run(); t != nil {
		add(t)
	}
	return list
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
