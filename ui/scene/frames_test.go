package scene

import (
	"maps"
	"math"
	"slices"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
)

// rows contains the rows of a frame by name. A value is a []float32, a number, or a string.
type rows map[string]any

// with returns a copy of r with some rows replaced; nil removes a row.
func (r rows) with(other rows) rows {
	r = maps.Clone(r)
	for name, v := range other {
		if r[name] = v; v == nil {
			delete(r, name)
		}
	}
	return r
}

// frame returns the rows as a frame of a lab.
func (r rows) frame(lab string) *wire.Frame {
	f := new(wire.Frame)
	f.Begin(lab)
	for _, name := range slices.Sorted(maps.Keys(r)) {
		switch v := r[name].(type) {
		case []float32:
			f.Put(name, v...)
		case string:
			f.PutText(name, v)
		case int:
			f.Put(name, float32(v))
		case float64:
			f.Put(name, float32(v))
		}
	}
	return f
}

// wave returns n numbers: a sawtooth from v to v + 0.6, with seven numbers in a period.
func wave(n int, v float32) []float32 {
	c := make([]float32, n)
	for i := range c {
		c[i] = v + 0.1*float32(i%7)
	}
	return c
}

// onLine returns a frame of the 1-D demo with everything displayed.
func onLine() rows {
	var mixture, target, fit, lossStep, loss []float32
	for i := range 401 {
		x := -2 + 0.01*float64(i)
		mixture, target = append(mixture, float32(math.Exp(-x*x))), append(target, float32(math.Exp(-2*x*x)))
		fit = append(fit, float32(0.9*math.Exp(-2*x*x)))
	}
	for i := range 300 {
		lossStep, loss = append(lossStep, float32(i+1)), append(loss, float32(1+math.Exp(-float64(i)/40)))
	}
	return rows{
		"status": 1, "step": 300, "total": 3000, "eps": 0.1, "sigma": 0.1, "fitEps": 0.1, "kl": 0.0153, "window": []float32{-2, 2},
		"x": []float32{-0.75, -0.5, 0, 0.25, 0.26}, "z": []float32{0.5, -1.5, 0.1}, "mixture": mixture, "q": target, "p": fit,
		"lossStep": lossStep, "loss": loss, "klStep": []float32{50, 100, 150, 200}, "klVal": []float32{1, 0.368, 0.135, 0.05},
	}
}

// ring returns a frame of 40 particles on a ring. The user has revealed ẑ, density and
// prediction. The lab has simulated 60 of 120 frames.
func ring(now int) rows {
	const n, horizon, d, cells = 40, 120, 4, 24
	var x, label, energy, pred, errors, zpast, zfuture, p []float32
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		x, label = append(x, float32(0.6*cos), float32(0.6*sin)), append(label, float32(i)/n)
	}
	for i := range horizon + 1 {
		e := float32(0.2 + 0.3*math.Exp(-float64(i)/30))
		pred = append(pred, e*1.001)
		for k := range d {
			z := float32(math.Sin(float64(i+k) / 40))
			if zfuture = append(zfuture, z); i <= 60 && i%3 == 0 {
				zpast = append(zpast, z)
			}
		}
		if i <= 60 {
			energy, errors = append(energy, e), append(errors, 1e-4*float32(i+1))
		}
	}
	for j := range cells {
		for i := range cells {
			r := math.Hypot(float64(i)-11.5, float64(j)-11.5) / 12
			p = append(p, float32(0.9*math.Exp(-50*(r-0.6)*(r-0.6))))
		}
	}
	return rows{
		"now": now, "known": 60, "horizon": horizon, "dt": 0.02, "playing": 1, "eps": 0.1, "widths": []float32{0.05, 0.05}, "kl": 0.7, "zstride": 3, "mre": 4e-4, "revealed": 7, "tool": 0,
		"macro": "energy per pair", "units": "simulation units", "x": x, "label": label, "samples": x[:20], "window": []float32{-1, 1, -1, 1},
		"grid": []float32{cells, cells}, "p": p, "z": zfuture[:d], "zhat": zfuture[d : 2*d], "zpast": zpast, "zfuture": zfuture,
		"energy": energy, "pred": pred, "error": errors,
	}
}

