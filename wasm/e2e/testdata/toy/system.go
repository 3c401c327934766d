// Package diffusion is a system in one file, to be played alone: free Brownian
// motion in the plane, dx = √(2D) dW, of particles that start at the origin. Their
// mean square displacement is 4Dt (Einstein, 1905).
package diffusion

import (
	"fmt"
	"math"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/rng"
)

const (
	count = 400      // particles
	steps = 600      // of a run
	dt    = 1. / 120 // of a step
)

// System is free diffusion.
type System struct{ system.Unlearned }

// Traits implements system.System.
func (System) Traits() system.Traits {
	return system.Traits{Name: "diffusion", Title: "Free diffusion", Dim: 2, Dt: dt, Stochastic: true}
}

// Live implements system.System.
func (System) Live() system.Live {
	l := &live{d: 1, seed: 1}
	l.table = setting.Table{
		{Name: "d", What: "D", Value: &l.d, Low: 0.01, High: 10},
		{Name: "seed", What: "the seed", Value: &l.seed},
	}
	return l
}

// live is a run: one particle after another takes a step, and every frame is kept.
type live struct {
	system.Basic
	d     float64 // diffusion coefficient
	seed  uint64
	table setting.Table

	frames     play.Frames
	player     play.Player
	generation uint64
	src        *rng.Source
	x          []float32 // of the frames so far (K, count, 2)
	msd        []float32 // mean square displacement of each (K)
	places     []int
}

// texts are those of the page, see system.ReadPage.
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

var page system.MadePage

// Page implements system.Live.
func (l *live) Page() *system.Page {
	return page.Get(func() *system.Page { return system.ReadPage(texts, nil) })
}

// Settings implements system.Live.
func (l *live) Settings() setting.Table { return l.table }

// Set implements system.Live.
func (l *live) Set(name, value string) error {
	if err := l.table.Set(name, value); err != nil {
		return err
	}
	if err := l.Generate(); err != nil {
		return err
	}
	return l.player.Play()
}

// Generate implements system.Live.
func (l *live) Generate() error {
	l.generation++
	l.src = rng.New(l.seed, "toy diffusion")
	l.x, l.msd = append(l.x[:0], make([]float32, 2*count)...), append(l.msd[:0], 0)
	l.frames = play.Frames{Last: steps, PerSecond: 30, Make: l.next}
	l.player.Begin(&l.frames)
	return nil
}

// next makes one frame more. A step is exact, however long it is.
func (l *live) next() error {
	sum := 0.0
	for range 2 * count {
		x := l.x[len(l.x)-2*count] + float32(math.Sqrt(2*l.d*dt)*l.src.NormFloat64())
		l.x = append(l.x, x)
		sum += float64(x) * float64(x)
	}
	l.msd = append(l.msd, float32(sum/count))
	return nil
}

// theory is the mean square displacement that frame k should have.
func (l *live) theory(k int) float64 { return 4 * l.d * dt * float64(k) }

// Player implements system.Live.
func (l *live) Player() *play.Player { return &l.player }

// Run implements system.Live. What is shown is twice as wide as theory gives the
// last cloud.
func (l *live) Run() *system.Run {
	r := 2 * math.Sqrt(l.theory(steps))
	return &system.Run{
		Generation: l.generation, Particles: count, Horizon: steps, Known: l.frames.Made, Dt: dt,
		Lo: [2]float64{-r, -r}, Hi: [2]float64{r, r}, Variables: []string{"mean square displacement"},
	}
}

// Frame implements system.Live.
func (l *live) Frame(dst *system.Frame, k int) { dst.One(l.x[2*count*k:2*count*(k+1)], 2) }

// Shown implements system.Live.
func (l *live) Shown(dst *system.Frame) (places []int) {
	l.Frame(dst, l.frames.Shown)
	for len(l.places) < count {
		l.places = append(l.places, len(l.places))
	}
	return l.places
}

// Macro implements system.Live.
func (l *live) Macro(k int) []float64 { return []float64{float64(l.msd[k])} }

// Put implements system.Live.
func (l *live) Put(f *wire.Frame) {
	f.Put("x", l.x[2*count*l.frames.Shown:2*count*(l.frames.Shown+1)]...)
	f.ExtendBy("msd", l.generation, l.msd...)
	f.Extend("theory", l.generation, steps+1, func(i int) float32 { return float32(l.theory(i)) })
}

// Figures implements system.Live.
func (l *live) Figures(at map[string]string) {
	if k := l.frames.Shown; k > 0 {
		at["ratio"] = fmt.Sprintf("%.2f", float64(l.msd[k])/l.theory(k))
	}
}

// Summary implements system.Live.
func (l *live) Summary(system.Prediction) string {
	return fmt.Sprintf("**%d** particles **diffuse** freely, at t = **%.2f**.", count, float64(l.frames.Shown)*dt)
}
