// Package models manages the models of a session: the kept models, the shipped models, and the one
// or two displayed models, which package picture draws. It also requests the files of shipped models.
package models

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/shelf"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// Models contains the models of a session. It is not safe for concurrent use.
type Models struct {
	Shelf   *shelf.Shelf     // the models that there are, and those that the user wants
	Picture *picture.Picture // the displayed ones

	lab *lab.Lab
}

// New returns the Models of a lab. At first it contains no models.
func New(of *lab.Lab, now func() time.Time) *Models {
	return &Models{Shelf: shelf.New(of), Picture: picture.New(of, now), lab: of}
}

// KeepShown keeps model A under the name typed by the user.
func (m *Models) KeepShown() (effect.Effect, error) {
	a, name := m.Picture.A(), m.Shelf.Kept.Free(m.Shelf.KeepAs)
	var r runs.Run
	var err error
	switch kept := m.Shelf.Kept.Find(a.Called()); {
	case a == nil:
		return effect.Effect{}, m.Shelf.Missing()
	case kept != nil && kept.Auto:
		if err := m.rename(*kept, name); err != nil {
			return effect.Effect{}, err
		}
		m.Shelf.KeepAs = ""
		return effect.Changed(), nil
	case kept != nil:
		r = *kept
		err = r.Rename(name, false)
	default:
		r = runs.Run{Name: name, Origin: a.Origin, Model: a.Model.Clone()}
	}
	if err != nil {
		return effect.Effect{}, err
	}
	return m.Keep(r)
}

// Keep adds a run to the kept runs, and clears the name typed by the user.
func (m *Models) Keep(r runs.Run) (effect.Effect, error) {
	if err := m.Shelf.Kept.Keep(r); err != nil {
		return effect.Effect{}, err
	}
	m.Shelf.KeepAs = ""
	return effect.Changed(), nil
}

// rename gives an automatically kept run the name typed by the user.
func (m *Models) rename(r runs.Run, name string) error {
	was := r.Name
	if err := r.Rename(name, false); err != nil {
		return err
	}
	if err := m.Shelf.Kept.Keep(r); err != nil {
		return err
	}
	m.Shelf.Kept.Take(was)
	m.Picture.Rename(was, name)
	m.Shelf.Renamed(was, name)
	return nil
}

// KeepAuto keeps a run automatically and returns a notice for the user, with a button Undo.
func (m *Models) KeepAuto(r runs.Run) (*wire.Notice, error) {
	gone, err := m.Shelf.Kept.KeepAuto(r, m.Picture.A().Called(), m.Picture.B().Called())
	if err != nil {
		return nil, fmt.Errorf("what was trained so far cannot be kept: %w", err)
	}
	text := fmt.Sprintf("What was trained so far is kept among the runs as %q.", r.Name)
	if len(gone) > 0 {
		text += fmt.Sprintf(" The oldest run that you have not named, %q, was deleted: at most %d of these are kept.", gone[0], runs.MaxAuto)
	}
	return &wire.Notice{Text: text, Action: "Undo", Press: "undo"}, nil
}

// TakeUp removes an automatically kept run from the list and from the picture, because its
// training continues. Another run may then get its name.
func (m *Models) TakeUp(r *runs.Run) {
	if !r.Auto {
		return
	}
	m.Shelf.Kept.Take(r.Name)
	m.Picture.Remove(r.Name)
}

// Drop deletes a run of the user, unless it is displayed as A. If it is displayed as B, the
// comparison ends. The effect's Undo restores the run.
func (m *Models) Drop(name string) (effect.Effect, error) {
	switch {
	case name == runs.Training:
		return effect.Effect{}, errors.New("the training cannot be deleted; begin another, and it becomes one of the runs")
	case m.Shelf.Kept.Find(name) == nil:
		return effect.Effect{}, fmt.Errorf("there is no run called %s", setting.Quote(name))
	case name == m.Picture.A().Called():
		return effect.Effect{}, errors.New("this run is on show; show another first")
	case runs.IsShipped(name):
		return effect.Effect{}, errors.New("the models that come with the lab stay")
	}
	m.Shelf.Kept.Drop(name)
	if m.Picture.B().Called() == name {
		m.Picture.EndComparison()
		m.Shelf.Compare("")
	}
	n := &wire.Notice{Text: fmt.Sprintf("Deleted the run %q.", name), Action: "Undo", Press: "undo"}
	return effect.Changed().And(effect.News(n, func() error {
		m.Shelf.Kept.Undrop()
		return nil
	})), nil
}

// Clear removes all models from the picture, and replaces the kept runs.
func (m *Models) Clear(kept []runs.Run) {
	m.Shelf.Kept.Replace(kept)
	m.Unshow()
}

