// Package shelf says which models a visitor wants to see, which of them are there, and which files must be fetched.
// What is displayed follows from the names of the wanted models, the settings and the models that there are, so the order
// in which files arrive does not matter.
package shelf

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
)

// Now is what, with the shelf, decides which models are wanted. Package shelf does not change it.
type Now struct {
	Set      *lab.Settings
	Training Training
}

// Training is the model in training.
type Training interface {
	// Run returns the training as a run, or nil if there is none.
	Run() *runs.Run
	// Origin returns the origin of the training's weights.
	Origin() origin.Origin
	// Usable reports whether the dynamics of the training can predict.
	Usable() bool
}

// Shelf holds the models of a session. It is not safe for concurrent use.
type Shelf struct {
	Kept   runs.List
	KeepAs string // name for the next model that the user will keep

	lab    *lab.Lab
	a, b   string            // names of the wanted models A and B. a is "" for the shipped model for the settings, b is "" for none
	files  map[string]string // key: name of a shipped model's run; value: name of the last file that arrived for this model
	failed map[string]bool   // files that could not be fetched
}

// New returns the shelf of a lab. At first it is empty.
func New(of *lab.Lab) *Shelf {
	return &Shelf{lab: of, files: make(map[string]string), failed: make(map[string]bool)}
}

// Want makes the runs with the names `a` and `b` the wanted models. Each name may be "": the shipped model for the settings,
// and no model B.
func (s *Shelf) Want(now Now, a, b string) {
	if s.a, s.b = a, b; a == s.AskedName(now.Set) {
		s.a = ""
	}
}

// Follow makes the shipped model for the settings the wanted model A, and allows another attempt to fetch it.
func (s *Shelf) Follow(now Now) {
	of, _ := s.Asked(now.Set)
	delete(s.failed, of.File)
	s.a = ""
}

// Forget makes the shipped model for the settings the wanted one.
func (s *Shelf) Forget() { s.a, s.b = "", "" }

// Pin makes the run with this name the wanted model A, whatever the settings become, if A follows the settings.
func (s *Shelf) Pin(name string) {
	if s.a == "" {
		s.a = name
	}
}

// Compare makes the run with this name the wanted model B, or none for "".
func (s *Shelf) Compare(name string) { s.b = name }

// B returns the name of the wanted model B, or "" for none.
func (s *Shelf) B() string { return s.b }

// Renamed is called when a run has got another name.
func (s *Shelf) Renamed(was, name string) {
	for _, wanted := range []*string{&s.a, &s.b} {
		if *wanted == was {
			*wanted = name
		}
	}
}

// Again allows another attempt to fetch a shipped model. It returns an error if there is no run with this name.
func (s *Shelf) Again(now Now, name string) error {
	if of, ok := s.Ships(name); ok {
		delete(s.failed, of.File)
		return nil
	}
	_, err := s.Find(now, name)
	return err
}

// Open returns the model of a checkpoint. The model must belong to the lab's system, and the
// page must be able to display its particles.
func (s *Shelf) Open(f *ckpt.File) (*model.Model, error) {
	of, err := model.Open(s.lab.Systems(), f)
	if err != nil {
		return nil, err
	}
	if name := of.System.Traits.Name; name != s.lab.System.Traits.Name {
		return nil, fmt.Errorf("the checkpoint is of the system %s; open it in that lab", setting.Quote(name))
	}
	if d := of.Config.Dim(); d != s.lab.System.Traits.Dim {
		return nil, fmt.Errorf("it is of particles with %d coordinates, and the page shows those with %d", d, s.lab.System.Traits.Dim)
	}
	return of, nil
}

// Find returns the run with this name, which may be the training.
func (s *Shelf) Find(now Now, name string) (*runs.Run, error) {
	if r := s.Look(now, name); r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("there is no run called %q", name)
}

// Look returns the run with this name, which may be the training, or nil if there is none.
func (s *Shelf) Look(now Now, name string) *runs.Run {
	if name == runs.Training {
		return now.Training.Run()
	}
	return s.Kept.Find(name)
}

// Asked returns the shipped model for the settings, if there is one.
func (s *Shelf) Asked(set *lab.Settings) (lab.Model, bool) { return s.lab.Find(set.Asked()) }

// AskedName returns the name of the shipped model for the settings.
func (s *Shelf) AskedName(set *lab.Settings) string {
	of, _ := s.Asked(set)
	return s.NameOf(of)
}

// WiderName returns the name of the shipped model of preset wide, or "" if there is none.
func (s *Shelf) WiderName() string {
	of, ok := s.lab.Wider()
	if !ok {
		return ""
	}
	return s.NameOf(of)
}

// NameOf returns the name of a shipped model's run.
func (s *Shelf) NameOf(of lab.Model) string { return runs.ShippedAs(s.lab, of) }

// Ships looks up a shipped model by the name of its run. ok is false if the model has already
// arrived, or if no shipped model has this name.
func (s *Shelf) Ships(name string) (of lab.Model, ok bool) {
	if s.Kept.Find(name) != nil {
		return of, false
	}
	return runs.ShippedBy(s.lab, name)
}

// follows reports whether A is the shipped model for the settings: if the user wants it, or if the model
// that the user wants no longer exists.
func (s *Shelf) follows(now Now) bool {
	_, ships := s.Ships(s.a)
	return s.a == "" || !ships && s.Look(now, s.a) == nil
}

