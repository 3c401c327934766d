package polymer

import (
	"fmt"
	"sync"
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
	meet     func(g *group)
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
	near:     refNear,
	meet:     refMeet,
}

var (
	choose sync.Once
	chosen impl
)

// active is the implementation in use: at first the last, fastest entry of
// implementations(), which lists what this processor can run. It is chosen when it is
// first asked for, so that a program that simulates no chain does not hold them.
func active() *impl {
	choose.Do(func() {
		all := implementations()
		chosen = all[len(all)-1]
	})
	return &chosen
}

// Implementation says which form of the loops is in use: "plain", "avx2",
// "avx512", "neon" or "simd128".
func Implementation() string { return active().name }

// Use makes the named form of the loops serve until restore is called. No
// simulation may go on from before.
func Use(name string) (restore func(), err error) {
	for _, im := range implementations() {
		if im.name == name {
			was := *active()
			chosen = im
			return func() { chosen = was }, nil
		}
	}
	return nil, fmt.Errorf("polymer: no implementation %q here", name)
}
