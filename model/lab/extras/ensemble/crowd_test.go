package ensemble

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/lab/extras"
	"macroscope/model/system/polymer"
	"macroscope/model/wire"
)

// begun returns a Crowd for a short run, with a clock that stands still.
func begun(t *testing.T) (*polymer.Live, *Crowd) {
	t.Helper()
	l := polymer.System().Live().(*polymer.Live)
	for _, s := range [][2]string{{"n", "10"}, {"frames", "100"}, {"rate", "10"}, {"start", "coil"}, {"beside", "many"}} {
		if err := l.Set(s[0], s[1]); err != nil {
			t.Fatal(err)
		}
	}
	c := New(l)
	c.Look(extras.Now{})
	return l, c
}

// settled(c) returns when the session's worker has no work left.
func settled(c *Crowd) {
	for busy := true; busy; {
		c.Look(extras.Now{})
		busy, _ = c.Work(time.Now, time.Millisecond)
	}
}

// put returns a copy of the row of unfolding times, and the number of ended realisations.
func put(c *Crowd) (times []float32, done float64) {
	f := new(wire.Frame)
	f.Begin("polymer")
	c.Put(f)
	return slices.Clone(f.Numbers("crowdTimes")), f.Number("crowdDone")
}

// TestTally checks the statistics of unfolding times. The mean must include only the realisations
// that have unfolded. In the histogram, a realisation must count in every frame of the bin that
// contains its unfolding time.
func TestTally(t *testing.T) {
	c := &Crowd{chains: []*polymer.Realisation{{Ended: true, Passed: 10}, {Ended: true, Passed: 30}, {Ended: true, Passed: -1}, {Passed: -1}}}
	if ended, unfolded, mean := c.tally(); ended != 3 || unfolded != 2 || mean != 20 {
		t.Errorf("%d ended, %d unfolded at %g on average, want 3, 2, 20", ended, unfolded, mean)
	}
	c.row = make([]float32, 3*bins)
	c.count(4, 50)
	want := make([]float32, 3*bins)
	want[3], want[4], want[5] = 2, 2, 2
	if !slices.Equal(c.row, want) {
		t.Errorf("frame 4 of 50 counts as %v", c.row[:9])
	}
}

// TestHelpersAgree checks that a session with helpers gives the same result as the session
// alone, although one helper is lost and one is late.
func TestHelpersAgree(t *testing.T) {
	_, alone := begun(t)
	settled(alone)
	times, done := put(alone)
	if sum := total(times); done != most || !(sum > 0) {
		t.Fatalf("%g have ended, %g %% unfolded", done, sum)
	}

	l, c := begun(t)
	helper := new(Helper)
	if c.Helpers() < 1 {
		t.Fatal("no use for helpers")
	}
	c.Job(0)
	c.Job(1)
	c.Lost(1)
	for job := c.Job(0); job != nil; job = c.Job(0) { // at first helper 0 has two open jobs, and must answer the older job first
		job = slices.Clone(job)
		if len(c.open[0]) == 2 {
			first := c.open[0][0]
			b, err := helper.Do(appendJob(nil, l.Texts(), l.Start(), first.first, first.n), func() {})
			c.Done(0, b, err)
		}
		b, err := helper.Do(job, func() {})
		c.Done(0, b, err)
	}
	settled(c)
	got, done := put(c)
	if done != most || !slices.Equal(got, times) || c.failed != "" {
		t.Errorf("with helpers %g have ended (%s), %g and %g %% unfolded", done, c.failed, total(got), total(times))
	}
	for i, r := range c.chains {
		if !slices.Equal(r.Outline, alone.chains[i].Outline) || r.Passed != alone.chains[i].Passed {
			t.Fatalf("run %d is another with helpers", i)
		}
	}
	if c.Helpers() != 0 || c.Job(0) != nil {
		t.Error("there is still work for helpers")
	}
}

