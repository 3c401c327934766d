// Package ensemble simulates many realisations of the displayed chain: the same first frame
// with independent noise. It shows their unfolding times next to the unfolding times predicted
// by model A.
package ensemble

import (
	"fmt"
	"math"
	"slices"
	"time"

	"macroscope/model/lab/extras"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/polymer"
	"macroscope/model/wire"
)

const (
	most = 100 // number of realisations
	bins = 40  // number of bins in the histogram of unfolding times
)

// A realisation has the outline `none` until it has reached the displayed frame.
var none = func() (row []float32) {
	for range 2 * polymer.OutlinePoints {
		row = append(row, float32(math.NaN()))
	}
	return row
}()

// claim is a range of realisations that a helper simulates.
type claim struct {
	of       int // number of the Crowd to which the realisations belong, see Crowd.number
	first, n int
}

// Crowd is the ensemble of simulated realisations. It is not safe for concurrent use.
type Crowd struct {
	live *polymer.Live

	run    uint64    // generation of the displayed run
	number int       // number of the present crowd; a late answer with another number is ignored
	start  []float32 // first frame of all realisations (N, 3)
	chains []*polymer.Realisation
	next   int            // index of the first realisation that is not claimed yet
	back   []claim        // claims of lost helpers, to be claimed again
	own    *polymer.Batch // the batch that this worker simulates
	open   [][]claim      // outstanding claims, by helper
	job    []byte
	failed string
	began  time.Time // when the first realisation began

	model  *model.Model
	told   time.Time
	of     *view.Prediction // model A's prediction; nil if there is no model
	level  float64
	passed []int // first unfolded frame of every predicted member; -1: none

	row, unfolded []float32 // scratch memory
	fresh         bool
}

// New returns the Crowd of the runs that `live` plays.
func New(live *polymer.Live) *Crowd { return &Crowd{live: live} }

// Look implements extras.Part.
func (c *Crowd) Look(now extras.Now) {
	if !c.live.Many() {
		c.fresh = c.fresh || c.chains != nil
		*c = Crowd{live: c.live, open: c.open, number: c.number, fresh: c.fresh}
		return
	}
	if run := c.live.Run().Generation; c.chains == nil || run != c.run {
		*c = Crowd{live: c.live, open: c.open, number: c.number + 1, run: run, start: c.live.Start(), fresh: true, level: c.live.Unfolded()}
		for range most {
			c.chains = append(c.chains, &polymer.Realisation{Passed: -1})
		}
	}
	c.lookAt(now)
}

// lookAt starts model A's prediction, and restarts it when A's weights have changed.
func (c *Crowd) lookAt(now extras.Now) {
	a := now.A
	if !a.Predicts() || !a.Begun || !now.Run.Predicts(a.Model) {
		c.of, c.model = nil, nil
		return
	}
	if c.model == a.Model && c.told.Equal(a.Told) {
		return
	}
	var f system.Frame
	past, ok := view.Told(&f, c.live, a.Model)
	if !ok {
		c.of, c.model = nil, nil
		return
	}
	c.model, c.told, c.fresh = a.Model, a.Told, true
	c.of, c.passed = view.NewPrediction(a.Model, now.Members), nil
	c.of.Each = func(frame, variable int, values []float32) {
		if c.passed == nil {
			for range values {
				c.passed = append(c.passed, -1)
			}
		}
		for i, v := range values {
			if c.passed[i] < 0 && float64(v) > c.level {
				c.passed[i] = frame
			}
		}
	}
	c.of.Begin(&f, past, c.live.Run().Horizon, now.Run.Seed, false)
}

// claim returns the next realisations to simulate. n is 0 if none are left.
func (c *Crowd) claim() (l claim) {
	if n := len(c.back); n > 0 {
		l, c.back = c.back[n-1], c.back[:n-1]
		return l
	}
	l = claim{c.number, c.next, min(polymer.Side(), len(c.chains)-c.next)}
	c.next += l.n
	return l
}

