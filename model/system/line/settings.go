package line

import "macroscope/model/setting"

// Limits of the settings.
const (
	MinParticles, MaxParticles = 10, 5000
	maxSet                     = 1_000_000
)

// settings describes the displayed set.
type settings struct {
	N     int
	Seed  uint64
	Set   int // index of the displayed set
	Drift bool
}

// table lists the settings in the order in which a link contains them.
func (s *settings) table() setting.Table {
	return setting.Table{
		{Name: "n", What: "the number of particles", Value: &s.N, Low: MinParticles, High: MaxParticles},
		{Name: "seed", What: "the seed", Value: &s.Seed},
		{Name: "set", What: "the set", Value: &s.Set, Low: 0, High: maxSet},
		{Name: "drift", What: "drift", Value: &s.Drift, Switch: true, Absent: "off"},
	}
}
