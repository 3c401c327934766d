package lab

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"time"

	"macroscope/model/wire"
	"macroscope/sim/rng"
)

// A lab in one file: free Brownian motion in the plane, dx = √(2D) dW, of
// particles that start at the origin. Their mean square displacement is 4Dt
// (Einstein, 1905). The run begins anew when its time is over.
const (
	diffusionName  = "diffusion"
	diffusionCount = 400      // particles
	diffusionSteps = 600      // of a run
	diffusionDt    = 1. / 120 // of a step
)

type diffusion struct {
	d       float64   // diffusion coefficient, length² over time
	x       []float32 // (diffusionCount, 2)
	msd     []float32 // after every step so far, from step 0
	playing bool
	dice    *rng.Source

	frame                  wire.Frame
	frameStale, stateStale bool
}

func init() { Register(diffusionName, Lab{New: func() wire.Session { return newDiffusion(1) }}) }

func newDiffusion(d float64) *diffusion {
	s := &diffusion{d: d, x: make([]float32, 2*diffusionCount), playing: true, dice: rng.New(1, "toy diffusion")}
	s.restart()
	return s
}

func (s *diffusion) restart() {
	clear(s.x)
	s.msd = append(s.msd[:0], 0)
	s.changed()
}

func (s *diffusion) changed() { s.frameStale, s.stateStale = true, true }

// advance takes one step, which is exact for any length.
func (s *diffusion) advance() {
	if len(s.msd) > diffusionSteps {
		s.restart()
	}
	var sum float64
	for i := range s.x {
		s.x[i] += float32(math.Sqrt(2*s.d*diffusionDt) * s.dice.NormFloat64())
		sum += float64(s.x[i]) * float64(s.x[i])
	}
	s.msd = append(s.msd, float32(sum/diffusionCount))
	s.changed()
}

// law returns 4Dt, what the mean square displacement should be now.
func (s *diffusion) law() float64 { return 4 * s.d * diffusionDt * float64(len(s.msd)-1) }

func (s *diffusion) Lab() string { return diffusionName }

func (s *diffusion) Panel() *wire.Panel {
	return &wire.Panel{
		Lab: diffusionName, Title: "Free diffusion", Tagline: "Particles that know nothing of each other spread as the root of time.",
		Picture: "Particles spreading from one point, and their mean square displacement over time.",
		Transport: []wire.Control{
			{ID: "play", Kind: wire.Button, Label: "Pause", Icon: "pause", Key: " ", Hint: "Let the particles move, or hold them.", Primary: true},
			{ID: "restart", Kind: wire.Button, Label: "Restart", Icon: "reset", Key: "r", Hint: "Put every particle back to where it began."},
		},
		Figures: []wire.Figure{{ID: "ratio", Label: "⟨r²⟩ / 4Dt", Hint: "mean square displacement, as a share of what theory says"}},
		Groups: []wire.Group{{ID: "system", Title: "Particles", Controls: []wire.Control{
			{ID: "d", Kind: wire.Slider, Label: "diffusion coefficient D", Min: 0.01, Max: 10, Log: true, Ticks: []float64{0.01, 0.1, 1, 10}, Hint: "Length squared over time; another value begins anew."},
		}}},
		Help: []wire.Entry{{Term: "D", Text: "diffusion coefficient"}},
		Try:  []string{"Make D ten times larger: the cloud grows √10 times as fast."},
	}
}

func (s *diffusion) Wants() string                              { return "" }
func (s *diffusion) Fetched(string, []byte, error) *wire.Notice { return nil }
func (s *diffusion) Status() wire.Status                        { return wire.Idle }
func (s *diffusion) Saved() []byte                              { return nil } // the link says it all
func (s *diffusion) Save(what string) (string, []byte, error) {
	return "", nil, fmt.Errorf("there is no file called %s", quote(what))
}
func (s *diffusion) StateChanged() bool { return s.stateStale }
func (s *diffusion) Fragment() string   { return "v=1&lab=" + diffusionName + "&d=" + s.number() }
func (s *diffusion) number() string     { return strconv.FormatFloat(s.d, 'g', -1, 64) }

func (s *diffusion) Apply(c wire.Command) *wire.Notice {
	s.stateStale = true
	switch {
	case c.Kind == wire.Set && c.Name == "d":
		return failure(s.set(c.Value))
	case c.Kind == wire.Press && c.Name == "play":
		s.playing = !s.playing
	case c.Kind == wire.Press && c.Name == "restart":
		s.restart()
	case c.Kind == wire.Link || c.Kind == wire.Restore:
		if v, err := url.ParseQuery(c.Value); err == nil && v.Has("d") {
			return failure(s.set(v.Get("d")))
		}
	}
	return nil
}

func (s *diffusion) set(value string) error {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v >= 0.01 && v <= 10) {
		return fmt.Errorf("D cannot be %s: give a number from 0.01 to 10", quote(value))
	}
	s.d = v
	s.restart()
	return nil
}

func (s *diffusion) Work(time.Duration) (busy bool, n *wire.Notice) {
	if s.playing {
		s.advance()
	}
	return s.playing, nil
}

func (s *diffusion) AppendFrame(b []byte) []byte {
	if !s.frameStale {
		return b
	}
	s.frameStale = false
	f := &s.frame
	f.Begin(diffusionName)
	f.Put("x", s.x...)
	f.Put("msd", s.msd...)
	f.Put("end", float32(4*s.d*diffusionDt*diffusionSteps)) // 4Dt at the end
	f.Put("law", float32(s.law()))
	return f.AppendChanges(b)
}

func (s *diffusion) Forget() {
	s.frame.Forget()
	s.frameStale = true
}

func (s *diffusion) State() any {
	s.stateStale = false
	st := wire.State{Lab: diffusionName, Status: s.Status().String(), Playing: s.playing, Fragment: s.Fragment(),
		Values: map[string]string{"d": s.number()}, Labels: map[string]string{"play": "Pause"},
		Lede: "Particles **diffuse** freely."}
	if !s.playing {
		st.Labels["play"] = "Play"
	}
	ratio := wire.Figure{ID: "ratio"}
	if law := s.law(); law > 0 {
		ratio.Text = strconv.FormatFloat(float64(s.msd[len(s.msd)-1])/law, 'f', 2, 64)
	}
	st.Figures = []wire.Figure{ratio}
	return st
}
