// Package door reads the files that a user brings: everything that a lab has saved, a model, or trajectories. It changes
// nothing in a session. Its result is a Proposal, which the session adopts, after a question if something would be lost.
package door

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"path"
	"strings"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/export"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/lab/session/shelf"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Proposal is what a file would change in a session. It has a Visit, or a Model, or Data, or a Model and Data.
type Proposal struct {
	Name   string         // name of the file
	System *system.System // system described by the file; nil: the system of the session
	Visit  *saved.Session // everything that a lab has saved
	Model  *runs.Run      // a model
	File   *ckpt.File     // the checkpoint of Model, which may hold a training that can go on
	Doubts []string       // sentences that qualify the Model
	Data   *ownfile.File  // trajectories
	First  *ownfile.Read  // the displayed trajectory of Data; nil until it has been read
}

// Elsewhere is the error for a file of another lab.
type Elsewhere struct {
	System string // name of the model's system; "" for everything that a lab has saved
	Lab    string // link of the lab that has saved everything
}

func (e *Elsewhere) Error() string { return "it is of another lab" }

// Open reads a file. The error can be an *Elsewhere. In its text, "it" is the file.
func Open(of *lab.Lab, name string, b []byte) (*Proposal, error) {
	p := &Proposal{Name: name}
	switch lower := strings.ToLower(name); {
	case system.IsJoined(b):
	case strings.HasSuffix(lower, system.ObservablesFile) && of.Timed():
		return nil, errors.New("it is a table of observables; choose or drop it together with its text files, or their folder")
	case strings.HasSuffix(lower, ".json"):
		return nil, errors.New("a table of a sweep is for other programs; “Save everything” makes a file that brings the sweep back")
	case export.IsCurves(b):
		return nil, errors.New("a table of curves is for other programs; the lab opens the file of “Run as NPZ” or “Set as NPZ”, and of “Save everything”")
	case bundle.Is(b) || strings.HasSuffix(lower, bundle.Ending):
		all, err := bundle.Decode(b)
		switch {
		case err != nil:
			return nil, err
		case all.Session == nil:
			return p, p.trained(of, all)
		}
		return p, p.visit(of, all)
	case saved.Is(b): // a session that the page has saved
		files, err := saved.Split(b)
		if err != nil {
			return nil, err
		}
		return p, p.visit(of, files.Bundle())
	case strings.HasSuffix(lower, ".safetensors") || len(b) > 8 && b[8] == '{':
		return p, p.checkpoint(of, b)
	}
	p.Data = &ownfile.File{Name: name, Bytes: b}
	return p, nil
}

// Visit reads the files of a saved session of a lab.
func Visit(of *lab.Lab, files *saved.Files) (r *saved.Session, other *system.System, err error) {
	f, err := ckpt.Decode(bytes.NewReader(files.Session))
	if err == nil {
		other, err = otherSystem(of, f.Metadata)
	}
	if err == nil {
		with := withSystem(of, other)
		r, err = files.Open(with, shelf.New(with).Open)
	}
	if err != nil {
		return nil, nil, err
	}
	return r, other, nil
}

// withSystem returns a lab with another system, or the lab itself if `other` is nil.
func withSystem(of *lab.Lab, other *system.System) *lab.Lab {
	if other == nil {
		return of
	}
	with := of.With(other)
	return &with
}

// otherSystem returns the system that the metadata of a file describe. It returns nil if this is the lab's system, or if
// they describe none: the lab has one system, or the file was saved before there was one.
func otherSystem(of *lab.Lab, metadata map[string]string) (*system.System, error) {
	if of.Describe == nil || metadata[doc.Undescribed] != "" {
		return nil, nil
	}
	described, err := of.System.Described(metadata)
	if err != nil || maps.Equal(described.Description, of.System.Description) {
		return nil, err
	}
	return described, nil
}

// visit reads everything that a lab has saved. A training that was under way is paused until the user continues it.
func (p *Proposal) visit(of *lab.Lab, all *bundle.Bundle) (err error) {
	files := saved.OfBundle(all)
	if saver := files.Lab(); saver != "" && saver != of.Link() {
		return &Elsewhere{Lab: saver}
	}
	if p.Visit, p.System, err = Visit(of, files); err != nil {
		return err
	}
	r := p.Visit
	if err := p.advance(shelf.New(withSystem(of, p.System)).Open, all); err != nil {
		return err
	}
	if r.Trained.Status == wire.Training {
		r.Trained.Status = wire.Paused
	}
	if all.Data != nil {
		p.Data = &ownfile.File{Name: cmp.Or(all.DataName, r.File.Name), Bytes: all.Data, Observable: r.File.Observable, System: p.System}
	}
	return nil
}

