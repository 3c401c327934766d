package verify

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"macroscope/model/compute/tensor"
	"macroscope/sim/polymer"
	"macroscope/sim/polymer/video"
	"macroscope/sim/rng"
)

// The checks compare statistics of bead chains with a short simulation. An error is divided by the
// allowed error. The allowed error is a sum of two parts. The first part covers chance. It is
// polymerChance times the standard error of the difference. By chance, a difference exceeds this
// part with probability at most 10⁻⁷. The second part covers the bias of the scheme, which is of
// first order in the time step.
const (
	polymerChance = 6.5
	polymerBias   = 0.004 / 0.002 // relative error of an extension per unit of the time step
	polymerChains = 64
	polymerWork   = 1 << 28 // bead-steps of one simulation; they take one or two seconds on one core
)

// polymerModels lists the kinds of bonds, indexed by their number in the archive.
var polymerModels = [...]polymer.Bonds{polymer.Rods, polymer.StiffRods, polymer.Springs}

// polymerCheck compares the statistics in one archive with simulations.
type polymerCheck struct{ *check[float64] }

// chains checks an archive's statistics, as far as a short simulation can estimate them. It reports
// each error as a share of the allowed error.
func chains(c *check[float64]) {
	p := &polymerCheck{c}
	p.tolerance = 1
	if p.has("exact") {
		p.exact()
	}
	if p.has("trimer") {
		p.trimer()
	}
	p.starts()
}

// mean compares the mean of `got` with the reference mean `want`. `got` has one simulated value per
// chain. wantSE is the standard error of `want`. `bias` is the error that is allowed in addition,
// because the scheme is biased.
func (p *polymerCheck) mean(got []float64, want, wantSE, bias float64) {
	m, sd := stat.MeanStdDev(got, nil)
	d := math.Abs(m - want)
	allowed := polymerChance*math.Hypot(sd/math.Sqrt(float64(len(got))), wantSE) + bias
	p.abs, p.rel = worse(p.abs, d), worse(p.rel, d/allowed)
	p.count++
}

// config returns the configuration of a chain of the given model, without repulsion and flow.
func (p *polymerCheck) config(model float64, beads int, dt float64) polymer.Config {
	if model != 0 && model != 1 && model != 2 {
		failf("there is a chain of model %g and should be models 0, 1 and 2", model)
	}
	cfg := polymer.Default()
	cfg.N, cfg.Bonds, cfg.Dt = beads, polymerModels[int(model)], dt
	cfg.Repulsion, cfg.Flow = 0, polymer.None
	return cfg
}

// run advances all chains from their starts through `times` intervals. An interval has `steps` time
// steps. run calls `see` with each chain's positions at the start and after each interval.
func (p *polymerCheck) run(cfg polymer.Config, times, steps int, start func(k int, dst []float32), see func(time, chain int, positions []float32)) {
	cfg.Every, cfg.Frames = steps, times+1
	for first := 0; first < polymerChains; first += polymer.Side() {
		chains := make([]polymer.Chain, min(polymer.Side(), polymerChains-first))
		of := make([]*polymer.Trajectory, len(chains))
		for k := range chains {
			of[k] = polymer.NewTrajectory(cfg)
			chains[k] = polymer.Chain{Key: polymer.NewKey(1, uint64(first+k)), Positions: make([]float32, 3*cfg.N)}
			start(first+k, chains[k].Positions)
		}
		s, err := polymer.New(cfg, chains...)
		must(err)
		must(s.Record(p.ctx, of...))
		for k, t := range of {
			for time := range cfg.Frames {
				see(time, first+k, t.Frames[time*3*cfg.N:(time+1)*3*cfg.N])
			}
		}
	}
}

// extension returns max x - min x.
func extension[T tensor.Float](positions []T) float64 {
	low, high := positions[0], positions[0]
	for i := 0; i < len(positions); i += 3 {
		low, high = min(low, positions[i]), max(high, positions[i])
	}
	return float64(high) - float64(low)
}

