package line

import (
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// Limits of the settings.
const (
	MinParticles, MaxParticles = 10, 5000
	maxSet                     = 1_000_000
)

// settings are what is shown.
type settings struct {
	N     int
	Seed  uint64
	Set   int // index of the set on show
	Drift bool
}

// table lists the settings in the order of a link.
func (s *settings) table() setting.Table {
	return setting.Table{
		{Name: "n", What: "the number of particles", Value: &s.N, Low: MinParticles, High: MaxParticles, Control: setting.Control{
			Kind: wire.Slider, Label: "number N", Min: MinParticles, Max: MaxParticles,
			Stops: []float64{10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 2500, 3000, 4000, 5000},
			Ticks: []float64{10, 50, 200, 1000, 5000},
			Hint:  "How many particles are drawn from each mixture, 10 to 5000. The model takes any number.",
		}},
		{Name: "seed", What: "the seed", Value: &s.Seed, Control: setting.Control{
			Kind: wire.Field, Label: "Seed", Hint: "All randomness comes from this number: the same seed gives the same run, on processors with vectors of the same width.",
		}},
		{Name: "set", What: "the set", Value: &s.Set, Low: 0, High: maxSet, Control: setting.Control{
			Kind: wire.Number, Label: "Set", Min: 0, Max: maxSet, Step: 1,
			Hint: "Which set of the seed’s stream is shown. The same number shows the same particles.",
		}},
		{Name: "drift", What: "drift", Value: &s.Drift, Switch: true, Absent: "off", Control: setting.Control{
			Kind: wire.Switch, Label: "Let the mixture wander",
			Hint: "The mixture behind the particles moves slowly, and the encoder follows without training.",
		}},
	}
}
