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
	// WithForce returns the system with the force of a formula; "" is the default force. The
	// error is the end of a sentence that says why the formula cannot be used.
	WithForce(formula string) (Forced, error)
	// PutIn puts numbers in place of those parameters of the formula that have a single value
	// in params, and returns the other ranges. The error names a parameter that the force
	// lacks.
	PutIn(formula string, params Ranges) (with string, others Ranges, err error)
}

// ForceArray is the name of the array with the formula of a force, as bytes, in a file of
// trajectories.
const ForceArray = "force"

// maxForce bounds the bytes of a formula in a file.
const maxForce = 1000

// ForceOf returns the force of recorded trajectories; "" if the system has no choice of forces.
func ForceOf(r Recorded) string {
	if f, ok := r.(interface{ Force() string }); ok {
		return f.Force()
	}
	return ""
}

// Played returns the user's force with its parameters replaced by their values (P).
// Parameters at their defaults, and those in given, which the dynamics take as inputs, stay
// as symbols.
func Played(of Forced, force string, values []float64, given Ranges) string {
	offered := of.Traits().Parameters
	for i, p := range offered {
		value := offered.Value(values, i)
		if value == p.Usual || slices.ContainsFunc(given, func(r Range) bool { return r.Name == p.Name }) {
			continue
		}
		if with, _, err := of.PutIn(force, Ranges{{Name: p.Name, Low: value, High: value}}); err == nil { // an error means that the force lacks the parameter
			force = with
		}
	}
	return force
}

// InWords returns a force as part of a sentence.
func InWords(force string) string { return "F(r) = " + force }

// WriteForce adds a force to an archive of trajectories. The system is nil if it has no
// choice of forces. The default force is left out.
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
// the archive contains none, and the names of the archive's other arrays.
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
