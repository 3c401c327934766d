package view

// Aimed returns the ẑ that a density is of.
func (v *Density) Aimed() []float32 { return v.z }
