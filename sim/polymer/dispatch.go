package polymer

import "macroscope/sim/simd"

//go:generate go run macroscope/serve/generate lanes512.go 256 128

// impl is one implementation of the loops of a step; ref.go and repel.go define
// them. All implementations give the same bits. The loops with a float32 argument, noise and bend,
// leave their last elements to the caller and return how many elements are done. Otherwise Go keeps
// the argument on the stack for the last elements, and loads it with an SSE instruction in every
// round. On Intel's processors this made the noise 8 times as slow.
type impl struct {
	name  string
	width int // number of chains side by side for which a step takes the least time per chain

	noise    func(g *group, scale float32, node uint32) (done int)
	angles   func(g *group)
	metric   func(g *group)
	bend     func(g *group, metric, repulsion float32) (done int)
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
	noise:    func(*group, float32, uint32) int { return 0 },
	angles:   func(g *group) { refAngles(g, 0) },
	metric:   refMetric,
	bend:     func(*group, float32, float32) int { return 0 },
	move:     refMove,
	residual: func(g *group) { refResidual(g, 0) },
	solve:    refSolve,
	finish:   func(g *group) { refFinish(g, 0) },
	place:    refPlace,
	near:     func(g *group, least int, _ bool) { refNear(g, least) },
	meet:     func(g *group, _ bool) { refMeet(g) },
}

// Form returns the implementation's name. The comment of Implementation lists all names.
func (im impl) Form() string { return im.name }

var choice = simd.Choice[impl]{Package: "polymer", List: implementations}

// active is the implementation in use.
func active() *impl { return choice.Serving() }

// Implementation returns the name of the form in use: "plain", "avx2", "avx512",
// "neon" or "simd128".
func Implementation() string { return active().name }

// Use selects the named form of the loops until `restore` is called. Existing
// simulations must not continue across the change.
func Use(name string) (restore func(), err error) { return choice.Use(name) }
