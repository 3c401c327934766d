package polymer

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"sync"

	"macroscope/model/file/data"
	"macroscope/model/system"
)

// The names of the tests. Each test has one start and many realisations of the noise.
const (
	fast   = "fast"
	medium = "medium"
	slow   = "slow"
)

var testNames = []string{fast, medium, slow}

// startsFile contains three starts and two levels for chains of 100 beads. It contains the same
// arrays for chains of 300 beads.
//
// A chain counts as unfolded if its extension or span is above the level. Each level is the mean
// extension or span of stretched chains, minus one standard deviation.
//
// The starts are a coil (medium) and two folds. TestChoose selected the three starts that unfold
// most often in frames near 210, 350 and 490, as in the paper.
const startsFile = "starts.npz"

//go:generate go test -run TestChoose -timeout 0 -choose 100
//go:generate go test -run TestChoose -timeout 0 -choose 300

//go:embed starts.npz
var startsData []byte

// arraysOf returns the names of the arrays for chains with the given number of beads: starts
// (3, N, 3) and levels (2).
func arraysOf(beads int) (starts, levels string) {
	return fmt.Sprint("starts", beads), fmt.Sprint("unfolded", beads)
}

var (
	reading sync.Once
	arrays  map[string]*data.Array
)

// stored returns the arrays of startsFile. The first call reads it.
func stored() map[string]*data.Array {
	reading.Do(func() {
		var err error
		arrays, err = data.ReadNPZ(bytes.NewReader(startsData), int64(len(startsData)))
		if err != nil {
			panic("polymer: " + startsFile + ": " + err.Error()) // the file is part of the program
		}
	})
	return arrays
}

// tests returns the paper's tests if startsFile has starts for this number of beads. Otherwise it returns one
// test with starts as in training.
func (k kind) tests(particles int) []system.Test {
	particles = cmp.Or(particles, published)
	test := func(name string, from []float32, number int) system.Test {
		return system.Test{Name: name, Fixed: true, Source: func(c system.Choice) system.Source {
			return &simulated{kind: k, config: chain(particles), seed: c.Seed, count: c.Count, first: system.FirstOfTests + number<<40, from: from}
		}}
	}
	name, _ := arraysOf(particles)
	starts := stored()[name]
	if starts == nil {
		return []system.Test{test("in-dst", nil, 0)}
	}
	var tests []system.Test
	x, size := starts.Float32s(), dim*particles
	for i, name := range testNames {
		tests = append(tests, test(name, x[i*size:(i+1)*size], 1+i))
	}
	return tests
}

// passed implements system.System. The level is the extension or span above which a chain
// counts as unfolded.
func (k kind) passed(particles int) (level float64, known bool) {
	_, name := arraysOf(particles)
	levels := stored()[name]
	if levels == nil {
		return 0, false
	}
	if k.video {
		return levels.Float64s()[1], true
	}
	return levels.Float64s()[0], true
}