// Work implements extras.Part. It first works on the prediction, then on a batch of
// realisations.
func (c *Crowd) Work(clock func() time.Time, budget time.Duration) (busy, changed bool) {
	began := clock()
	within := func() bool { return clock().Sub(began) < budget }
	for c.of != nil && !c.of.Complete() {
		if c.of.Step(); !within() {
			return true, c.changed()
		}
	}
	if c.began.IsZero() {
		c.began = began
	}
	for c.failed == "" && c.chains != nil {
		if c.own == nil {
			l := c.claim()
			if l.n == 0 {
				break
			}
			b, err := polymer.Realise(c.live.Texts(), c.start, l.first, l.n)
			if err != nil {
				c.fail(err)
				break
			}
			c.own = b
			copy(c.chains[l.first:], b.Chains)
		}
		ended, err := c.own.Advance()
		if err != nil {
			c.fail(err)
		}
		if c.fresh = true; ended {
			c.own = nil
		}
		if !within() {
			return true, c.changed()
		}
	}
	return false, c.changed()
}

func (c *Crowd) changed() (changed bool) {
	changed, c.fresh = c.fresh, false
	return changed
}

// fail ends the crowd with an error.
func (c *Crowd) fail(err error) { c.failed, c.fresh = err.Error(), true }

// Helpers implements extras.Pooled. It counts the helpers with outstanding jobs too, so that
// the page does not end them.
func (c *Crowd) Helpers() int {
	if c.failed != "" || c.chains == nil {
		return 0
	}
	left, last := len(c.chains)-c.next, 0
	for _, l := range c.back {
		left += l.n
	}
	for helper, open := range c.open {
		for _, l := range open {
			if l.of == c.number {
				left, last = left+l.n, helper+1
			}
		}
	}
	return max(last, (left+polymer.Side()-1)/polymer.Side())
}

// Job implements extras.Pooled.
func (c *Crowd) Job(helper int) []byte {
	if c.chains == nil || c.failed != "" {
		return nil
	}
	l := c.claim()
	if l.n == 0 {
		return nil
	}
	for len(c.open) <= helper {
		c.open = append(c.open, nil)
	}
	c.open[helper] = append(c.open[helper], l)
	c.job = appendJob(c.job[:0], c.live.Texts(), c.start, l.first, l.n)
	return c.job
}

// Done implements extras.Pooled.
func (c *Crowd) Done(helper int, result []byte, err error) {
	if helper >= len(c.open) || len(c.open[helper]) == 0 {
		return
	}
	l := c.open[helper][0]
	c.open[helper] = c.open[helper][1:]
	if l.of != c.number || c.chains == nil {
		return // the crowd to which this answer belongs is no longer displayed
	}
	if err == nil {
		err = take(c.chains[l.first:l.first+l.n], result)
	}
	if c.fresh = true; err != nil {
		c.fail(err)
	}
}

// Lost implements extras.Pooled.
func (c *Crowd) Lost(helper int) {
	if helper >= len(c.open) {
		return
	}
	for _, l := range c.open[helper] {
		if l.of == c.number && c.chains != nil {
			c.back = append(c.back, l)
		}
	}
	c.open[helper] = nil
}

// tally returns how many realisations have ended, how many of them have unfolded, and their
// mean unfolding time.
func (c *Crowd) tally() (ended, unfolded int, mean float64) {
	for _, r := range c.chains {
		if r.Ended {
			ended++
		}
		if r.Passed >= 0 {
			unfolded++
			mean += float64(r.Passed)
		}
	}
	return ended, unfolded, mean / float64(unfolded)
}

