package sweep

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/learn/method"
)

// Swept is a field of the configuration, with the values that it takes.
type Swept struct {
	Field  string
	Values []string
}

// ParseSwept reads NAME=VALUE,VALUE,….
func ParseSwept(text string) (Swept, error) {
	name, values, ok := strings.Cut(text, "=")
	s := Swept{Field: strings.TrimSpace(name)}
	for v := range strings.SplitSeq(values, ",") {
		s.Values = append(s.Values, strings.TrimSpace(v))
	}
	if !ok || s.Field == "" || slices.Contains(s.Values, "") {
		return s, fmt.Errorf("give NAME=VALUE,VALUE,…")
	}
	return s, nil
}

// String is the inverse of ParseSwept.
func (s Swept) String() string { return s.Field + "=" + strings.Join(s.Values, ",") }

// Of says which models a sweep trains.
type Of struct {
	Spec    method.Spec
	Changes []string // changes of the preset for every training, as NAME=VALUE
	Swept   []Swept
	Grid    bool // whether every combination of the values is trained; otherwise one field varies at a time
}

// Args returns the arguments with which the command `macroscope sweep` runs the same sweep.
func (o *Of) Args() []string {
	args := []string{"-experiment", o.Spec.String()}
	for _, s := range o.Swept {
		args = append(args, "-over", s.String())
	}
	for _, c := range o.Changes {
		args = append(args, "-set", c)
	}
	if o.Grid {
		args = append(args, "-grid")
	}
	return args
}

// Configuration is a configuration of a sweep. Its trainings differ in their seeds.
type Configuration struct {
	method.Config
	Changes   []string           // changes of the preset
	Name      string             // values of the swept fields, in words
	At        map[string]float64 // values of the swept fields, by name
	Published string             // the paper's figure on the test set in-dst; "" if there is none
}

// Every point has the fields in the list `always`, even if they are not swept.
var always = []string{"eps", "encoder.zdim"}

// Configurations lists the configurations without repetitions.
func (o *Of) Configurations(systems method.Systems) (list []Configuration, err error) {
	fields := slices.Clone(always)
	for i, s := range o.Swept {
		if o.Grid && slices.ContainsFunc(o.Swept[:i], func(before Swept) bool { return before.Field == s.Field }) {
			return nil, fmt.Errorf("the field %s comes twice, and a combination has one value of it; give all its values at once", s.Field)
		}
		if !slices.Contains(fields, s.Field) {
			fields = append(fields, s.Field)
		}
	}
	seen := make(map[string]bool) // values of the configurations in the list
	for _, asked := range o.combinations() {
		k := Configuration{Changes: slices.Concat(o.Changes, asked), At: make(map[string]float64)}
		var changed []string
		if k.Config, changed, err = Config(systems, o.Spec, k.Changes); err != nil {
			return nil, err
		}
		for _, name := range fields {
			f := k.Table().Find(name)
			if f == nil && slices.Contains(always, name) {
				return nil, fmt.Errorf("the method %s has no %s, which every point of a sweep has; sweep over another method", o.Spec.Method, Label(name))
			}
			if f == nil {
				return nil, fmt.Errorf("there is no field %q to sweep over", name)
			}
			if k.At[name], err = strconv.ParseFloat(f.Text(), 64); err != nil {
				return nil, fmt.Errorf("the field %s is no number: it cannot be swept over", name)
			}
		}
		place := fmt.Sprint(k.At) // fmt prints maps in the order of their keys
		if seen[place] {
			continue // the list already contains this configuration: the values of several fields can include the preset's value
		}
		seen[place] = true
		var names []string
		for _, change := range asked {
			name, value, _ := strings.Cut(change, "=")
			names = append(names, Label(name)+" = "+value)
		}
		k.Name = strings.Join(names, ", ")
		if o.Spec.Method == "flow" {
			k.Published = publishedAt(o.Spec.System, asked, changed, k.At)
		}
		list = append(list, k)
	}
	return list, nil
}

// Config returns a preset with changes (NAME=VALUE). The result `changed` leaves out changes to
// values that the preset has already.
func Config(systems method.Systems, spec method.Spec, changes []string) (c method.Config, changed []string, err error) {
	if c, err = systems.Preset(spec.String()); err != nil {
		return c, nil, err
	}
	var names []string
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		if name == "seed" {
			return c, nil, errors.New("the trainings of a sweep have the seeds 1, 2, 3, …; choose how many, and leave seed out")
		}
		names = append(names, name)
		before := c.Table().Texts() // Settings leaves out values that have an effect only after a later change
		if err := c.Set(name, value); err != nil {
			return c, nil, err
		}
		if !slices.Equal(c.Table().Texts(), before) {
			changed = append(changed, change)
		}
	}
	return c, changed, c.Table().Used(names...)
}

// grids groups the swept fields. The sweep trains every combination of the values in a group.
func (o *Of) grids() (list [][]Swept) {
	if o.Grid {
		return [][]Swept{o.Swept}
	}
	for i := range o.Swept {
		list = append(list, o.Swept[i:i+1])
	}
	return list
}

// most returns the largest possible number of configurations, without making the list. It counts at
// most MostTrainings+1 per group.
func (o *Of) most() (n int) {
	for _, grid := range o.grids() {
		all := 1
		for _, s := range grid {
			all = min(all*min(len(s.Values), MostTrainings+1), MostTrainings+1)
		}
		n += all
	}
	return n
}

// combinations returns the changes of every configuration.
func (o *Of) combinations() (list [][]string) {
	for _, grid := range o.grids() {
		part := [][]string{nil}
		for _, s := range grid {
			var next [][]string
			for _, before := range part {
				for _, v := range s.Values {
					next = append(next, append(slices.Clone(before), s.Field+"="+v))
				}
			}
			part = next
		}
		list = append(list, part...)
	}
	return list
}

// labels contains labels of fields. Any other field has its name as label.
var labels = map[string]string{"eps": "ε", "encoder.zdim": "ẑ dim"}

// Label returns the label of a field.
func Label(field string) string {
	if l := labels[field]; l != "" {
		return l
	}
	return field
}

// The MRE of the paper's own method on the particles' test in-dst. PublishedZDim is for ẑ dim 1 to
// 8, PublishedEps for ε from 1e-1 to 1e-8.
var (
	PublishedZDim = []string{"1.6e-3", "1.1e-3", "7.0e-4", "7.2e-4", "4.5e-5", "4.6e-5", "5.0e-5", "5.2e-5"}
	PublishedEps  = []string{"6.9e-5", "5.2e-5", "5.0e-5", "5.5e-5", "5.5e-5", "6.4e-5", "5.3e-5", "6.1e-5"}
)

// publishedAt returns the paper's figure for a configuration. It returns "" if there is none,
// or if the configuration differs from the preset in more than one field.
func publishedAt(system string, asked, changed []string, at map[string]float64) string {
	if system != "particles" || len(changed) > 1 || len(asked) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(asked[0], "=")
	if len(changed) == 1 {
		name, _, _ = strings.Cut(changed[0], "=")
	}
	switch name {
	case "eps":
		if i := int(math.Round(-math.Log10(at[name]))); i >= 1 && i <= len(PublishedEps) && math.Abs(at[name]*math.Pow10(i)-1) < 1e-6 {
			return PublishedEps[i-1]
		}
	case "encoder.zdim":
		if d := int(at[name]); d >= 1 && d <= len(PublishedZDim) {
			return PublishedZDim[d-1]
		}
	}
	return ""
}
