package play

import "fmt"

// maxCoordinates is the largest count of coordinates in the frames of one played run. They take
// 64 MiB, so a tab also has enough memory for a training.
const maxCoordinates = 16 << 20

// CheckRoom returns an error if the given number of steps does not fit in the memory of a
// page. A step stores dim coordinates of every particle.
func CheckRoom(particles, dim, steps int) error {
	if most := maxCoordinates/(dim*particles) - 1; steps > most {
		return fmt.Errorf("%d steps of %d particles are more than a tab has room for; take at most %d steps, or fewer particles", steps, particles, most)
	}
	return nil
}
