package session

import (
	"errors"
	"fmt"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/experiment"
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

// coded returns the shipped model whose encoder made the lab's codes, nil unless it is
// the one of its method that came last.
func (l *library) coded() *experiment.Model {
	m, ok := l.s.lab.Coded()
	run := runs.ShippedAs(m.Method)
	if r := l.kept.Find(run); ok && r != nil && l.s.shippedFiles[run] == m.File {
		return r.Model
	}
	return nil
}

// keepShown keeps the training as it is now, if it is on show, or model A, under
// the name that the visitor gave.
func (l *library) keepShown() error {
	s := l.s
	a, b, t := s.display.a, s.display.b, &s.trainer
	name := l.kept.Free(s.keepAs)
	var r runs.Run
	var err error
	switch kept := l.kept.Find(a.Called()); {
	case t.live != nil && (a != nil && a.Training || b != nil && b.Training):
		r, err = t.snapshot(name)
	case a == nil:
		return s.display.missing()
	case kept != nil && kept.Auto:
		if err := l.rename(*kept, name); err != nil {
			return err
		}
	case kept != nil:
		r = *kept
		err = r.Rename(name, false)
	default:
		r = runs.Run{Name: name, Origin: a.Origin, Model: a.Model.Clone()}
	}
	if err == nil && r.Model != nil {
		err = l.kept.Keep(r)
	}
	if err != nil {
		return err
	}
	s.keepAs = ""
	s.changed()
	return nil
}

// rename gives a run that was kept by itself a name of the visitor's.
func (l *library) rename(r runs.Run, name string) error {
	was := r.Name
	if err := r.Rename(name, false); err != nil {
		return err
	}
	if err := l.kept.Keep(r); err != nil {
		return err
	}
	l.kept.Take(was)
	for _, m := range l.s.display.models() {
		if m.Name == was {
			m.Name = name
		}
	}
	return nil
}

// takeUp takes a run that was kept by itself from the list and off the picture: it is in
// training again. Another may have its name from then on.
func (l *library) takeUp(r *runs.Run) {
	if !r.Auto {
		return
	}
	l.kept.Take(r.Name)
	d := &l.s.display
	for _, shown := range []**view.Shown{&d.a, &d.b} {
		if (*shown).Called() == r.Name {
			*shown = nil
		}
	}
}

// drop forgets a run, unless it is needed, and can be undone.
func (l *library) drop(name string) error {
	d := &l.s.display
	switch {
	case name == runs.Training:
		return errors.New("the training cannot be deleted; begin another, and it becomes one of the runs")
	case l.kept.Find(name) == nil:
		return fmt.Errorf("there is no run called %s", setting.Quote(name))
	case name == d.a.Called():
		return errors.New("this run is on show; show another first")
	case runs.IsShipped(name):
		return errors.New("the models that come with the lab stay")
	}
	l.kept.Drop(name)
	if d.b.Called() == name {
		d.b = nil
	}
	if h := l.s.trainer.halted; h != nil && h.inList && h.Name == name {
		l.s.trainer.halted = nil
	}
	l.s.changed()
	l.s.tell(&wire.Notice{Text: fmt.Sprintf("Deleted the run %q.", name), Action: "Undo", Press: "undo"}, func() error {
		l.kept.Undrop()
		return nil
	})
	return nil
}

// compare puts the run of a name beside A, a shipped one as soon as it is there; no
// name ends the comparison.
func (l *library) compare(name string) error {
	if l.ships(name) {
		l.s.beside = name
		l.s.changed()
		return nil
	}
	l.s.beside = ""
	return l.s.display.choose(name, true)
}

// ships says whether a name is of a shipped model that has not come yet.
func (l *library) ships(name string) bool {
	method, ok := runs.ShippedMethod(name)
	if ok {
		_, ok = l.s.lab.Nearest(opening{l.s}.askedOf(method))
	}
	return ok && l.kept.Find(name) == nil
}

// list describes all runs: those that come with the lab, whether they are here or
// not, then the visitor's, and the training last if there is one.
func (l *library) list() []wire.Run {
	var list []wire.Run
	add := func(r *runs.Run) {
		w := wire.Run{Name: r.Name, Detail: r.Model.Detail(), Fixed: runs.IsShipped(r.Name)}
		if r.Reached != "" {
			w.Detail += ", " + r.Reached
		}
		if r.Auto {
			w.Detail += ", " + r.Origin + "; kept by itself"
		}
		switch r.Name {
		case l.s.display.a.Called():
			w.Shown = "a"
		case l.s.display.b.Called():
			w.Shown = "b"
		}
		list = append(list, w)
	}
	for _, m := range l.s.lab.Methods() {
		name := runs.ShippedAs(m.Name)
		switch r := l.kept.Find(name); {
		case r != nil:
			add(r)
		case l.ships(name):
			list = append(list, wire.Run{Name: name, Detail: m.Title + "; loaded when chosen", Fixed: true})
		}
	}
	for i := range l.kept.All() {
		if r := &l.kept.All()[i]; !runs.IsShipped(r.Name) {
			add(r)
		}
	}
	if t := l.s.trainer.run(); t != nil {
		add(t)
	}
	return list
}

// open returns the model that a checkpoint holds, which must be of the lab's
// system and of particles that the page can show.
func (l *library) open(f *ckpt.File) (*experiment.Model, error) {
	m, err := l.s.lab.Systems().Open(f)
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