// inBox returns a frame of 81 atoms on a lattice. The box has the size 32×32, and the species meet at
// x = 16. The user has revealed ẑ, densities and prediction. The lab has simulated 60 of 120 frames.
func inBox(now int) rows {
	const side, horizon, known, cells = 9, 120, 60, 24
	var x, kind, label, density, ratios, mean, low, high, paths, z, heat, energy []float32
	for i := range side * side {
		px := float32(4 * (i % side))
		x, kind, label = append(x, px, float32(4*(i/side))), append(kind, 1), append(label, float32(i)/(side*side))
		if px >= 16 {
			kind[i] = 2
		}
	}
	for i := range cells * cells {
		density = append(density, 1e-3*float32(i%cells))
	}
	for i := range horizon + 1 {
		r := 0.5 * float32(1-math.Exp(-float64(i)/40))
		mean, low, high = append(mean, r, r+0.01), append(low, r-0.02, r-0.01), append(high, r+0.02, r+0.03)
		if i <= known {
			ratios = append(ratios, r+0.005, r+0.015)
			heat, energy = append(heat, 1+0.1*float32(math.Sin(float64(7*i)))), append(energy, -0.6)
			if i%2 == 0 {
				z = append(z, -0.5+0.005*float32(i), 0.6-0.005*float32(i))
			}
		}
	}
	for k := range 6 {
		for i, r := range mean {
			paths = append(paths, r+0.01*float32(math.Sin(float64(5*i+k))))
		}
	}
	return rows{
		"now": now, "known": known, "horizon": horizon, "dt": 0.4, "playing": 1, "boundary": 16, "klA": 1.5, "klB": 1.25, "coverage": 0.875,
		"nominal": 0.9, "revealed": 7, "zstride": 2, "tool": 1, "x": x, "kind": kind, "label": label, "window": []float32{0, 32, 0, 32},
		"grid": []float32{cells, cells}, "widths": []float32{2, 2}, "pA": density, "pB": density, "ratios": ratios, "mean": mean, "low": low, "high": high,
		"paths": paths, "temperature": heat, "energy": energy, "z": []float32{-0.25, 0.35}, "zpast": z,
	}
}

// inFlow returns a frame of a chain of 60 beads. The user has revealed ẑ, density and
// prediction. The lab has simulated 60 of 120 frames.
func inFlow(now int) rows {
	const n, horizon, known, nx, ny = 60, 120, 60, 48, 12
	var x, label, extension, mean, low, high, paths, z, density []float32
	for i := range n {
		x, label = append(x, float32(i-n/2)/2, float32(3*math.Sin(float64(i)/5))), append(label, float32(i)/n)
	}
	for i := range nx * ny {
		density = append(density, 1e-3*float32(i%nx))
	}
	for i := range horizon + 1 {
		r := 50 * float32(1-math.Exp(-float64(i)/40))
		mean, low, high = append(mean, r), append(low, r-4), append(high, r+4)
		if i <= known {
			extension = append(extension, r+1)
			if i%2 == 0 {
				z = append(z, -0.5+0.005*float32(i), 0.6-0.005*float32(i))
			}
		}
	}
	for k := range 6 {
		for i, r := range mean {
			paths = append(paths, r+float32(math.Sin(float64(5*i+k))))
		}
	}
	return rows{
		"now": now, "known": known, "horizon": horizon, "dt": 1.1, "playing": 1, "kl": 1.5, "coverage": 0.875, "nominal": 0.9, "revealed": 7, "zstride": 2,
		"rate": 0.0104, "x": x, "label": label, "colours": 0, "window": []float32{-27, 27, -6.75, 6.75}, "grid": []float32{nx, ny}, "widths": []float32{1.5, 1}, "p": density,
		"extension": extension, "mean": mean, "low": low, "high": high, "paths": paths, "z": []float32{-0.25, 0.35}, "zpast": z,
	}
}

