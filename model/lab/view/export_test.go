package view

// Aimed returns the ẑ of a density.
func (v *Density) Aimed() []float32 { return v.z }
