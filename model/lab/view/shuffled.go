package view

// Shuffled contains the effect of the last shuffle on an encoder of sets and on one that reads the
// particles in their order. What is not known is NaN.
type Shuffled struct {
	Stays, Moves         float64 // change of ẑ of the first, and of the second
	Listed               bool    // whether the second is a list encoder (see method.Data.Listed)
	PathStays, PathMoves float64 // change of their predictions, in percent of the training range
}

// Shuffled returns the effect of the last shuffle.
func (o *Orders) Shuffled() Shuffled {
	percent := func(share float64) float64 {
		if share < 5e-5 {
			return 0 // it may be due only to rounding
		}
		return 100 * share
	}
	m := o.sides[Ordered].model
	return Shuffled{o.Change(Invariant), o.Change(Ordered), m != nil && m.Config.Data.Listed, percent(o.Moved(Invariant)), percent(o.Moved(Ordered))}
}
