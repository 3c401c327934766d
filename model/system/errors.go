package system

import (
	"fmt"
	"strings"
)

// Plain is an error of a simulator without the name of its package, for the user.
func Plain(err error, simulator string) error {
	if prefix := simulator + ": "; err != nil && strings.HasPrefix(err.Error(), prefix) {
		return plainError{err, prefix}
	}
	return err
}

type plainError struct {
	error
	prefix string
}

func (e plainError) Error() string { return strings.TrimPrefix(e.error.Error(), e.prefix) }
func (e plainError) Unwrap() error { return e.error }

// OfTrajectory is an error that says of which trajectory it is.
func OfTrajectory(index int, err error) error {
	if err != nil {
		return fmt.Errorf("trajectory %d: %w", index, err)
	}
	return nil
}

// CheckIndex says what is wrong with the index of one of count trajectories.
func CheckIndex(index, count int) error {
	if index < 0 || index >= count {
		return fmt.Errorf("there is no trajectory %d of %d", index, count)
	}
	return nil
}