// exact compares simulations with statistics of the stationary distribution (the array "exact"). It
// simulates chains at rest, and chains in flows strong enough to unfold them quickly.
func (p *polymerCheck) exact() {
	for row := range slices.Chunk(p.values("exact"), 14) {
		beads, reach, stiffness, rate := row[1], row[2], row[3], row[4]
		cfg := p.config(row[0], int(beads), 0.002)
		cfg.Repulsion = stiffness
		switch {
		case reach > 0 && stiffness == 0:
			p.leave("exact: hard spheres, which are not simulated here")
		case reach > 0 && reach < beads:
			p.leave("exact: repulsion along a part of the chain, which is not simulated here")
		case rate == 0:
			p.atRest(cfg, row)
		case rate*beads*beads < 50:
			p.leave("exact: %g beads at rate %g, which open too slowly", beads, rate)
		case float64(steadyTimes)/rate/cfg.Dt*beads*polymerChains > polymerWork:
			p.leave("exact: %g beads at rate %g, which take too many steps", beads, rate)
		default:
			cfg.Flow, cfg.Rate = polymer.Planar, rate
			p.steady(cfg, row[5], row[6])
		}
	}
}

// atRest samples chains without flow by pivot moves, and compares their statistics with the
// reference.
func (p *polymerCheck) atRest(cfg polymer.Config, row []float64) {
	must(cfg.Validate())
	wide, ends := make([]float64, 4*polymerChains), make([]float64, 4*polymerChains)
	for k := range wide {
		x := polymer.InitialPositions(cfg, 2, k)
		wide[k] = extension(x)
		for axis := range 3 {
			d := float64(x[len(x)-3+axis] - x[axis])
			ends[k] += d * d
		}
	}
	p.mean(wide, row[5], row[6], 0)
	p.mean(ends, row[8], row[9], 0)
}

// A mean in a flow is a time average. The time between two states is 1/Rate. The states up to
// number steadyWarmUp are a warm-up and are not averaged.
const (
	steadyWarmUp = 3
	steadyTimes  = steadyWarmUp + 10
)

// steady compares the mean extension of chains in a steady flow with the reference.
func (p *polymerCheck) steady(cfg polymer.Config, want, wantSE float64) {
	means, n := make([]float64, polymerChains), float64(cfg.N)
	p.run(cfg, steadyTimes, int(math.Ceil(1/(cfg.Rate*cfg.Dt))),
		func(k int, dst []float32) {
			cfg.Folded(dst, 1, cfg.Rate*n*n/12, rng.New(4, "verify", uint64(k)).Rand)
		},
		func(time, chain int, x []float32) {
			if time > steadyWarmUp {
				means[chain] += extension(x) / (steadyTimes - steadyWarmUp)
			}
		})
	p.mean(means, want, wantSE, polymerBias*cfg.Dt*want)
}

// trimer compares the mean squared cosine of the angle between the two rods of a trimer with the
// reference.
func (p *polymerCheck) trimer() {
	for row := range slices.Chunk(p.values("trimer"), 6) {
		cfg := p.config(row[0], 3, row[1])
		const times = 100
		squares := make([]float64, polymerChains)
		p.run(cfg, times, int(math.Ceil(0.5/cfg.Dt)),
			func(k int, dst []float32) { copy(dst, polymer.InitialPositions(cfg, 3, k)) },
			func(_, chain int, x []float32) {
				cos := 0.0
				for axis := range 3 {
					cos += float64(x[3+axis]-x[axis]) * float64(x[6+axis]-x[3+axis])
				}
				squares[chain] += cos * cos / (times + 1)
			})
		p.mean(squares, row[4], row[5], 0)
	}
}

