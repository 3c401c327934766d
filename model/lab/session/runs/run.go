package runs

import (
	"bytes"
	"errors"
	"fmt"
	"macroscope/model/learn/curve"
	"math"
	"slices"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/origin"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// prefix is the beginning of a run's metadata keys in a checkpoint. The model's own keys begin
// differently.
const prefix = "session."

// Recipe contains the settings with which a training began. If they change, a new training is
// needed. The zero Recipe means that the model was not trained here.
type Recipe struct {
	Method, Scope, Size, Form, From string
	Drift                           string // "" for an MLP
	Params                          string // "" for none
	Force                           string // the user's own force; "" means the system's
	Eps                             float64
	ZDim                            int
	Seed                            uint64
}

// Table lists the recipe in the format of saved sessions.
func (r *Recipe) Table() setting.Table {
	return setting.Table{
		{Name: "trains.method", Value: &r.Method, Absent: " "}, {Name: "trains.scope", Value: &r.Scope, Absent: " "},
		{Name: "trains.size", Value: &r.Size, Absent: " "}, {Name: "trains.form", Value: &r.Form, Absent: " "},
		{Name: "trains.drift", Value: &r.Drift, Absent: " "},
		{Name: "trains.params", Value: &r.Params, Absent: " "}, {Name: "trains.force", Value: &r.Force, Absent: " "},
		{Name: "trains.from", Value: &r.From, Absent: " "}, {Name: "trains.eps", Value: &r.Eps, Absent: "0"},
		{Name: "trains.zdim", Value: &r.ZDim, Absent: "0"}, {Name: "trains.seed", Value: &r.Seed, Absent: "0"},
	}
}

// Run is a model that is kept under a name.
type Run struct {
	Name    string
	Origin  origin.Origin
	Reached string // measured result; "" if there is none
	Auto    bool   // whether the run was kept automatically, and not renamed by the user
	Model   *model.Model

	Recipe Recipe
	Coded  bool   // whether the dynamics were trained on codes
	Link   string // a link to the run has this value of the setting Model; "": there can be no link

	resumes bool    // whether the run's file contains a training that has not ended
	encoded []byte  // the run's file; nil if it can be written from the model alone
	key     string  // key of the run's file; "" until it is needed
	note    *string // see Note; nil until it is needed
}

// Note returns a note on the training of the run's model. `about` makes the note, once.
func (r *Run) Note(about func(*Run) string) string {
	if r.note == nil {
		note := about(r)
		r.note = &note
	}
	return *r.note
}

// table lists the values that a saved session stores for a run, in addition to its model.
func (r *Run) table() setting.Table {
	return append(setting.Table{
		{Name: "name", Value: &r.Name}, {Name: "origin", Value: &r.Origin}, {Name: "reached", Value: &r.Reached, Absent: " "},
		{Name: "auto", Value: &r.Auto, Absent: "off", Switch: true}, {Name: "coded", Value: &r.Coded, Absent: "off", Switch: true},
		{Name: "link", Value: &r.Link, Absent: " "},
	}, r.Recipe.Table()...)
}

// Take stores a training's checkpoint f and its curves as the run's file. It first writes the
// run's values to f. curves may be nil.
func (r *Run) Take(f *ckpt.File, curves *curve.Curves) error {
	r.resumes = fit.Holds(f)
	for _, field := range r.table() {
		delete(f.Metadata, prefix+field.Name) // Write omits empty fields, so an old value must be deleted
	}
	r.table().Write(f.Metadata, prefix)
	if curves != nil {
		WriteCurves(f, curves)
	}
	var b bytes.Buffer
	err := ckpt.Encode(&b, f)
	r.encoded, r.key = b.Bytes(), ""
	return err
}

// Resumes reports whether the run's training can be continued.
func (r *Run) Resumes() bool { return r.resumes }

// Training returns the checkpoint from which the training can continue, and the curves so far.
func (r *Run) Training() (*ckpt.File, *curve.Curves, error) {
	if !r.resumes {
		return nil, nil, fmt.Errorf("the run %s has weights alone", setting.Quote(r.Name))
	}
	f, err := ckpt.Decode(bytes.NewReader(r.encoded))
	if err != nil {
		return nil, nil, err
	}
	curves := new(curve.Curves)
	return f, curves, ReadCurves(f, curves)
}

// Rename gives the run another name. auto is true if the user did not choose the name.
func (r *Run) Rename(name string, auto bool) error {
	if r.Name == name && r.Auto == auto {
		return nil
	}
	if r.Name, r.Auto, r.note = name, auto, nil; r.encoded == nil {
		return nil
	}
	f, err := ckpt.Decode(bytes.NewReader(r.encoded))
	if err != nil {
		return err
	}
	return r.Take(f, nil)
}

// file returns the run's file, and its key.
func (r *Run) file() (key string, file []byte) {
	if r.encoded == nil {
		if r.Take(r.Model.Checkpoint(), nil) != nil {
			r.encoded = nil
		}
	}
	if r.key == "" {
		r.key = wire.Key(r.encoded, nil)
	}
	return r.key, r.encoded
}

// size returns the number of 32-bit values that the run keeps in memory.
func (r *Run) size() int { return max(r.Model.Weights.Len(), len(r.encoded)/4) }

// same reports whether a model has the run's weights.
func (r *Run) same(m *model.Model) bool {
	return slices.Equal(r.Model.Weights.Params, m.Weights.Params) && slices.Equal(r.Model.Weights.DynamicsParams, m.Weights.DynamicsParams)
}

// Read reads a run that List.Save has written, and appends it to `before`. open opens the run's
// model.
func Read(before []Run, f *ckpt.File, open func(*ckpt.File) (*model.Model, error)) ([]Run, error) {
	var r Run
	if err := r.table().Read(f.Metadata, prefix); err != nil {
		return before, err
	}
	var err error
	if r.Model, err = open(f); err != nil {
		return before, err
	}
	// The shipped model will be added later, so its name must stay free.
	taken := slices.ContainsFunc(before, func(other Run) bool { return other.Name == r.Name })
	if taken || r.Name == "" || IsShipped(r.Name) || r.Name == Training || len(before) >= maxRead {
		return before, fmt.Errorf("its run %s cannot be used", setting.Quote(r.Name))
	}
	if err := r.Take(f, nil); err != nil {
		return before, err
	}
	return append(before, r), nil
}

// WriteCurves writes a training's curves to a checkpoint.
func WriteCurves(f *ckpt.File, curves *curve.Curves) {
	for name, c := range curves.Named() {
		if len(c.Step) == 0 {
			continue
		}
		every := max(1, c.Every)
		f.Metadata[prefix+name+".every"] = fmt.Sprint(every)
		f.Tensors = append(f.Tensors,
			ckpt.Tensor{Name: prefix + name + ".step", Shape: []int{len(c.Step)}, F32: slices.Clone(c.Step)},
			ckpt.Tensor{Name: prefix + name + ".value", Shape: []int{len(c.Value)}, F32: slices.Clone(c.Value)})
	}
}

// ReadCurves reads the curves from a checkpoint.
func ReadCurves(f *ckpt.File, curves *curve.Curves) error {
	for name, c := range curves.Named() {
		step, value := f.Tensor(prefix+name+".step"), f.Tensor(prefix+name+".value")
		if step == nil {
			continue
		}
		every := 1
		table := setting.Table{{Name: "every", Value: &every, Low: 1, High: math.MaxInt32}}
		if table.Read(f.Metadata, prefix+name+".") != nil || value == nil || len(step.F32) != len(value.F32) || len(step.F32) >= curve.MaxPoints {
			return errors.New("its curves cannot be drawn")
		}
		c.Restore(step.F32, value.F32, every)
	}
	return nil
}