// Put implements extras.Part. It adds these rows:
//
//	crowdDone       number of realisations that have ended
//	crowd           outlines of all realisations in the displayed frame (most, points, 2);
//	                NaN for a realisation that has not reached the frame
//	crowdOpen       1 for each realisation that has unfolded by the displayed frame, otherwise 0
//	crowdTimes      for every frame, the percentage of realisations that unfold in the frame's bin
//	crowdPredicted  the same histogram for the unfolding times that model A predicts
//	crowdZero       base line of the two histograms
func (c *Crowd) Put(f *wire.Frame) {
	if c.chains == nil {
		return
	}
	ended, _, _ := c.tally()
	now := c.live.Player().Now()
	f.Put("crowdDone", float32(ended))
	c.row, c.unfolded = c.row[:0], c.unfolded[:0]
	for _, r := range c.chains {
		at, is := r.At(now), float32(0)
		if at == nil {
			at = none
		}
		if r.Passed >= 0 && r.Passed <= now {
			is = 1
		}
		c.row, c.unfolded = append(c.row, at...), append(c.unfolded, is)
	}
	f.Put("crowd", c.row...)
	f.Put("crowdOpen", c.unfolded...)
	c.clear()
	f.Put("crowdZero", c.row...)
	for _, r := range c.chains {
		c.count(r.Passed, len(c.chains))
	}
	f.Put("crowdTimes", c.row...)
	if c.of == nil || !c.of.Complete() {
		return
	}
	c.clear()
	for _, k := range c.passed {
		c.count(k, len(c.passed))
	}
	f.Put("crowdPredicted", c.row...)
}

// clear sets c.row to a zero for every frame.
func (c *Crowd) clear() {
	n := c.live.Run().Horizon + 1
	c.row = slices.Grow(c.row[:0], n)[:n]
	clear(c.row)
}

// The method `count` adds the unfolding time k of a realisation to the histogram c.row. k is -1 for
// a realisation that never unfolds. `of` is the number of realisations. c.row has one element for
// each frame. The unit is percent of the realisations. The method adds 100/`of` to all frames in
// the bin of k.
func (c *Crowd) count(k, of int) {
	n := len(c.row)
	if k < 0 || k >= n {
		return
	}
	width := max(1, (n+bins-1)/bins)
	from := k / width * width
	for i := from; i < min(from+width, n); i++ {
		c.row[i] += 100 / float32(of)
	}
}

// sure is the share of realisations that must have ended before the remaining time is
// estimated.
const sure = 0.03

// Task implements extras.Part.
func (c *Crowd) Task(now time.Time) (text string, share, left float64) {
	if c.chains == nil || c.failed != "" {
		return "", 0, 0
	}
	ended, _, _ := c.tally()
	if ended == len(c.chains) {
		return "", 0, 0
	}
	for _, r := range c.chains {
		if r.Ended {
			share++
		} else {
			share += r.Share(c.live.Run().Horizon)
		}
	}
	share /= float64(len(c.chains))
	if share >= sure && !c.began.IsZero() {
		left = now.Sub(c.began).Seconds() * (1/share - 1)
	}
	return fmt.Sprintf("%d of %d runs from this start have ended (“nothing” under Side by side stops them)", ended, len(c.chains)), share, left
}

// Summary implements extras.Part.
func (c *Crowd) Summary() string {
	switch {
	case c.failed != "":
		return " The realisations have ended: " + c.failed + "."
	case c.chains == nil:
		return ""
	}
	ended, unfolded, mean := c.tally()
	text := fmt.Sprintf(" Of %d runs from this start **%d** have ended", len(c.chains), ended)
	if unfolded > 0 {
		text += fmt.Sprintf(", unfolded at frame **%.0f** on average", mean)
	}
	if c.of != nil && c.of.Complete() {
		sum, n := 0.0, 0
		for _, k := range c.passed {
			if k >= 0 {
				sum, n = sum+float64(k), n+1
			}
		}
		if mean := sum / float64(n); !math.IsNaN(mean) {
			text += fmt.Sprintf("; predicted: **%.0f**", mean)
		}
	}
	return text + "."
}
