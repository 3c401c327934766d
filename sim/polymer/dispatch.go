package polymer

import (
	"fmt"

	"macroscope/sim/simd"
)

// impl is one implementation of the loops of a step; ref.go and repel.go say what
// they do. All have the same bits.
type impl struct {
	name  string
	width int // chains side by side that are best

	noise    func(g *group, scale float32, node uint32)
	angles   func(g *group)
	metric   func(g *group)
	bend     func(g *group, metric, repulsion float32)
	move     func(g *group, flow *[3]float32, bent bool)
	residual func(g *group)
	solve    func(g *group)
	finish   func(g *group)
	place    func(g *group)
	near     func(g *group, least int, rods bool)
	meet     func(g *group, rods bool)
}

var plain = impl{
	name: "plain", width: 1,
	noise:    func(g *group, scale float32, node uint32) { refNoise(g, scale, node, 0) },
	angles:   func(g *group) { refAngles(g, 0) },
	metric:   refMetric,
	bend:     func(g *group, metric, repulsion float32) { refBend(g, metric, repulsion, 0) },
	move:     refMove,
	residual: func(g *group) { refResidual(g, 0) },
	solve:    refSolve,
	finish:   func(g *group) { refFinish(g, 0) },
	place:    refPlace,
	near:     func(g *group, least int, _ bool) { refNear(g, least) },
	meet:     func(g *group, _ bool) { refMeet(g) },
}

// Form returns the name of the form, see Implementation.
func (im impl) Form() string { return im.name }

// choice is among implementations(), which lists what this processor can run from the
// plainest to the fastest.
var choice simd.Choice[impl]

// active is the implementation in use.
func active() *impl { return choice.Of(implementations) }

// Implementation says which form of the loops is in use: "plain", "avx2",
// "avx512", "neon" or "simd128".
func Implementation() string { return active().name }

// Use makes the named form of the loops serve until restore is called. No
// simulation may go on from before.
func Use(name string) (restore func(), err error) {
	if restore, err = choice.Use(name, implementations); err != nil {
		return nil, fmt.Errorf("polymer: %w", err)
	}
	return restore, nil
}
