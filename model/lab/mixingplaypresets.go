package lab

// MixingPlay is a system that is worth a look, by name.
type MixingPlay struct {
	Name        string
	Label       string // what comes of it
	Boundary    float64
	Height      float64
	Temperature float64
	E11         float64
	E22         float64
	E12         float64
}

// MixingPlays are systems that mix fast, slowly, in part or not at all, the
// paper's first. Where ε between the species is the largest, unlike atoms seek
// each other; where it is small, like atoms do.
func MixingPlays() []MixingPlay {
	return []MixingPlay{
		{"paper", "Half and half, the paper’s", 16, 32, 1, 0.5, 0.6, 0.7},
		{"left", "Boundary at 12", 12, 32, 1, 0.5, 0.6, 0.7},
		{"right", "Boundary at 20", 20, 32, 1, 0.5, 0.6, 0.7},
		{"thin", "Thin layer", 4, 32, 1, 0.5, 0.6, 0.7},
		{"small", "Smaller box", 16, 26, 1, 0.5, 0.6, 0.7},
		{"hot", "Hot: mixes fast", 16, 32, 4, 0.5, 0.6, 0.7},
		{"cold", "Cold: mixes slowly", 16, 32, 0.3, 0.5, 0.6, 0.7},
		{"apart", "Oil and water", 16, 32, 0.8, 1.5, 1.5, 0.1},
		{"attract", "Unlike attract", 16, 32, 0.8, 0.2, 0.2, 2},
	}
}

// findMixingPlay returns the preset of a name.
func findMixingPlay(name string) (MixingPlay, bool) {
	for _, p := range MixingPlays() {
		if p.Name == name {
			return p, true
		}
	}
	return MixingPlay{}, false
}

// apply makes the preset's system the settings'.
func (p MixingPlay) apply(s *MixingSettings) {
	s.Boundary, s.Height, s.Temperature, s.E11, s.E22, s.E12 = p.Boundary, p.Height, p.Temperature, p.E11, p.E22, p.E12
	s.Dt = DefaultMixingSettings().Dt
}

// played returns the name of the preset that the settings are, "own" if none.
func (s MixingSettings) played() string {
	for _, p := range MixingPlays() {
		t := s
		if p.apply(&t); t == s {
			return p.Name
		}
	}
	return "own"
}
