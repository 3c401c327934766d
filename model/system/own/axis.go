package own

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/frames"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Kind says what a coordinate is.
type Kind string

// The kinds of coordinates.
const (
	Position Kind = ""
	Velocity Kind = "velocity" // turns with the positions
	Mark     Kind = "mark"     // a property of a particle, such as its size
)

// Axis is a coordinate of a particle. Its text form is
//
//	NAME [UNIT] velocity|mark period P centre C
//
// in which all but the name can be left out.
type Axis struct {
	Name, Unit string
	Kind       Kind
	Period     float64 // 0: it does not repeat
	Centre     float64 // sets of a system that turns are turned about this point
}

// String returns the text form.
func (a Axis) String() string {
	text := named(a.Name, a.Unit)
	if a.Kind != Position {
		text += " " + string(a.Kind)
	}
	for _, w := range a.words() {
		if *w.value != 0 {
			text += " " + w.name + " " + strconv.FormatFloat(*w.value, 'g', -1, 64)
		}
	}
	return text
}

// words lists the numbers of the text form.
func (a *Axis) words() []struct {
	name  string
	value *float64
	low   float64
} {
	return []struct {
		name  string
		value *float64
		low   float64
	}{{"period", &a.Period, 0}, {"centre", &a.Centre, -most}}
}

// most bounds the numbers of an axis.
const most = 1e30

// named returns the text of a name with a unit.
func named(name, unit string) string {
	if unit == "" {
		return name
	}
	return name + " [" + unit + "]"
}

// parseAxis is the inverse of String.
func parseAxis(text string) (a Axis, err error) {
	for _, w := range slices.Backward(a.words()) {
		before, number, has := strings.Cut(text, " "+w.name+" ")
		if !has {
			continue
		}
		if *w.value, err = setting.Float(strings.TrimSpace(number)); err != nil || !(*w.value > w.low && *w.value < most) {
			return a, fmt.Errorf("the %s %s of %s is not a number from %g to %g", w.name, setting.Quote(number), setting.Quote(before), w.low, most)
		}
		text = before
	}
	for _, kind := range []Kind{Velocity, Mark} {
		if rest, ok := strings.CutSuffix(text, " "+string(kind)); ok {
			text, a.Kind = rest, kind
		}
	}
	a.Name, a.Unit = frames.Divide(text)
	return a, nil
}

// Observable is a macroscopic variable. Its text form is
//
//	NAME [UNIT] = FORMULA
type Observable struct {
	Name, Unit string
	Of         string // how it is computed, see Spec.compute; "": it is in the file
}

// String returns the text form.
func (o Observable) String() string {
	if o.Of == "" {
		return named(o.Name, o.Unit)
	}
	return named(o.Name, o.Unit) + " = " + o.Of
}

// parseObservable is the inverse of String.
func parseObservable(text string) (o Observable, err error) {
	name, of, computed := strings.Cut(text, "=")
	if o.Of = strings.TrimSpace(of); computed && o.Of == "" {
		return o, fmt.Errorf("nothing stands after %s; use %s", setting.Quote(text), computable)
	}
	o.Name, o.Unit = frames.Divide(name)
	return o, nil
}

// Species is a kind of particles. Its text form is NAME = NUMBER, or the number alone.
type Species struct{ Name, Number string }

// String returns the text form.
func (s Species) String() string {
	if s.Name == s.Number || s.Number == "" {
		return s.Name
	}
	return s.Name + " = " + s.Number
}

// parseSpecies is the inverse of String.
func parseSpecies(text string) (s Species, err error) {
	name, number, numbered := strings.Cut(text, "=")
	if s.Name = strings.TrimSpace(name); !numbered {
		number = name
	}
	s.Number = strings.TrimSpace(number)
	return s, nil
}

// Kept is a row of a system.Schedule. Its text form is EVERY to LAST, and EVERY alone for the last row.
type Kept struct{ Last, Every int }

// String returns the text form.
func (k Kept) String() string {
	if k.Last == 0 {
		return strconv.Itoa(k.Every)
	}
	return fmt.Sprintf("%d to %d", k.Every, k.Last)
}

// parseKept is the inverse of String.
func parseKept(text string) (k Kept, err error) {
	every, last, has := strings.Cut(text, " to ")
	k.Every, err = strconv.Atoi(strings.TrimSpace(every))
	if err == nil && has {
		k.Last, err = strconv.Atoi(strings.TrimSpace(last))
	}
	if err != nil || k.Every < 1 || k.Every > mostFrames || k.Last < 0 || has && k.Last == 0 {
		err = fmt.Errorf("%s is not EVERY to LAST, such as 2 to 40 for every other frame up to frame 40", setting.Quote(text))
	}
	return k, err
}

// SetCentre sets the centre about which sets turn: the mean of the positions (D), in three digits.
func (s *Spec) SetCentre(mean []float64) {
	for i := range s.Axes {
		if a := &s.Axes[i]; a.Kind == Position && a.Period == 0 && s.Turns {
			a.Centre, _ = strconv.ParseFloat(strconv.FormatFloat(mean[i], 'g', 3, 64), 64)
		}
	}
}

// SetKeep sets the frames that stage I uses.
func (s *Spec) SetKeep(schedule system.Schedule) {
	s.Keep = nil
	for i, row := range schedule {
		if i == len(schedule)-1 {
			row.Last = 0
		}
		s.Keep = append(s.Keep, Kept(row))
	}
}

// keep returns the frames that stage I uses.
func (s *Spec) keep() (schedule system.Schedule) {
	for _, k := range s.Keep {
		schedule = append(schedule, struct{ Last, Every int }(k))
	}
	return schedule
}

// axes names d coordinates.
func axes(d int) (all []Axis) {
	for i := range d {
		name := fmt.Sprintf("x%d", i+1)
		if d <= 3 {
			name = "xyz"[i : i+1]
		}
		all = append(all, Axis{Name: name})
	}
	return all
}

// vectors groups the coordinates that turn together: the positions, and as many velocities. They are the
// first axes of their kinds, two or three. nil: there are none.
func (s *Spec) vectors() (groups [][]int) {
	positions, velocities := s.ofKind(Position), s.ofKind(Velocity)
	if len(positions) != 2 && len(positions) != 3 {
		return nil
	}
	groups = append(groups, positions)
	for len(velocities) >= len(positions) {
		groups, velocities = append(groups, velocities[:len(positions)]), velocities[len(positions):]
	}
	return groups
}

// space returns the coordinates of a set in space: the positions if there are three. Otherwise it returns nil.
func (s *Spec) space() []int {
	if of := s.ofKind(Position); len(of) == 3 {
		return of
	}
	return nil
}
