package runs

import (
	"bytes"
	"fmt"
	"slices"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/setting"
)

const (
	maxRuns    = 12      // that are kept
	maxWeights = 8 << 20 // in all of them
	maxName    = 40      // letters

	// Shipped is the name of the model that comes with a lab, Training that of the
	// one in training, which no list holds.
	Shipped  = "shipped"
	Training = "in training"

	prefix = "session." // of what a checkpoint says of its run
)

// Run is a model that is kept under a name.
type Run struct {
	Name    string
	Origin  string // where its weights are from, in words
	Reached string // what it was measured to reach, "" if it was not
	Model   *experiment.Model

	encoded []byte // its file in a saved session, nil before the first
}

// table lists what a saved session holds of a run beside its model.
func (r *Run) table() setting.Table {
	return setting.Table{
		{Name: "name", Value: &r.Name}, {Name: "origin", Value: &r.Origin}, {Name: "reached", Value: &r.Reached, Absent: " "},
	}
}

// List is the models that a session keeps, in their order on the page. No two
// have one name. The zero List is empty and can be used.
type List struct{ runs []Run }

// All returns the runs, which belong to the list.
func (l *List) All() []Run { return l.runs }

func (l *List) index(name string) int {
	return slices.IndexFunc(l.runs, func(r Run) bool { return r.Name == name })
}

// Find returns the run of a name, nil if there is none. It holds until the list
// changes.
func (l *List) Find(name string) *Run {
	if i := l.index(name); i >= 0 {
		return &l.runs[i]
	}
	return nil
}

// Free returns a name like this one that no run has yet.
func (l *List) Free(name string) string {
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName])
	}
	free := name
	for i := 2; l.index(free) >= 0 || free == Training || free == ""; i++ {
		if free = fmt.Sprintf("%s %d", name, i); name == "" {
			free = fmt.Sprintf("run %d", i-1)
		}
	}
	return free
}

// Keep adds a run, in the place of one of the same name.
func (l *List) Keep(r Run) error {
	i := l.index(r.Name)
	if i < 0 && len(l.runs) >= maxRuns {
		return fmt.Errorf("there are %d runs and room for no more; delete one first", len(l.runs))
	}
	weights := r.Model.Weights()
	for k := range l.runs {
		if k != i {
			weights += l.runs[k].Model.Weights()
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

// Ship puts the model that comes with the lab first, in the place of the one
// that was shipped before.
func (l *List) Ship(r Run) {
	r.Name = Shipped
	l.Drop(Shipped)
	l.runs = slices.Insert(l.runs, 0, r)
}

// Drop forgets the run of a name, and says whether there was one.
func (l *List) Drop(name string) bool {
	i := l.index(name)
	if i >= 0 {
		l.runs = slices.Delete(l.runs, i, i+1)
	}
	return i >= 0
}

// Replace takes runs in the place of all but the shipped one.
func (l *List) Replace(runs []Run) {
	l.runs = append(slices.DeleteFunc(l.runs, func(r Run) bool { return r.Name != Shipped }), runs...)
}

// Save hands over the files of all but the shipped run.
func (l *List) Save(add func(file []byte)) {
	for i := range l.runs {
		r := &l.runs[i]
		if r.Name == Shipped {
			continue
		}
		if r.encoded == nil {
			f := r.Model.Checkpoint()
			r.table().Write(f.Metadata, prefix)
			var b bytes.Buffer
			if ckpt.Encode(&b, f) == nil {
				r.encoded = b.Bytes()
			}
		}
		add(r.encoded)
	}
}

// Read reads a run that Save wrote and adds it to those that were read before;
// open opens its model.
func Read(before []Run, f *ckpt.File, open func(*ckpt.File) (*experiment.Model, error)) ([]Run, error) {
	var r Run
	if err := r.table().Read(f.Metadata, prefix); err != nil {
		return before, err
	}
	var err error
	if r.Model, err = open(f); err != nil {
		return before, err
	}
	// The shipped one will be among them too.
	taken := slices.ContainsFunc(before, func(other Run) bool { return other.Name == r.Name })
	if taken || r.Name == "" || r.Name == Shipped || r.Name == Training || len(before) >= maxRuns-1 {
		return before, fmt.Errorf("its run %s cannot be used", setting.Quote(r.Name))
	}
	return append(before, r), nil
}