// inSpace returns a frame of a system of the user's own: 40 particles in space with two observables. The rows are those
// of ring(now) but for the observables.
func inSpace(now int) rows {
	r := ring(now)
	two := func(name string) (both []float32) {
		for _, v := range r[name].([]float32) {
			both = append(both, v, 2*v)
		}
		return both
	}
	return r.with(rows{
		"variables": 2, "title0": "energy", "unit0": "J", "title1": "size", "unit1": "m", "macro": two("energy"), "pred": two("pred"),
		"axis0": "x", "axis1": "y", "axes": "x across, y up, z as depth; drag to turn", "depth": wave(40, 0.2), "turn": []float32{0, 0},
		"energy": nil, "units": nil, "label": nil, "error": nil,
	})
}

// turned returns the rows of inSpace if the picture is turned.
func turned() rows {
	return rows{"turn": []float32{30, -20}, "axes": nil, "edge0": "x", "edge1": "y", "edge2": "z", "edges": []float32{-0.4, -0.6, 0.5, -0.6, float32(math.NaN()), 0}, "box": []float32{-0.9, -0.5, 0.1, -0.9, -0.9, 0.5, 0.1, 0.1, -0.1, -0.1, 0.9, -0.5, -0.1, 0.9, 0.9, 0.5}}
}

// onAxis returns the rows of inSpace if the particles have one coordinate.
func onAxis() rows {
	r := onLine()
	return rows{"line": wave(40, -0.4), "q": r["q"], "p": r["p"], "grid": nil, "widths": nil, "samples": nil, "depth": nil, "turn": nil, "axis1": "particle", "axes": nil, "free": 1}
}

// portrayed returns the rows of a latent portrait.
func portrayed() rows {
	return rows{
		"portrait": []float32{-1, 1, -1, 1, 5}, "portraitX": "principal component 1", "portraitY": "energy", "portraitNote": "1 fixed point: decay times τ up to 30\nτ up to 30",
		"portraitArrows": wave(4*13*9, -0.3), "portraitPaths": wave(200, -0.3), "portraitFixed": []float32{0.1, 0.2, 0}, "portraitModes": []float32{0, 0, 30, 4, 1}, "portraitRun": wave(40, -0.2),
		"portraitAhead": wave(40, -0.3),
	}
}

// secondChain returns the rows of a second chain equal to the chain of inFlow(now).
func secondChain(now int) rows {
	r := inFlow(now)
	return rows{
		"nameOwn": "hairpin", "nameTwin": "strand", "xTwin": r["x"], "extensionTwin": r["extension"], "zTwin": []float32{0.3, -0.2},
		"meanTwin": r["mean"], "lowTwin": r["low"], "highTwin": r["high"],
	}
}

// manyChains returns the rows of n realisations of a chain. Every second realisation has
// unfolded.
func manyChains(n int) rows {
	var outlines, unfolded []float32
	for k := range n {
		for i := range 25 {
			x, y := 2*float32(i-12), 2*float32(math.Sin(float64(i+k)))
			if k%10 == 9 { // this realisation has not begun
				x = float32(math.NaN())
			}
			outlines = append(outlines, x, y)
		}
		unfolded = append(unfolded, float32(k%2))
	}
	return rows{"crowd": outlines, "crowdOpen": unfolded, "crowdDone": n / 2, "crowdZero": make([]float32, 121), "crowdTimes": wave(121, 8), "crowdPredicted": wave(121, 9)}
}

// film returns the rows of a chain's film. Their names end in `which`: "" for the first chain,
// "Twin" for the second.
func film(which string) rows {
	r := inFlow(0)
	return rows{
		"filmSize" + which: []float32{70, 20}, "film" + which: wave(1400, 0.5), "span" + which: r["extension"], "zFilm" + which: []float32{0.5, 0.1, -0.4},
		"meanFilm" + which: r["mean"], "lowFilm" + which: r["low"], "highFilm" + which: r["high"],
	}
}

