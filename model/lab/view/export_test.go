package view

// Aimed returns the ẑ of the last call of Aim.
func (v *Density) Aimed() []float32 { return v.z }
