// Package bounds checks parameters of a simulation. cmp.Or over several checks returns
// the first error.
package bounds

import "fmt"

// Check returns an error with the parameter's name, its range and an example, unless the
// value lies in [low, high]. NaN is out of range.
func Check[T int | float64](what string, value, low, high, example T) error {
	if value >= low && value <= high {
		return nil
	}
	return fmt.Errorf("the %s is %v; choose a number from %v to %v, for example %v", what, value, low, high, example)
}

// The function Above is a variant of Check for the range (low, high].
func Above(what string, value, low, high, example float64) error {
	if value > low && value <= high {
		return nil
	}
	return fmt.Errorf("the %s is %g; choose a number above %g and at most %g, for example %g", what, value, low, high, example)
}
