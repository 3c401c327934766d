package chart

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Clock is the time axis that plots share. It reads the rows "now", "known" and "horizon", which
// count frames. The row "dt" is the time between two frames. The row "logtime" says whether the
// axis is logarithmic. The rows "left" and "leftwhat" say at which frame, and in which variable,
// the prediction leaves the training range. Plots and keys request frames from the Clock.
type Clock struct {
	now, known, horizon int
	dt                  float64 // time between two frames; 1 if the row is missing
	log                 bool
	left                int // frame at which the prediction leaves the training range; -1: never
	leftWhat, leftSign  []byte

	hover          int // frame whose values are displayed; -1: none
	seek           int // frame to request; -1: none
	asked, waiting int // asked: requested frame that has not arrived, -1 if none; waiting: number of frames received since the request
}

// NewClock returns a Clock at 0.
func NewClock() *Clock { return &Clock{dt: 1, horizon: 1, left: -1, hover: -1, seek: -1, asked: -1} }

// Read reads the clock's rows.
func (k *Clock) Read(f *wire.Frame) {
	k.known = panel.Count(f, "known", 0)
	k.horizon = max(1, k.known, panel.Count(f, "horizon", 1))
	k.now = min(panel.Count(f, "now", 0), k.horizon)
	if k.dt = panel.Interval(f); k.dt != k.dt {
		k.dt = 1
	}
	k.log = panel.Count(f, "logtime", 0) > 0
	k.left, k.leftWhat, k.leftSign = panel.Count(f, "left", -1), f.Text("leftwhat"), f.Text("leftsign")
	if k.left > k.horizon || !panel.Revealed(f, panel.Prediction) {
		k.left = -1
	}
	if k.waiting++; k.now == k.asked || k.waiting > panel.Patience {
		k.asked = -1
	}
}

// Horizon returns the last frame.
func (k *Clock) Horizon() int { return k.horizon }

func (k *Clock) at(frame int) float64 { return float64(frame) * k.dt }

// Flush requests the frame that was sought last, once per picture.
func (k *Clock) Flush(c *panel.Canvas) {
	if k.seek < 0 {
		return
	}
	if k.seek != k.asked {
		c.Command("seek", strconv.Itoa(k.seek))
	}
	k.asked, k.waiting, k.seek = k.seek, 0, -1
}

// Key handles a key. Left and Right go back and forward by one frame, with shift by ten; Home goes
// to the first frame, End to the last known frame.
func (k *Clock) Key(key string, shift bool) bool {
	from := k.now
	if k.asked >= 0 {
		from = k.asked
	}
	switch key {
	case "ArrowLeft", "ArrowRight":
		dx, _ := panel.Step(key, shift)
		k.seek = min(max(from+int(dx), 0), k.horizon)
	case "Home":
		k.seek = 0
	case "End":
		k.seek = k.known
	default:
		return false
	}
	return true
}

// Ease does nothing: a Clock jumps.
func (k *Clock) Ease(float64, float64) (moving bool) { return false }

// Look stores the frame whose values the user reads in one of the charts: the frame at the pointer
// or, if a chart has the keyboard focus, the displayed frame.
func (k *Clock) Look(c *panel.Canvas, panels []panel.Panel) {
	k.hover = -1
	if _, ok := c.Focus.(*Chart); ok {
		k.hover = k.now
	}
	for _, p := range panels {
		if s, ok := p.(*Chart); ok && s.clock == k && s.At.H > 0 && c.Over(k.reach(c, s)) && (c.Pressed == nil || c.Pressed == p) {
			k.hover = k.index(s.x.Value(c.Pointer.X))
		}
	}
}

func (k *Clock) extent() (now, known, end int) { return k.now, k.known, k.horizon }

// nearby is a share of the horizon. Up to this share a logarithmic time axis is nearly linear.
// With this value, the first tenth of the horizon takes two fifths of the axis.
const nearby = 1.0 / 30

func (k *Clock) span(s *Chart, _, _ float64) (moving bool) {
	if s.x.Hi, s.x.Near = k.at(k.horizon), 0; k.log {
		s.x.Near = nearby * s.x.Hi
	}
	return false
}

func (k *Clock) index(x float64) int {
	v := math.Round(x / k.dt)
	if v != v {
		return 0
	}
	return int(min(max(v, 0), float64(k.horizon)))
}

func (k *Clock) reads(*panel.Canvas, *Chart) int { return k.hover }

func (k *Clock) name() (title, word string, letters float32) { return "time", "time", 5 }

func (k *Clock) reach(c *panel.Canvas, s *Chart) plot.Rect {
	return s.area.Inset(-6*c.Unit, 0, -6*c.Unit, -c.Row())
}
