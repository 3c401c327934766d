package system

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/setting"
)

// Runs of Contents.Ragged can have different particles and different numbers of frames. A Trajectory has the particles
// and the frames of its own run. A particle that is not there in a frame has the coordinates NaN there, and
// System.Frame leaves it out.

// present returns the particles (n, dim) of a frame that are there, and their species (n). It returns the frame
// itself if all are.
func present(frame []float32, species []uint8, dim int) ([]float32, []uint8) {
	all := true
	for i := 0; i < len(frame) && all; i += dim {
		all = frame[i] == frame[i]
	}
	if all {
		return frame, species
	}
	var there []float32
	var kinds []uint8
	for i := range len(frame) / dim {
		if v := frame[i*dim]; v == v {
			there = append(there, frame[i*dim:(i+1)*dim]...)
			if species != nil {
				kinds = append(kinds, species[i])
			}
		}
	}
	return there, kinds
}

// extent says which part of a run's rows in a NumPy file (T, N, D) is there.
type extent struct {
	frames    int   // the number of frames up to the last with a particle
	particles []int // the particles that are there in some frame; nil: all
	fewest    int   // smallest number of particles in a frame with particles
	most      int   // largest number
	empty     int   // number of frames without particles before the last with one
}

// extentOf finds out which part of a run's rows is there.
func extentOf[T float32 | float64](rows []T, frames, particles, dim int, as Reading) (x extent, err error) {
	there := make([]bool, particles)
	empty := -1 // a frame without particles
	for k := range frames {
		n := 0
		for i := range particles {
			missing := 0
			p := rows[(k*particles+i)*dim:][:dim]
			for _, v := range p {
				if v != v {
					missing++
				}
			}
			switch {
			case missing == 0:
				there[i] = true
				n++
			case missing < dim:
				return x, fmt.Errorf("particle %d in frame %d has %d coordinates that are NaN, of %d; a particle that is not there has NaN in all", i, k, missing, dim)
			}
		}
		switch {
		case n > 0 && empty >= 0 && !as.Empty:
			return x, fmt.Errorf("frame %d has no particle, and frame %d has; only the last frames of a run can be filled with NaN", empty, k)
		case n > 0:
			if x.frames == 0 {
				x.fewest = n
			}
			x.empty += k - x.frames
			x.frames, x.fewest, x.most = k+1, min(x.fewest, n), max(x.most, n)
		case empty < 0:
			empty = k
		}
	}
	if x.frames < as.fewest() {
		return x, fmt.Errorf("it has %s with particles, so nothing moves; leave it out", setting.Count(x.frames, "frame", "frames"))
	}
	if slices.Contains(there, false) {
		x.particles = []int{}
		for i, is := range there {
			if is {
				x.particles = append(x.particles, i)
			}
		}
	}
	return x, nil
}

// compact moves the particles that are there in a frame (N, D) to its beginning, and returns them.
func compact[T float32 | float64](frame []T, dim int) []T {
	to := 0
	for i := 0; i < len(frame); i += dim {
		if frame[i] == frame[i] {
			to += copy(frame[to:], frame[i:i+dim])
		}
	}
	return frame[:to]
}

// lengths gives recordings the length of their longest run. Longer runs than a wanted number of frames, if it is not
// 0, are cut to it.
func lengths(wanted int, of ...*recording) error {
	least, most := math.MaxInt, 0
	for _, r := range of {
		least, most = min(least, slices.Min(r.lengths)), max(most, slices.Max(r.lengths))
	}
	if most < wanted {
		return fmt.Errorf("the line frames says %d, and the longest run has %d; give a lower number", wanted, most)
	}
	longest, cut := most, 0
	if wanted > 0 {
		longest = wanted
	}
	for _, r := range of {
		for e, n := range r.lengths {
			r.lengths[e] = min(n, longest)
			cut += n - r.lengths[e]
		}
		r.shape.Frames, r.facts.Shortest = longest, min(least, longest)
	}
	if cut > 0 {
		of[0].facts.Remarks = append(of[0].facts.Remarks,
			fmt.Sprintf("runs are cut to %d frames, so %s not used", longest, setting.Count(cut, "frame is", "frames are")))
	}
	return nil
}
