package system

import (
	"runtime"

	"macroscope/model/work"
)

// Source provides trajectories that all have the same shape.
type Source interface {
	Shape() Shape
	// Make writes the trajectory of the given index to t, and reuses the memory of t. Equal indices give
	// equal bits. Several goroutines may call Make.
	Make(t *Trajectory, index int, pause work.Pause) error
}

// Joint is a Source that makes several trajectories together in less time than one after another.
type Joint interface {
	Source
	// Together returns the largest number of trajectories that are made together.
	Together() int
	// MakeTogether is Make for the trajectories of the indices `first`, `first`+1, …
	MakeTogether(of []*Trajectory, first int, pause work.Pause) error
}

// Each passes the first `count` trajectories of a source to a function, from several goroutines (workers;
// 0: one per core) and in any order. A trajectory is valid until the function returns, and the function
// may change it. The first error stops all goroutines and is returned.
func Each(pause work.Pause, s Source, count, workers int, each func(index int, t *Trajectory) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	count = min(count, s.Shape().Trajectories)
	joint, _ := s.(Joint)
	side := 1
	if joint != nil {
		side = max(1, min(joint.Together(), (count+workers-1)/workers))
	}
	return work.Each(pause, count, side, workers, func() func(work.Pause, int, int) error {
		of := make([]*Trajectory, side)
		for k := range of {
			of[k] = new(Trajectory)
		}
		return func(pause work.Pause, from, to int) (err error) {
			if joint == nil {
				err = s.Make(of[0], from, pause)
			} else {
				err = joint.MakeTogether(of[:to-from], from, pause)
			}
			for index := from; index < to && err == nil; index++ {
				err = each(index, of[index-from])
			}
			return err
		}
	})
}