// pictures contains the frames that the tests draw, by lab and name.
var pictures = map[string]map[string]rows{
	wire.Demo: {
		"plain":     onLine(),
		"refitting": onLine().with(rows{"refitting": 1, "fitEps": 0.3}),
		"own data":  onLine().with(rows{"ownData": 1, "mixture": nil}),
		"spiky":     onLine().with(rows{"eps": 1e-8, "sigma": 1e-8}),
		"untrained": onLine().with(rows{"kl": nil, "klVal": nil, "loss": nil}),
		"wide":      onLine().with(rows{"z": wave(40, -0.3)}),
		"steps":     onLine().with(rows{"klVal": []float32{-1, 0, 1e-30, 3}, "loss": []float32{1}}),
		"compared":  onLine().with(rows{"pB": wave(401, 0.5), "klB": 2, "nameA": "shipped", "nameB": "a name that is far too long for where it has to stand"}),
	},
	"particles": {
		"playing":    ring(60),
		"scrubbed":   ring(10),
		"difference": ring(30).with(rows{"density": densityDifference}),
		"learned":    ring(30).with(rows{"density": densityLearned}),
		"target":     ring(30).with(rows{"density": densityTarget}),
		"hidden":     ring(30).with(rows{"revealed": 0, "active": 1, "p": nil, "pred": nil, "error": nil}),
		"moving":     ring(30).with(rows{"tool": 1, "active": 2}),
		"left":       ring(30).with(rows{"left": 80, "active": 3, "leftwhat": "the predicted closure variable ẑ₃ is 12% of its range above the largest value that training covered", "leftsign": "ẑ_3"}),
		"compared": ring(30).with(rows{"predB": wave(121, 0.2), "pB": make([]float32, 24*24), "zhatB": wave(4, 1), "errorB": wave(61, 1e-3), "mreB": 1e-2, "klB": 2,
			"nameA": "shipped", "nameB": "a name that is far too long for where it has to stand"}),
		"A learns": ring(30).with(rows{"pred": nil, "zhat": nil, "error": nil, "mre": nil, "predB": wave(121, 0.2), "pB": make([]float32, 24*24), "zhatB": wave(4, 1),
			"errorB": wave(61, 1e-3), "mreB": 1e-2, "klB": 2, "nameA": "in training", "nameB": "shipped"}),
		"shuffled": ring(30).with(rows{"shuffles": 1, "dz": 3e-8, "dzOrdered": 0.4, "orders": wave(363, 0.2), "ordered": wave(363, 0.2)}),
		"training": ring(30).with(rows{"lossStep": wave(400, 1), "loss": wave(400, 1), "mreStep": []float32{100, 200}, "mreVal": []float32{0.1, 0.01},
			"trainStage": "encoder and flow", "note": "drawn by hand"}),
	},
	"mixing": {
		"playing":  inBox(60),
		"scrubbed": inBox(10),
		"start":    inBox(0),
		"hidden":   inBox(30).with(rows{"revealed": 0, "active": 1}),
		"relaxing": inBox(0).with(rows{"relaxing": 0.4, "known": 0, "ratios": nil, "mean": nil, "low": nil, "high": nil, "paths": nil,
			"z": nil, "zpast": nil, "widths": nil, "pA": nil, "pB": nil, "temperature": nil, "energy": nil}),
		"alone": inBox(30).with(rows{"boundary": nil, "kind": nil, "pA": nil, "pB": nil, "temperature": nil, "energy": nil, "mean": nil, "low": nil, "high": nil,
			"paths": nil, "note": "dump.lammpstrj"}),
		"lower":    inBox(30).with(rows{"window": []float32{0, 32, 0, 26}}),
		"tall":     inBox(30).with(rows{"window": []float32{0, 32, 0, 40}}),
		"compared": inBox(30).with(rows{"meanB": wave(242, 0.2), "lowB": wave(242, 0.1), "highB": wave(242, 0.3), "nameA": "shipped", "nameB": "a name that is far too long for where it has to stand"}),
		"A learns": inBox(30).with(rows{"mean": nil, "low": nil, "high": nil, "paths": nil, "coverage": nil, "meanB": wave(242, 0.2), "lowB": wave(242, 0.1), "highB": wave(242, 0.3),
			"nameA": "in training", "nameB": "shipped"}),
		"shuffled": inBox(30).with(rows{"shuffles": 1, "dz": 3e-8, "colours": 1, "active": 1}),
		"training": inBox(30).with(rows{"lossStep": wave(400, 1), "loss": wave(400, 1), "trainStage": "stage II: dynamics"}),
	},
	"polymer": {
		"playing":    inFlow(60),
		"scrubbed":   inFlow(10),
		"start":      inFlow(0),
		"hidden":     inFlow(30).with(rows{"revealed": 0, "active": 1}),
		"still":      inFlow(30).with(rows{"rate": 0, "note": "own.npz"}),
		"difference": inFlow(30).with(rows{"density": densityDifference}),
		"learned":    inFlow(30).with(rows{"density": densityLearned}),
		"square":     inFlow(30).with(rows{"window": []float32{-27, 27, -27, 27}}),
		"filmed":     inFlow(30).with(film("")),
		"twins":      inFlow(30).with(secondChain(30)),
		"both":       inFlow(30).with(secondChain(30)).with(film("")).with(film("Twin")),
		"pulled":     inFlow(0).with(rows{"tool": 1}),
		"many":       inFlow(30).with(manyChains(100)),
		"some":       inFlow(0).with(manyChains(7)).with(rows{"crowdPredicted": nil}),
		"both learn": inFlow(30).with(secondChain(30)).with(film("")).with(film("Twin")).with(rows{"loss": wave(40, 1), "lossStep": wave(40, 1), "trainStage": "stage I: density"}),
		"compared": inFlow(30).with(rows{"meanB": wave(121, 20), "lowB": wave(121, 10), "highB": wave(121, 30), "pB": make([]float32, 48*12), "klB": 2,
			"nameA": "shipped", "nameB": "a name that is far too long for where it has to stand"}),
		"shuffled": inFlow(30).with(rows{"shuffles": 1, "dz": 3e-8, "colours": 1, "active": 1}),
		"training": inFlow(30).with(rows{"lossStep": wave(400, 1), "loss": wave(400, 1), "trainStage": "stage II: dynamics"}),
	},
	"own": {
		"playing":   inSpace(60),
		"alone":     inSpace(10).with(rows{"grid": nil, "widths": nil, "p": nil, "samples": nil, "z": nil, "zhat": nil, "pred": nil}),
		"turned":    inSpace(30).with(turned()),
		"line":      inSpace(30).with(onAxis()),
		"portrayed": inSpace(30).with(portrayed()),
		"training":  inSpace(30).with(rows{"lossStep": wave(400, 1), "loss": wave(400, 1), "trainStage": "encoder and flow", "note": "own.npz, trajectory 3 of 12"}),
		"compared":  inSpace(30).with(rows{"predB": wave(242, 0.2), "pB": make([]float32, 24*24), "klB": 2, "nameA": "mine", "nameB": "a name that is far too long for where it has to stand"}),
	},
}

// states calls f with every frame of pictures.
func states(t *testing.T, f func(t *testing.T, lab string, r rows)) {
	for lab, all := range pictures {
		for name, r := range all {
			t.Run(lab+"/"+name, func(t *testing.T) { f(t, lab, r) })
		}
	}
}

// sent collects the commands of a scene.
type sent []string

// open displays a frame of a lab on a page of 900×560 CSS pixels.
func open(t testing.TB, lab string, r rows) (*Scene, *sent) {
	t.Helper()
	commands := new(sent)
	s := Open(lab, glyph.New(), func(kind, value string) { *commands = append(*commands, kind+" "+value) })
	s.Resize(900, 560, 1)
	decode(t, s, lab, r)
	s.Advance(0)
	return s, commands
}

func decode(t testing.TB, s *Scene, lab string, r rows) {
	t.Helper()
	if err := s.Decode(r.frame(lab).AppendTo(nil)); err != nil {
		t.Fatal(err)
	}
}
