package polymer

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/polymer"
	"macroscope/sim/rng"
)

var choose = flag.Int("choose", 0, "choose the starts of tests for chains of so many beads and write them to "+startsFile)

// effort contains the size of the search in TestChoose for each number of beads. `coils` and
// `folds` count the candidates of each kind, `runs` the runs from each candidate. `finalists`
// counts the finalists per test, `again` the runs from each finalist.
var effort = map[int]struct{ coils, folds, runs, finalists, again int }{
	100: {16, 44, 16, 3, 64},
	300: {4, 16, 16, 1, 16},
}

// TestChoose writes the file of starts for the polymer's tests, see startsFile.
func TestChoose(t *testing.T) {
	if *choose == 0 {
		t.Skip("chooses starts only when asked to")
	}
	c, e := chain(*choose), effort[*choose]
	if e.runs == 0 {
		t.Fatalf("no effort is known for %d beads", *choose)
	}
	levels := plateaus(t, c)
	var all []*candidate
	for i := range e.coils + e.folds {
		p := &candidate{folded: i >= e.coils, x: make([]float32, dim*c.N)}
		r := rng.New(1, "polymer test start", uint64(i))
		if p.folded {
			fold(p.x, c, r)
		} else {
			c.Equilibrium(p.x, r.Rand)
		}
		all = append(all, p)
	}
	follow(t, c, all, e.runs, levels[0])
	var x []float32
	for i, name := range testNames {
		var of []*candidate
		for _, p := range all {
			if p.is(name) {
				of = append(of, p)
			}
		}
		nearest(of, modes[i])
		of = of[:e.finalists]
		follow(t, c, of, e.again, levels[0])
		nearest(of, modes[i])
		for _, p := range of {
			t.Logf("%s: %v", name, p)
		}
		x = append(x, of[0].x...)
	}
	arrays := map[string]*data.Array{}
	if b, err := os.ReadFile(startsFile); err == nil {
		if arrays, err = data.ReadNPZ(strings.NewReader(string(b)), int64(len(b))); err != nil {
			t.Fatal(err)
		}
	}
	starts, level := arraysOf(c.N)
	arrays[starts] = data.NewArray([]int{len(testNames), c.N, dim}, x)
	arrays[level] = data.NewArray([]int{len(levels)}, levels)
	f, err := os.Create(startsFile)
	if err == nil {
		err = data.WriteNPZ(f, arrays)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// modes contains, for each of testNames, the most frequent frame in which the published chain
// unfolds.
var modes = []float64{210, 350, 490}

// candidate is a start with the frames in which it unfolds.
type candidate struct {
	folded bool
	x      []float32
	frames []float64
}

func (p *candidate) String() string {
	mean, sd := stat.MeanStdDev(p.frames, nil)
	return fmt.Sprintf("folded %v, extension %.1f, unfolds in %g…%g, mean %.0f, sd %.0f, mode %.0f", p.folded, extension(p.x), floats.Min(p.frames), floats.Max(p.frames), mean, sd, p.mode())
}

// The method `is` reports whether a start suits a test. A short coil suits the medium test. A fold
// with a certain extension suits the other tests.
func (p *candidate) is(test string) bool {
	n := float64(len(p.x) / dim)
	if e := extension(p.x) / n; test == medium {
		return !p.folded && e < 0.2
	} else {
		return p.folded && e > 0.18 && e < 0.32
	}
}

// mode returns the most frequent frame of unfolding, by a Gaussian kernel density.
func (p *candidate) mode() (at float64) {
	const width = 30
	peak := 0.0
	for f := range 1001 {
		sum := 0.0
		for _, v := range p.frames {
			sum += math.Exp(-(v - float64(f)) * (v - float64(f)) / (2 * width * width))
		}
		if sum > peak {
			peak, at = sum, float64(f)
		}
	}
	return at
}

func nearest(of []*candidate, mode float64) {
	slices.SortStableFunc(of, func(a, b *candidate) int {
		return int(math.Abs(a.mode()-mode)) - int(math.Abs(b.mode()-mode))
	})
}

// follow finds the frame in which each run of a candidate unfolds. A run that does not unfold
// gets the last frame.
func follow(t *testing.T, c polymer.Config, of []*candidate, runs int, level float64) {
	err := work.ForEach(work.Until(context.Background()), len(of), 0, func(_ work.Pause, i int) error {
		frames, err := polymer.Unfold(context.Background(), c, 2, of[i].x, runs, level)
		of[i].frames = of[i].frames[:0]
		for _, f := range frames {
			if f < 0 {
				f = c.Frames - 1
			}
			of[i].frames = append(of[i].frames, float64(f))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// plateaus simulates stretched chains. It returns a threshold for the extension and a threshold for
// the span. A chain above the threshold counts as unfolded. Each threshold is the mean over chains
// and frames, minus one standard deviation.
func plateaus(t *testing.T, c polymer.Config) []float64 {
	var mu sync.Mutex
	var seen [2][]float64
	straight := make([]float32, dim*c.N)
	for i := range c.N {
		straight[dim*i] = float32(i)
	}
	c.Frames = 401
	err := system.Each(work.Until(t.Context()), &simulated{config: c, seed: 3, count: 32, from: straight}, 32, 0, func(_ int, tr *system.Trajectory) error {
		mu.Lock()
		defer mu.Unlock()
		for k := 100; k < c.Frames; k += 4 {
			seen[0] = append(seen[0], tr.Macro[k])
			seen[1] = append(seen[1], span(tr.Points[k*dim*c.N:(k+1)*dim*c.N]))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var levels []float64
	for _, v := range seen {
		slices.Sort(v) // workers finish in any order
		mean, sd := stat.MeanStdDev(v, nil)
		t.Logf("plateau %.2f, sd %.2f", mean, sd)
		levels = append(levels, mean-sd)
	}
	return levels
}
