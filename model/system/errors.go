package system

import "fmt"

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