// The method `starts` checks the mean extension over many runs from the same start. At several
// times, it compares the mean with the reference.
func (p *polymerCheck) starts() {
	for _, name := range (entry{name: "start_*_init"}).matches(p.arrays) {
		prefix := strings.TrimSuffix(name, "init")
		c := p.within(prefix)
		init, times, want, se, dt := c.data("init"), c.values("t"), c.values("mean"), c.values("se"), c.scalar("dt")
		if len(init)%3 != 0 || len(times) < 2 || len(want) != len(times) || len(se) != len(times) {
			failf("%s has %d numbers, and there are %d times, %d means and %d standard errors", name, len(init), len(times), len(want), len(se))
		}
		cfg := p.config(0, len(init)/3, dt)
		cfg.Flow, cfg.Rate = polymer.Planar, c.scalar("e")
		steps := int(math.Round((times[1] - times[0]) / dt))
		if reach := 1 + polymerWork/(max(steps, 1)*max(len(init)/3, 1)*polymerChains); reach < len(times) {
			p.leave("%smean: the last %d of %d times, which take too many steps", prefix, len(times)-reach, len(times))
			times = times[:reach]
		}
		if len(times) < 2 {
			continue
		}
		got := make([][]float64, len(times))
		p.run(cfg, len(times)-1, steps,
			func(_ int, dst []float32) { copy(dst, to[float32](init)) },
			func(time, _ int, x []float32) { got[time] = append(got[time], extension(x)) })
		for k := 1; k < len(times); k += max(1, len(times)/8) {
			p.mean(got[k], want[k], se[k], 0)
		}
	}
}

// drawn draws every frame of beads in a case, and calls `see` with each picture.
func drawn[T tensor.Float](c *check[T], see func(beads []T, picture []uint8, want []float64)) {
	const size = video.Height * video.Width
	if c.lengths["h"] != video.Height || c.lengths["w"] != video.Width {
		failf("images are of %d by %d pixels and should be of %d by %d", c.lengths["h"], c.lengths["w"], video.Height, video.Width)
	}
	r, picture, images := video.NewRenderer(), make([]uint8, size), c.values("images")
	for beads := range slices.Chunk(c.data("beads"), 3*c.lengths["n"]) {
		if slices.ContainsFunc(beads, func(x T) bool { return x != x }) {
			failf("a frame has beads that are nowhere")
		}
		video.Draw(r, picture, beads)
		see(beads, picture, images[:size])
		images = images[size:]
	}
}

// pictureDouble checks pictures of chains, which must agree in every pixel. It also checks the sets
// of pixels made from the pictures, the spans of the pictured chains, and the chains' extensions.
func pictureDouble(c *check[float64]) {
	var pixels []float32
	var counts, spans, extensions []float64
	drawn(c, func(beads []float64, picture []uint8, want []float64) {
		c.add(levels(picture), want)
		before := len(pixels)
		pixels = video.Pixels(pixels, picture)
		counts, spans = append(counts, float64(len(pixels)-before)/3), append(spans, float64(video.Span(picture)))
		extensions = append(extensions, extension(beads))
	})
	c.equal64("pixels", from(pixels)...)
	c.equal("counts", counts)
	c.equal("span", spans)
	c.equal("extension", extensions)
}

// pictureSingle checks pictures drawn from bead positions in float32. In each picture, at most two
// pixels may be off by one level. The relative error of a picture is half the number of wrong
// pixels.
func pictureSingle(c *check[float32]) {
	c.tolerance = 1
	drawn(c, func(_ []float32, picture []uint8, want []float64) {
		off := 0.0
		for i, v := range levels(picture) {
			if d := math.Abs(v - want[i]); d != 0 {
				c.abs = worse(c.abs, d)
				off += max(d*d, 1) // one pixel that is off by two levels exceeds the allowance
			}
		}
		c.count++
		c.rel = worse(c.rel, off/2)
	})
}

func levels(picture []uint8) []float64 {
	v := make([]float64, len(picture))
	for i, p := range picture {
		v[i] = float64(p)
	}
	return v
}
