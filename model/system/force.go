package system

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"macroscope/model/file/data"
)

// Forced is a System with a force between its particles that the user can give as a formula.
type Forced interface {
	System
	// Force returns the force as a formula in its normal form, see formula.Formula.String.
	Force() string
	// WithForce returns the system with the force of this formula. For the formula "" it returns
	// the system with the default force. The error is the end of a sentence and says why the
	// formula cannot be used.
	WithForce(formula string) (Forced, error)
	// PutIn replaces a parameter of the formula by a number if params contains a single value for
	// the parameter. It returns the new formula and the remaining ranges. The error names a
	// parameter of params that the force does not contain.
	PutIn(formula string, params Ranges) (with string, others Ranges, err error)
}

// ForceArray is the name of an array in a file of trajectories. The array contains the formula of a
// force, as bytes.
const ForceArray = "force"

// maxForce is the largest number of bytes of a formula in a file.
const maxForce = 1000

// ForceOf returns the force between the particles of recorded trajectories, or "" if the system
// has no choice of forces.
func ForceOf(r Recorded) string {
	if f, ok := r.(interface{ Force() string }); ok {
		return f.Force()
	}
	return ""
}

// Played returns the user's force with its parameters replaced by their values (P). Two kinds
// of parameters stay symbols: parameters at their defaults, and parameters listed in `given`,
// which are inputs of the dynamics.
func Played(of Forced, force string, values []float64, given Ranges) string {
	offered := of.Traits().Parameters
	for i, p := range offered {
		value := offered.Value(values, i)
		if value == p.Usual || slices.ContainsFunc(given, func(r Range) bool { return r.Name == p.Name }) {
			continue
		}
		if with, _, err := of.PutIn(force, Ranges{{Name: p.Name, Low: value, High: value}}); err == nil { // an error means that the force does not contain the parameter
			force = with
		}
	}
	return force
}

// InWords returns a force as part of a sentence.
func InWords(force string) string { return "F(r) = " + force }

// WriteForce adds a force to an archive of trajectories, unless it is the default force. `of` is
// nil if the system has no choice of forces.
func WriteForce(to *data.Archive, of Forced, force string) error {
	if of == nil || force == of.Force() {
		return nil
	}
	w, err := to.Bytes(ForceArray, []int{len(force)})
	if err == nil {
		_, err = w.Write([]byte(force))
	}
	return err
}

// ReadForce returns the system with the force of an archive of trajectories, or sys itself if
// the archive contains no force. It also returns the names of the archive's other arrays.
func ReadForce(r io.ReaderAt, size int64, names []string, sys Forced) (with Forced, others []string, err error) {
	at := slices.Index(names, ForceArray)
	if at < 0 {
		return sys, names, nil
	}
	flat := true
	a, err := data.ReadArray(r, size, ForceArray, func(shape []int) error {
		if flat = len(shape) == 1 && shape[0] <= maxForce; !flat {
			return errors.New("it is no formula")
		}
		return nil
	})
	if !flat {
		return sys, names, nil
	}
	var letters []int64
	if err == nil {
		letters, err = a.Int64s()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the force: %w", err)
	}
	var text []byte
	for _, v := range letters {
		text = append(text, byte(v))
	}
	if with, err = sys.WithForce(string(text)); err != nil {
		return nil, nil, fmt.Errorf("the force of the file cannot be used: %w", err)
	}
	return with, slices.Delete(slices.Clone(names), at, at+1), nil
}
