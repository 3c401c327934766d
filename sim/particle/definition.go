package particle

import "fmt"

// Definition writes the velocities at positions (N, 2) to dst (N, 2) and returns
// the energy per pair. It evaluates the equations directly, pair by pair in
// float64. It is the reference for Simulation, which is faster and uses float32.
func Definition(dst, positions []float64, a, b float64) (energy float64) {
	n := len(positions) / 2
	if n < 2 || len(positions) != 2*n || len(dst) != 2*n {
		panic(fmt.Sprintf("particle: %d velocities for %d coordinates", len(dst), len(positions)))
	}
	x, y, vx, vy := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = positions[2*i], positions[2*i+1]
	}
	energy = refPairs(law{a: a, b: b}, x, y, vx, vy)
	for i := range n {
		dst[2*i], dst[2*i+1] = vx[i]/float64(n), vy[i]/float64(n)
	}
	return energy / (float64(n) * float64(n-1) / 2)
}
