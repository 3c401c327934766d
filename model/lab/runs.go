package lab

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"macroscope/model/ckpt"
	"macroscope/model/wire"
)

const (
	maxRuns     = 12      // that are kept
	maxWeights  = 8 << 20 // in all of them
	maxRunName  = 40      // letters
	shippedRun  = "shipped"
	trainingRun = "in training"
)

// keepable is a model that a session can keep.
type keepable interface {
	detail() string // what it is, in words
	weights() int
	Checkpoint() *ckpt.File
}

// run is a model that is kept under a name.
type run[M keepable] struct {
	name    string
	origin  string // where its weights are from, in words
	reached string // what it was measured to reach, "" if it was not
	model   M

	encoded []byte // its file in a saved session, nil before the first
}

// fields are what a saved session holds of a run beside its model.
func (r *run[M]) fields() []field { return []field{{"name", &r.name}, {"origin", &r.origin}} }

// laterFields are those that older sessions have not.
func (r *run[M]) laterFields() []field { return []field{{"reached", &r.reached}} }

// encode makes the run's file.
func (r *run[M]) encode() {
	f := r.model.Checkpoint()
	writeFields(f.Metadata, sessionPrefix, append(r.fields(), r.laterFields()...))
	var b bytes.Buffer
	if ckpt.Encode(&b, f) == nil {
		r.encoded = b.Bytes()
	}
}

// runs are the models that a session keeps. No two have one name.
type runs[M keepable] []run[M]

// find returns the place of the run of a name, or -1.
func (l runs[M]) find(name string) int {
	return slices.IndexFunc(l, func(r run[M]) bool { return r.name == name })
}

// free returns a name like this one that no run has yet.
func (l runs[M]) free(name string) string {
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
func (l *runs[M]) keep(r run[M]) error {
	i := l.find(r.name)
	if i < 0 && len(*l) >= maxRuns {
		return fmt.Errorf("there are %d runs and room for no more; delete one first", len(*l))
	}
	weights := r.model.weights()
	for k := range *l {
		if k != i {
			weights += (*l)[k].model.weights()
		}
	}
	if weights > maxWeights {
		return fmt.Errorf("the runs have %d million weights together and there is room for no more; delete one first", weights>>20)
	}
	if i < 0 {
		*l = append(*l, r)
	} else {
		(*l)[i] = r
	}
	return nil
}

// drop forgets a run, unless it is the one on show.
func (l *runs[M]) drop(name, shown string) error {
	i := l.find(name)
	switch {
	case name == trainingRun:
		return errors.New("the training cannot be deleted; begin another, which takes its place")
	case i < 0:
		return fmt.Errorf("there is no run called %s", quote(name))
	case name == shown:
		return errors.New("this run is on show; show another first")
	}
	*l = slices.Delete(*l, i, i+1)
	return nil
}

// list describes all runs, the training last if there is one; a and b are the
// names of those on show.
func (l runs[M]) list(training *run[M], a, b string) []wire.Run {
	var list []wire.Run
	add := func(r *run[M]) {
		shown := wire.Run{Name: r.name, Detail: r.model.detail()}
		if r.reached != "" {
			shown.Detail += ", " + r.reached
		}
		switch r.name {
		case a:
			shown.Shown = "a"
		case b:
			shown.Shown = "b"
		}
		list = append(list, shown)
	}
	for i := range l {
		add(&l[i])
	}
	if training != nil {
		add(training)
	}
	return list
}

// save adds all but the shipped run to a saved session.
func (l runs[M]) save(to *savedParts) {
	for i := range l {
		r := &l[i]
		if r.name == shippedRun {
			continue
		}
		if r.encoded == nil {
			r.encode()
		}
		to.addFile(savedRun, r.encoded)
	}
}

// read adds a run of a saved session, whose model open finds in its file.
func (l *runs[M]) read(f *ckpt.File, open func(*ckpt.File) (M, error)) error {
	var r run[M]
	if err := readFields(f.Metadata, sessionPrefix, r.fields()); err != nil {
		return err
	}
	if err := readLaterFields(f.Metadata, sessionPrefix, r.laterFields()); err != nil {
		return err
	}
	var err error
	if r.model, err = open(f); err != nil {
		return err
	}
	// The shipped one will be among them too.
	if l.find(r.name) >= 0 || r.name == "" || r.name == shippedRun || r.name == trainingRun || len(*l) >= maxRuns-1 {
		return fmt.Errorf("its run %s cannot be used", quote(r.name))
	}
	*l = append(*l, r)
	return nil
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