// A returns the run that the user wants as A, if it is there. Otherwise r is nil. If its file must be fetched,
// ok is true, and `of` is the shipped model.
func (s *Shelf) A(now Now) (r *runs.Run, of lab.Model, ok bool) {
	if !s.follows(now) {
		of, ok = s.Ships(s.a)
		return s.Look(now, s.a), of, ok
	}
	of, ok = s.Asked(now.Set)
	if name := s.NameOf(of); ok && s.files[name] == of.File {
		return s.Kept.Find(name), of, false
	}
	return nil, of, ok
}

// Coming reports whether the shipped model for the settings is on its way.
func (s *Shelf) Coming(now Now) bool {
	_, of, ok := s.A(now)
	return ok && s.follows(now) && !s.failed[of.File]
}

// Retry allows files to be fetched again that could not be fetched.
func (s *Shelf) Retry() { clear(s.failed) }

// OnShow returns an error if model A, which may be nil, is the shipped model for the settings.
func (s *Shelf) OnShow(now Now, a *view.Shown) error {
	of, ok := s.Asked(now.Set)
	if !ok || a == nil || s.Coming(now) || a.Name != s.NameOf(of) || s.files[a.Name] != of.File {
		return nil
	}
	return errors.New("the shipped model is displayed already")
}

// Fitter reports whether the shipped model for the settings fits the settings better than model A.
// If both have the same name, the shipped model is better if it is from another file. Otherwise it
// is better in three cases: A has another method, A has other parameters, or only the shipped model
// serves ε and the number of closure variables.
func (s *Shelf) Fitter(set *lab.Settings, a *view.Shown) bool {
	of, ok := s.Asked(set)
	name := s.NameOf(of)
	switch c := &a.Model.Config; {
	case !ok:
		return false
	case a.Name == name:
		return s.files[name] != of.File
	case c.Spec.Method != set.Method && a.Method() != set.Method || c.Dynamics.Params.Names() != of.Params:
		return true
	case !serves(c, set):
		if r := s.Kept.Find(name); r != nil {
			return serves(&r.Model.Config, set)
		}
		return of.Method == method.Tunable || of.Eps == set.Eps && of.ZDim == set.ZDim // the model is not fetched yet, so its entry in the list of shipped models decides
	}
	return false
}

// Coded returns the shipped model that encoded the lab's codes. It returns nil if this model is
// not loaded, or if another model of its method has arrived later.
func (s *Shelf) Coded() *model.Model {
	of, ok := s.lab.Coded()
	name := s.NameOf(of)
	if r := s.Kept.Find(name); ok && r != nil && s.files[name] == of.File {
		return r.Model
	}
	return nil
}

// Wants lists the shipped models to fetch, the most urgent first: the wanted model A, the model that made the codes
// (if coded is set), the wanted model B, and the model with the name `also`, which may be "".
func (s *Shelf) Wants(now Now, also string, coded bool) iter.Seq[lab.Model] {
	return func(yield func(lab.Model) bool) {
		want := func(of lab.Model, ok bool) (more bool) { return !ok || s.failed[of.File] || yield(of) }
		_, a, ok := s.A(now)
		made, codes := s.lab.Coded()
		_ = want(a, ok) && want(made, coded && codes && s.Coded() == nil) && want(s.Ships(s.b)) && want(s.Ships(also))
	}
}

// Decode returns the model in a shipped file.
func (s *Shelf) Decode(of lab.Model, b []byte) (*model.Model, error) {
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	model, err := s.Open(f)
	if err == nil && model.Config.Spec.Method != of.Method {
		err = fmt.Errorf("its method is not %s", of.Method)
	}
	return model, err
}

// Arrived keeps a shipped model whose file has arrived.
func (s *Shelf) Arrived(of lab.Model, m *model.Model) {
	name := s.NameOf(of)
	s.Kept.Ship(runs.Run{Name: name, Origin: origin.Origin{Kind: origin.Shipped}, Model: m})
	s.files[name] = of.File
}

// Missed reports whether the file of a shipped model could not be fetched.
func (s *Shelf) Missed(of lab.Model) bool { return s.failed[of.File] }

// Missing returns an error that says why no model is displayed.
func (s *Shelf) Missing() error {
	switch {
	case len(s.lab.Shipped) == 0:
		return errors.New("there is no model yet; train one, or open one")
	case len(s.failed) > 0:
		return errors.New("there is no model; open one, or reload the page")
	}
	return errors.New("the model is still on its way")
}

// Lacks reports whether a shipped model could not be fetched.
func (s *Shelf) Lacks() bool { return len(s.failed) > 0 }

// Miss is called when a shipped model could not be fetched. It is not fetched again until the user asks for it.
// ofSettings reports whether A will be this model.
func (s *Shelf) Miss(now Now, of lab.Model) (ofSettings bool) {
	ofSettings = s.Coming(now)
	asked, _ := s.Asked(now.Set)
	s.failed[of.File] = true
	return ofSettings && of == asked
}

// Wanted returns the names of the models that the user wants as A and B. The name of B is "" for none.
func (s *Shelf) Wanted(now Now) (a, b string) {
	if a = s.a; s.follows(now) {
		a = s.AskedName(now.Set)
	}
	if _, ships := s.Ships(s.b); ships || s.Look(now, s.b) != nil {
		b = s.b
	}
	return a, b
}

// The function `serves` reports whether a model can be displayed at the settings' ε and number of
// closure variables.
func serves(c *method.Config, set *lab.Settings) bool {
	eps, zdim := c.Tuning().Nearest(set.Eps, set.ZDim)
	return eps == set.Eps && zdim == set.ZDim
}