// advance handles a bundle with a training by the command line. It selects the model in training as
// model A. If the training has ended, it selects the trained model. Other bundles stay unchanged.
func (p *Proposal) advance(open func(*ckpt.File) (*model.Model, error), all *bundle.Bundle) error {
	r := p.Visit
	if r.Training == nil || !bytes.Equal(all.Training, all.Model) {
		return nil
	}
	if fit.Holds(r.Training) {
		if r.A != runs.Training {
			r.A, r.Trained.Status = runs.Training, wire.Paused
		}
		return nil
	}
	m, err := open(r.Training)
	if err != nil {
		return err
	}
	kept := runs.List{}
	kept.Replace(r.Runs)
	trained := runs.Run{Name: kept.Free(withoutEnding(path.Base(p.Name))), Origin: origin.Origin{Kind: origin.OfCommandLine, Name: p.Name}, Model: m}
	r.Runs = append(r.Runs, trained)
	r.A, r.Training, r.Trained.Status = trained.Name, nil, wire.Idle
	return nil
}

// trained reads a bundle that the command line made from a single model.
func (p *Proposal) trained(of *lab.Lab, all *bundle.Bundle) error {
	file, err := all.Checkpoint(true)
	if err == nil {
		err = p.checkpoint(of, file)
	}
	if err == nil && all.Data != nil {
		p.Data = &ownfile.File{Name: all.DataName, Bytes: all.Data}
	}
	return err
}

// checkpoint reads a model, which may include its training.
func (p *Proposal) checkpoint(of *lab.Lab, b []byte) error {
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		return err
	}
	if spec, err := model.SpecOf(f); err == nil && spec.System != of.System.Traits.Name && len(method.MethodsFor(spec.System)) > 0 {
		return &Elsewhere{System: spec.System}
	}
	if p.System, err = otherSystem(of, f.Metadata); err != nil {
		return err
	}
	m, err := shelf.New(withSystem(of, p.System)).Open(f)
	if err != nil {
		return err
	}
	p.Model = &runs.Run{Name: withoutEnding(p.Name), Origin: origin.Origin{Kind: origin.Opened, Name: p.Name}, Model: m}
	for _, doubt := range []string{f.Unchecked, fit.Doubt(f, m)} {
		if doubt != "" {
			p.Doubts = append(p.Doubts, doubt)
		}
	}
	p.File = f
	return nil
}

// withoutEnding returns a file's name without its extension.
func withoutEnding(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}

// HasRuns reports whether a file is several in one, or a NumPy archive of trajectories of any shape. It only looks for the name of the
// array, so that the first program needs no reader of archives.
func HasRuns(f *ownfile.File) bool {
	return system.IsJoined(f.Bytes) || bytes.HasPrefix(f.Bytes, []byte("PK")) && bytes.Contains(f.Bytes, []byte(system.TrajectoriesArray+".npy"))
}

// Facts lists what a Visit brings. `data` describes the displayed trajectory.
func (p *Proposal) Facts(data []wire.Entry) (facts []wire.Entry) {
	add := func(term, text string) { facts = append(facts, wire.Entry{Term: term, Text: text}) }
	r := p.Visit
	add("File", setting.Quote(p.Name))
	if r.Run.Particles != nil {
		add("Particles", "those on show, which were drawn or edited")
	}
	if p.Data != nil {
		add("Data", p.Data.Name+": "+p.Data.Source.Shape().InWords())
		facts = append(facts, data...)
	}
	if p.Data == nil && r.File.Name != "" {
		add("Data", r.File.Name+", which is not in it: open it again")
	}
	switch {
	case r.A == runs.Training:
		add("On show", "the model in training")
	case r.A != "":
		add("On show", "the model "+setting.Quote(r.A))
	}
	if r.Training != nil && fit.Holds(r.Training) {
		add("Training", "one that can go on")
	}
	if r.Sweep != nil {
		add("Sweep", setting.Count(len(r.Points), "point", "points")+" so far")
	}
	var names []string
	for _, of := range r.Runs {
		names = append(names, setting.Quote(of.Name))
	}
	if len(names) > 0 {
		add("Models", strings.Join(names, ", "))
	}
	return facts
}
