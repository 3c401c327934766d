package lab

// ParticlesPlay is a system that is worth a look, by name.
type ParticlesPlay struct {
	Name       string
	Label      string // what comes of it
	A, B       float64
	N          int
	Dt         float64
	Steps      int
	Components int
}

// ParticlesPlays are systems whose patterns differ, the paper's first. Where b
// is below -1 every pair attracts and all fall into one point; above 1 every
// pair repels; in between, steeper forces make thinner rings and then clumps.
func ParticlesPlays() []ParticlesPlay {
	return []ParticlesPlay{
		{"annulus", "Annulus, the paper’s", 4, 0.1, 300, 0.02, 300, 2},
		{"ring", "Thin ring", 6, -0.3, 300, 0.04, 400, 2},
		{"disk", "Disk", 2, 0.2, 300, 0.04, 300, 3},
		{"loop", "Pinched loop", 10, 0, 300, 0.04, 500, 2},
		{"eye", "Core in a ring", 8, 0.3, 400, 0.04, 500, 3},
		{"clumps", "Clumps", 20, 0.7, 400, 0.04, 500, 4},
		{"islands", "Islands", 10, 0.7, 500, 0.04, 500, 4},
		{"collapse", "Collapse to a point", 4, -1.2, 300, 0.02, 300, 3},
		{"expansion", "Expansion for ever", 4, 1.1, 300, 0.02, 300, 2},
		{"crowd", "Annulus of 2000", 4, 0.1, 2000, 0.02, 300, 3},
	}
}

// findPlay returns the preset of a name.
func findPlay(name string) (ParticlesPlay, bool) {
	for _, p := range ParticlesPlays() {
		if p.Name == name {
			return p, true
		}
	}
	return ParticlesPlay{}, false
}

// apply makes the preset's system the settings'.
func (p ParticlesPlay) apply(s *ParticlesSettings) {
	s.A, s.B, s.N, s.Dt, s.Steps, s.Components = p.A, p.B, p.N, p.Dt, p.Steps, p.Components
}

// played returns the name of the preset that the settings are, "own" if none.
func (s ParticlesSettings) played() string {
	for _, p := range ParticlesPlays() {
		t := s
		if p.apply(&t); t == s {
			return p.Name
		}
	}
	return "own"
}