// TestPutAllocatesNothing checks that filling a frame again allocates no memory.
func TestPutAllocatesNothing(t *testing.T) {
	_, c := begun(t)
	settled(c)
	f := new(wire.Frame)
	fill := func() {
		f.Begin("polymer")
		c.Put(f)
	}
	fill()
	if n := testing.AllocsPerRun(10, fill); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func total(row []float32) (sum float64) {
	for i := 0; i < len(row); i += (len(row) + bins - 1) / bins {
		sum += float64(row[i])
	}
	return sum
}

// TestStop stops a Crowd, which must then ignore late answers of helpers.
func TestStop(t *testing.T) {
	l, c := begun(t)
	job := slices.Clone(c.Job(0))
	if err := l.Set("beside", "none"); err != nil {
		t.Fatal(err)
	}
	c.Look(extras.Now{})
	if busy, changed := c.Work(time.Now, time.Millisecond); busy || !changed || c.Helpers() != 0 || c.Job(0) != nil || c.Summary() != "" {
		t.Error("it goes on")
	}
	if err := l.Set("beside", "many"); err != nil {
		t.Fatal(err)
	}
	c.Look(extras.Now{})
	b, err := new(Helper).Do(job, func() {})
	c.Done(0, b, err)
	c.Done(0, nil, errors.New("which it was not asked for"))
	if _, done := put(c); c.failed != "" || done != 0 {
		t.Errorf("a late answer: %s, %g of another crowd have ended", c.failed, done)
	}
}

// TestTheLastHelper gives the last job to helper 2. The method Helpers must then return 3, so that
// the page keeps helper 2.
func TestTheLastHelper(t *testing.T) {
	_, c := begun(t)
	c.next = most - polymer.Side()
	if c.Job(2) == nil || c.Helpers() != 3 {
		t.Errorf("%d helpers have a use, and the third has the last job", c.Helpers())
	}
}

// TestTask checks the share of work done and the remaining time, until the Crowd has ended.
func TestTask(t *testing.T) {
	_, c := begun(t)
	start := time.Unix(1e9, 0)
	c.Work(func() time.Time { return start }, 0)
	if text, share, left := c.Task(start.Add(time.Second)); !strings.HasPrefix(text, "0 of 100 runs") || share > 0.01 || left != 0 {
		t.Errorf("at the start: %q, %g, %g s left", text, share, left)
	}
	for _, r := range c.chains[:50] {
		r.Ended = true
	}
	if text, share, left := c.Task(start.Add(10 * time.Second)); !strings.HasPrefix(text, "50 of 100 runs") || share < 0.5 || share > 0.51 || left > 10 || left < 9.5 {
		t.Errorf("half way: %q, %g, %g s left", text, share, left)
	}
	for _, r := range c.chains {
		r.Ended = true
	}
	if text, _, _ := c.Task(start); text != "" {
		t.Errorf("at the end: %q", text)
	}
}

// TestDamagedJobs checks the errors for invalid jobs and answers.
func TestDamagedJobs(t *testing.T) {
	l, _ := begun(t)
	whole := appendJob(nil, l.Texts(), l.Start(), 0, 1)
	for _, job := range [][]byte{nil, whole[:7], whole[:20], whole[:60], appendJob(nil, l.Texts(), l.Start(), 0, 0), appendJob(nil, l.Texts(), l.Start(), 1<<30, 1), appendJob(nil, l.Texts(), l.Start(), 0, 1<<30)} {
		if _, err := new(Helper).Do(job, func() {}); err == nil {
			t.Errorf("%q is done", job)
		}
	}
	words := 0
	b, err := new(Helper).Do(whole, func() { words++ })
	if err != nil || words < 2 {
		t.Fatalf("%d words while it works, error %v", words, err)
	}
	for _, n := range []int{0, 7, len(b) - 1} {
		if take([]*polymer.Realisation{{}}, b[:n]) == nil {
			t.Errorf("%d bytes of %d are taken", n, len(b))
		}
	}
}
