//go:build first

package fit

import "macroscope/model/work"

// unlike panics: the page's first program has no system with dynamics (see serve/dist).
func (r *Run) unlike(work.Pause) (float64, error) { panic("fit: this program has no dynamics") }
