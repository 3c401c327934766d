package system

import (
	"fmt"
	"strings"
)

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

// OfTrajectory adds the index of the trajectory to an error.
func OfTrajectory(index int, err error) error {
	if err != nil {
		return fmt.Errorf("trajectory %d: %w", index, err)
	}
	return nil
}

// CheckIndex returns an error unless the index of a trajectory is from 0 to count-1.
func CheckIndex(index, count int) error {
	if index < 0 || index >= count {
		return fmt.Errorf("there is no trajectory %d of %d", index, count)
	}
	return nil
}

// maxPlayed is the largest count of coordinates in the frames of one played run. They take
// 64 MiB, so a tab also has enough memory for a training.
const maxPlayed = 16 << 20

// CheckPlayed returns an error if the given number of steps does not fit in the memory of a
// page. A step stores dim coordinates of every particle.
func CheckPlayed(particles, dim, steps int) error {
	if most := maxPlayed/(dim*particles) - 1; steps > most {
		return fmt.Errorf("%d steps of %d particles are more than a tab has room for; take at most %d steps, or fewer particles", steps, particles, most)
	}
	return nil
}
