package runs

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
)

const (
	maxRuns    = 11      // largest number of runs that the user has named
	maxWeights = 8 << 20 // largest total size of the named runs in 32-bit values, including the state of their trainings
	maxName    = 60      // largest number of letters in a name
	maxRead    = 64      // largest number of runs in a saved session

	// MaxAuto is the largest number of automatically kept runs, and maxAutoWeights their
	// largest total size in 32-bit values.
	MaxAuto        = lab.MaxAuto
	maxAutoWeights = 4 << 20

	// Shipped is the name of the lab's shipped model. Training is the name of the model in
	// training, which is in no list.
	Shipped  = "shipped"
	Training = "in training"
)

// ShippedAs returns the name of a shipped model in a lab, made from the method. The lab's first model
// is called Shipped.
func ShippedAs(l *lab.Lab, of lab.Model) string {
	switch {
	case of.Wide:
		return Shipped + " " + of.Method + wide
	case len(l.Shipped) == 0 || of.Method == l.Shipped[0].Method:
		return Shipped
	}
	return Shipped + " " + of.Method
}

// wide ends the name of a model of preset wide.
const wide = ", wide"

// ShippedBy returns the shipped model with this name in a lab. If there are several, it prefers a
// model with empty Params: no parameters are inputs of its dynamics. ok is false if there is no
// such model.
func ShippedBy(l *lab.Lab, name string) (of lab.Model, ok bool) {
	for _, m := range l.Shipped {
		if ShippedAs(l, m) == name && (!ok || of.Params != "" && m.Params == "") {
			of, ok = m, true
		}
	}
	return of, ok
}

// IsShipped reports whether a name belongs to a shipped model.
func IsShipped(name string) bool {
	of, ok := strings.CutPrefix(name, Shipped+" ")
	if ok {
		_, err := method.FindMethod(strings.TrimSuffix(of, wide))
		return err == nil
	}
	return name == Shipped
}

// List contains the kept models of a session, in the order of the page. Each has a unique name.
// The zero List is empty.
type List struct {
	runs    []Run
	dropped *Run // the last dropped run
	place   int  // index of the dropped run in the list before it was dropped
}

// All returns the runs. Callers must not change the slice.
func (l *List) All() []Run { return l.runs }

func (l *List) index(name string) int {
	return slices.IndexFunc(l.runs, func(r Run) bool { return r.Name == name })
}

// Find returns the run with this name, or nil if there is none. The result is valid until the
// list changes.
func (l *List) Find(name string) *Run {
	if i := l.index(name); i >= 0 {
		return &l.runs[i]
	}
	return nil
}

// Trained returns the run that was last trained by a recipe, or nil. If coded is set, it considers
// only runs that were trained on codes. Otherwise `recorded` selects between runs that were trained
// on the user's recordings and runs that were trained on simulated data. The result is valid until
// the list changes.
func (l *List) Trained(by Recipe, coded, recorded bool) *Run {
	for i := len(l.runs) - 1; i >= 0; i-- {
		if r := &l.runs[i]; r.Recipe == by && r.Recipe != (Recipe{}) && r.Coded == coded && (coded || r.Model.Config.Data.Recorded == recorded) {
			return r
		}
	}
	return nil
}

// Of returns the run with the weights of a model, or nil if there is none. The result is valid
// until the list changes.
func (l *List) Of(m *model.Model) *Run {
	if i := slices.IndexFunc(l.runs, func(r Run) bool { return r.same(m) }); i >= 0 {
		return &l.runs[i]
	}
	return nil
}

// Free returns a name that no run has. It is derived from the given name.
func (l *List) Free(name string) string {
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName])
	}
	free := name
	for i := 2; l.index(free) >= 0 || free == Training || IsShipped(free) || free == ""; i++ {
		if free = fmt.Sprintf("%s (%d)", name, i); name == "" {
			free = fmt.Sprintf("run %d", i-1)
		}
	}
	return free
}

