// Package bounds says which parameter of a simulation is out of range. It is meant for
// several in a row, of which cmp.Or returns the first error.
package bounds

import "fmt"

// Check returns an error that names a parameter, its range and an example if the value is
// not from low to high, as a NaN is not.
func Check[T int | float64](what string, value, low, high, example T) error {
	if value >= low && value <= high {
		return nil
	}
	return fmt.Errorf("the %s is %v; choose a number from %v to %v, for example %v", what, value, low, high, example)
}

// Above is Check of a range to which low does not belong.
func Above(what string, value, low, high, example float64) error {
	if value > low && value <= high {
		return nil
	}
	return fmt.Errorf("the %s is %g; choose a number above %g and at most %g, for example %g", what, value, low, high, example)
}
