// Package diffusion is a system in one file, which is played without models: free Brownian
// motion in the plane, dx = √(2D) dW, of particles that start at the origin. Their mean square
// displacement is 4Dt (Einstein, 1905).
package diffusion

import (
	"fmt"
	"math"
	"sync"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/wire"
	"macroscope/sim/rng"
)

const (
	count = 400      // number of particles
	steps = 600      // steps in a run
	dt    = 1. / 120 // duration of a step
)

// System returns the system of free diffusion.
func System() *system.System {
	return &system.System{
		Traits: system.Traits{Name: "diffusion", Title: "Free diffusion", Dim: 2, Dt: dt, Stochastic: true},
		Live:   func() system.Live { return newLive() },
	}
}

func newLive() *live {
	l := &live{d: 1, seed: 1}
	l.Core = core.New(System(), setting.Table{
		{Name: "d", What: "D", Value: &l.d, Low: 0.01, High: 10},
		{Name: "seed", What: "the seed", Value: &l.seed},
	}, core.Kind{Page: page, Max: count, Called: "particles"})
	return l
}

// live is the displayed run.
type live struct {
	core.Core
	d    float64 // diffusion coefficient
	seed uint64
}

// cloud contains the particles of a run.
type cloud struct {
	src  *rng.Source
	step float64 // standard deviation of a step along an axis, exact for any duration of the step
	x    [2 * count]float32
	at   int
}

// Index implements system.Simulation.
func (c *cloud) Index() int { return c.at }

// Step implements system.Simulation.
func (c *cloud) Step() error {
	for i := range c.x {
		c.x[i] += float32(c.step * c.src.NormFloat64())
	}
	c.at++
	return nil
}

// Frame implements system.Simulation. The macroscopic variable is the mean square displacement.
func (c *cloud) Frame(points []float32, macro []float64) {
	copy(points, c.x[:])
	macro[0] = 0
	for _, x := range c.x {
		macro[0] += float64(x) * float64(x) / count
	}
}

// texts contains the texts of the page (see system.ReadPage).
const texts = `
tagline
	Particles that know nothing of each other spread as the root of time.
picture
	Particles spreading from one point, and their mean square displacement over time.
hint play
	Let the particles move, or hold them.
hint step
	One step of every particle.
hint restart
	Put every particle back to where it began.
hint at
	The frame on show.
hint speed
	1× is thirty frames a second.

group system "Particles"
slider d "coefficient D" min=0.01 max=10 ticks=0.01,0.1,1,10 log
	Diffusion coefficient, length squared over time; another value begins the run anew.
field seed "seed"
	Every step of every particle comes from this number.

figure ratio "⟨r²⟩ / 4Dt"
	Mean square displacement, as a share of what theory says.
help "D"
	diffusion coefficient: the mean square displacement grows by 4D in a unit of time.
try
	Make D ten times larger: the cloud grows √10 times as fast.
`

var page = sync.OnceValue(func() *system.Page { return system.ReadPage(texts, nil) })

// Set implements system.Live.
func (l *live) Set(name, value string) error {
	if err := l.Table.Set(name, value); err != nil {
		return err
	}
	if err := l.Generate(); err != nil {
		return err
	}
	return l.Player().Play()
}

// Generate implements system.Live. The displayed region is twice as wide as the theoretical
// cloud at the end.
func (l *live) Generate() error {
	r := 2 * math.Sqrt(l.theory(steps))
	l.Simulate(&cloud{src: rng.New(l.seed, "toy diffusion"), step: math.Sqrt(2 * l.d * dt)}, 1, 1, system.Run{
		Particles: count, Horizon: steps, Dt: dt, Lo: [2]float64{-r, -r}, Hi: [2]float64{r, r}, Variables: []string{"mean square displacement"},
	})
	return nil
}

// theory returns the theoretical mean square displacement in frame k.
func (l *live) theory(k int) float64 { return 4 * l.d * dt * float64(k) }

// Put implements system.Live.
func (l *live) Put(f *wire.Frame) {
	f.Put("x", l.Now()...)
	f.Extend("msd", l.Run().Generation, len(l.Frames.Macro), func(k int) float32 { return float32(l.Frames.Macro[k]) })
	f.Extend("theory", l.Run().Generation, steps+1, func(k int) float32 { return float32(l.theory(k)) })
}

// Figures implements system.Live.
func (l *live) Figures(at map[string]string) {
	if k := l.Player().Now(); k > 0 {
		at["ratio"] = fmt.Sprintf("%.2f", l.Macro(k)[0]/l.theory(k))
	}
}

// Summary implements system.Live.
func (l *live) Summary(system.Prediction) string {
	return fmt.Sprintf("**%d** particles **diffuse** freely, at t = **%.2f**.", count, l.Time())
}