// List describes all runs: first the shipped runs, loaded or not, then the user's runs, then
// the training. A training that has been kept with its present weights is listed once, as the kept
// run.
func (m *Models) List(training shelf.Training) []wire.Run {
	var list []wire.Run
	trained := ""
	if r := m.snapshot(training); r != nil {
		trained = r.Name
	}
	for _, of := range m.lab.Shipped {
		name := m.Shelf.NameOf(of)
		if slices.ContainsFunc(list, func(r wire.Run) bool { return r.Name == name }) {
			continue
		}
		if r := m.Shelf.Kept.Find(name); r != nil {
			list = append(list, m.describe(r, trained))
			continue
		}
		method, _ := method.FindMethod(of.Method)
		detail := method.Title
		if of.Wide {
			detail += ", trained on more kinds of starts (preset wide)"
		}
		list = append(list, wire.Run{Name: name, Detail: detail + "; loaded when chosen", Fixed: true})
	}
	kept := m.Shelf.Kept.All()
	for i := range kept {
		if r := &kept[i]; !runs.IsShipped(r.Name) {
			list = append(list, m.describe(r, trained))
		}
	}
	if r := training.Run(); r != nil && trained == "" {
		list = append(list, m.describe(r, ""))
	}
	return list
}

// snapshot returns the kept run of the training with its present weights, or nil if there is none.
// Before the first step, the model from which the training begins has these weights too.
func (m *Models) snapshot(training shelf.Training) *runs.Run {
	r := training.Run()
	if r == nil {
		return nil
	}
	if kept := m.Shelf.Kept.Of(r.Model); kept != nil && kept.Origin == r.Origin {
		return kept
	}
	return nil
}

// describe describes a run for the page. `trained` is the name of the kept run that has the present
// weights of the training, or "".
func (m *Models) describe(r *runs.Run, trained string) wire.Run {
	w := wire.Run{Name: r.Name, Detail: r.Model.Detail(), Fixed: runs.IsShipped(r.Name) || r.Name == runs.Training}
	if r.Reached != "" {
		w.Detail += ", " + r.Reached
	}
	if r.Auto {
		w.Detail += ", " + r.Origin.String() + "; kept automatically"
	}
	if note := m.note(r); note != "" {
		w.Detail += ". " + note
	}
	shown := func(v *view.Shown) bool {
		return v != nil && (v.Name == r.Name || v.Training && r.Name == trained)
	}
	switch {
	case shown(m.Picture.A()):
		w.Shown = "a"
	case shown(m.Picture.B()):
		w.Shown = "b"
	}
	return w
}

// tablePreset is the preset of most of the paper's tables.
const tablePreset = "laptop"

// note says from which training of a table the model of a run comes. For a shipped model of no such
// training, it says so.
func (m *Models) note(r *runs.Run) string {
	if r.Name == runs.Training {
		return ""
	}
	return r.Note(func(r *runs.Run) string {
		c, p := &r.Model.Config, r.Model.Provenance()
		var said []string
		if p != nil {
			said = append(said, view.Trained(c, p))
		}
		switch smaller := m.lab.Systems().Smaller(c, tablePreset); {
		case p == nil && !runs.IsShipped(r.Name):
		case smaller:
			said = append(said, "Its training was smaller than those in the tables of the paper, preset "+tablePreset+".")
		case p == nil:
			said = append(said, "It is not in the paper’s tables.")
		}
		return strings.Join(said, " ")
	})
}

// About says from where the weights of model A come. It returns "" if there is no model A.
func (m *Models) About() string {
	a := m.Picture.A()
	if a == nil {
		return ""
	}
	if r := m.Shelf.Kept.Find(a.Name); r != nil && !a.Training && m.note(r) != "" {
		return a.Origin.String() + ". " + strings.TrimSuffix(m.note(r), ".")
	}
	return a.Origin.String()
}

// Swept reports whether model A was trained in the user's sweep.
func (m *Models) Swept() bool {
	return m.Picture.A() != nil && m.Picture.A().Origin.Kind == origin.Swept
}

// Unlinked lists the models that are lost when a link is opened: a displayed model that is not the
// shipped one for the settings, and all other models that are neither shipped nor trained again by the
// link. It lists automatically kept models only if other models
// are lost too, or if `others` is set. `others` means that other parts of the state are lost too.
func (m *Models) Unlinked(set *lab.Settings, training shelf.Training, repeats, others bool) (leaves []string) {
	if training.Run() != nil && (m.Picture.InTraining() || m.snapshot(training) == nil) && !repeats {
		leaves = append(leaves, "the model in training")
	}
	a := m.Picture.A()
	if a != nil && !a.Training && a.Name != m.Shelf.AskedName(set) && !repeats {
		leaves = append(leaves, "the model on show, "+strconv.Quote(a.Name))
	}
	if b := m.Picture.B(); b != nil {
		leaves = append(leaves, "the comparison with model 2, "+strconv.Quote(b.Called()))
	}
	kept, auto := 0, 0
	for _, r := range m.Shelf.Kept.All() {
		switch {
		case runs.IsShipped(r.Name) || r.Name == a.Called():
		case r.Auto:
			auto++
		default:
			kept++
		}
	}
	if kept > 0 {
		leaves = append(leaves, setting.Count(kept, "model", "models")+" that you kept or opened")
	}
	if auto > 0 && (others || len(leaves) > 0) {
		leaves = append(leaves, setting.Count(auto, "model that was kept automatically", "models that were kept automatically"))
	}
	return leaves
}
