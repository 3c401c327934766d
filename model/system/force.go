package system

import (
	"fmt"
	"slices"

	"macroscope/model/file/data"
)

// Forces is a system's choice of forces between its particles. A force is a formula in its normal form, see
// formula.Formula.String.
type Forces interface {
	// Usual returns the default force.
	Usual() string
	// With returns the system with the force of a formula; "" means the default force. The error is the end of a
	// sentence and says why the formula cannot be used.
	With(formula string) (*System, error)
	// PutIn replaces a parameter of the formula by a number if params contains a single value for
	// the parameter. It returns the new formula and the remaining ranges. The error names a
	// parameter of params that the force does not contain.
	PutIn(formula string, params Ranges) (with string, others Ranges, err error)
}

// forceArray is the name of an array in a file of trajectories. The array contains the formula of a
// force, as bytes.
const forceArray = "force"

// maxForce is the largest number of bytes of a formula in a file.
const maxForce = 1000

// Played returns the user's force with its parameters replaced by their values (P). Two kinds
// of parameters stay symbols: parameters at their defaults, and parameters listed in `given`,
// which are inputs of the dynamics.
func (t *Traits) Played(force string, values []float64, given Ranges) string {
	for i, p := range t.Parameters {
		value := t.Parameters.Value(values, i)
		if value == p.Usual || slices.ContainsFunc(given, func(r Range) bool { return r.Name == p.Name }) {
			continue
		}
		if with, _, err := t.Forces.PutIn(force, Ranges{{Name: p.Name, Low: value, High: value}}); err == nil { // an error means that the force does not contain the parameter
			force = with
		}
	}
	return force
}

// InWords returns a force as part of a sentence.
func InWords(force string) string { return "F(r) = " + force }

// WriteForce adds a force to an archive of trajectories, unless it is the default force or the system has no
// choice of forces.
func (t *Traits) WriteForce(to *data.Archive, force string) error {
	if t.Forces == nil || force == t.Forces.Usual() {
		return nil
	}
	w, err := to.Bytes(forceArray, []int{len(force)})
	if err == nil {
		_, err = w.Write([]byte(force))
	}
	return err
}

// withForce returns the system with the force of an archive of trajectories, or the system itself if
// the archive contains no force. It also returns the names of the archive's other arrays.
func (s *System) withForce(f File, names []string) (with *System, others []string, err error) {
	at := slices.Index(names, forceArray)
	if at < 0 || s.Forces == nil {
		return s, names, nil
	}
	text, flat, err := data.ReadText(f.Bytes, f.Size, forceArray, maxForce)
	if !flat {
		return s, names, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the force: %w", err)
	}
	if with, err = s.Forces.With(text); err != nil {
		return nil, nil, fmt.Errorf("the force of the file cannot be used: %w", err)
	}
	return with, slices.Delete(slices.Clone(names), at, at+1), nil
}