// Keep adds a run that the user has named. If there is a run with the same name, it is
// replaced.
func (l *List) Keep(r Run) error {
	i := l.index(r.Name)
	named, weights := 0, r.size()
	for k := range l.runs {
		if k != i && !l.runs[k].Auto && !IsShipped(l.runs[k].Name) {
			named++
			weights += l.runs[k].size()
		}
	}
	switch {
	case named >= maxRuns:
		return fmt.Errorf("there are %d runs with names and room for no more; delete one first", named)
	case weights > maxWeights:
		return fmt.Errorf("the runs have %d million weights together and there is room for no more; delete one first", weights>>20)
	case i < 0:
		l.runs = append(l.runs, r)
	default:
		l.runs[i] = r
	}
	return nil
}

// KeepAuto adds an automatically kept run, with a new name if necessary. If there are then too
// many automatically kept runs, it removes the oldest, except runs that are named in `spare`. It
// returns the names of the removed runs.
func (l *List) KeepAuto(r Run, spare ...string) (gone []string, err error) {
	if err := r.Rename(r.Name, true); err != nil {
		return nil, err
	}
	count, weights := 1, r.size()
	for i := len(l.runs) - 1; i >= 0; i-- {
		old := &l.runs[i]
		if !old.Auto {
			continue
		}
		count++
		weights += old.size()
		if (count > MaxAuto || weights > maxAutoWeights) && !slices.Contains(spare, old.Name) {
			gone = append(gone, old.Name)
			count--
			weights -= old.size()
			l.runs = slices.Delete(l.runs, i, i+1)
		}
	}
	l.runs = append(l.runs, r)
	return gone, nil
}

// Ship puts a shipped model first in the list, in place of an earlier model with the same name.
func (l *List) Ship(r Run) {
	l.Take(r.Name)
	l.runs = slices.Insert(l.runs, 0, r)
}

// Take removes the run with this name, if there is one.
func (l *List) Take(name string) {
	l.runs = slices.DeleteFunc(l.runs, func(r Run) bool { return r.Name == name })
}

// Drop removes a run, which Undrop can restore.
func (l *List) Drop(name string) {
	if i := l.index(name); i >= 0 {
		r := l.runs[i]
		l.dropped, l.place = &r, i
		l.Take(name)
	}
}

// Undrop restores the run that was dropped last and returns it. If its name is taken, the run
// gets another name. Undrop returns nil if no run was dropped.
func (l *List) Undrop() *Run {
	if l.dropped == nil {
		return nil
	}
	r := *l.dropped
	l.dropped = nil
	if r.Rename(l.Free(r.Name), r.Auto) != nil {
		return nil
	}
	at := min(l.place, len(l.runs))
	l.runs = slices.Insert(l.runs, at, r)
	return &l.runs[at]
}

// Replace replaces all runs except the shipped ones.
func (l *List) Replace(runs []Run) {
	l.runs = append(slices.DeleteFunc(l.runs, func(r Run) bool { return !IsShipped(r.Name) }), runs...)
	l.dropped = nil
}

// The method With combines the list's runs and the runs in `more`. The result `all` contains first
// the list's runs, without the shipped runs, and then the runs in `more`. A run in `more` is left
// out if the list has a run with the same name and the same weights. If the list has another run
// with this name, the run in `more` gets a new name. The map `names` leads from old to new names.
// The error says that there is not enough space.
func (l *List) With(more []Run) (all []Run, names map[string]string, err error) {
	with := List{runs: slices.Clone(l.runs)}
	names = make(map[string]string)
	for _, r := range more {
		was := r.Name
		if same := l.Find(was); same != nil && same.same(r.Model) {
			continue
		}
		if err := r.Rename(with.Free(was), r.Auto); err != nil {
			return nil, nil, err
		}
		if r.Name != was {
			names[was] = r.Name
		}
		var gone []string
		if r.Auto {
			gone, err = with.KeepAuto(r)
		} else {
			err = with.Keep(r)
		}
		if err == nil && len(gone) > 0 {
			err = fmt.Errorf("there is room for %d runs that have no name of yours, and there would be more; delete some first", MaxAuto)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	with.runs = slices.DeleteFunc(with.runs, func(r Run) bool { return IsShipped(r.Name) })
	return with.runs, names, nil
}

// Save calls add with the file of every run except the shipped ones, and with the file's key
// (see wire.Key).
func (l *List) Save(add func(key string, file []byte)) {
	for i := range l.runs {
		if r := &l.runs[i]; !IsShipped(r.Name) {
			add(r.file())
		}
	}
}
