package core

import "strings"

// Plain prepares a simulator's error for the user: it removes the name of the simulator's package.
func Plain(err error, simulator string) error {
	if err == nil {
		return nil
	}
	if prefix := simulator + ": "; strings.HasPrefix(err.Error(), prefix) {
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
