package view

// Aimed returns the ẑ at which a density is aimed.
func (v *Density) Aimed() []float32 { return v.z }
