package view

import (
	"math"
	"slices"

	"macroscope/model/learn/measure"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Rows adds the results of displayed models to frames. The zero Rows adds nothing. It is not
// safe for concurrent use.
type Rows struct {
	Run     *Run
	Traits  system.Traits
	Targets []*Target // one for every set
	Eps     float64   // the user's ε
	Members int       // number of members of an ensemble

	// Whether ẑ, the densities and the prediction are revealed.
	Code, Density, Prediction bool
	// Whether densities are decoded from the predicted ẑ, and whether points drawn from the
	// densities are shown.
	FromPrediction, Samples bool
	// Held is the ẑ that the user holds, scaled to [-1, 1]; nil if the user holds none. The first
	// model's density is decoded from it.
	Held []float32

	numbers []float32 // scratch memory
}

// UnitOf returns the shift and the scale that convert a coordinate x of a frame to the user's
// coordinate, shift + scale·x. It returns 0 and 1 if the frame has no row `unit`.
func UnitOf(f *wire.Frame) (shift, scale float32) {
	if u := f.Numbers("unit"); len(u) == 2 {
		return u[0], u[1]
	}
	return 0, 1
}

// putDensity adds a density, converted to the user's coordinate.
func (r *Rows) putDensity(f *wire.Frame, name string, density []float32) {
	_, scale := UnitOf(f)
	if scale == 1 {
		f.Put(name, density...)
		return
	}
	r.numbers = r.numbers[:0]
	for _, v := range density {
		r.numbers = append(r.numbers, v/scale)
	}
	f.Put(name, r.numbers...)
}

// Put adds the results of a model for the run. The names of the rows end in `which`: "" for the
// first displayed model, "B" for the second. With the first model, Put also adds the rows that do
// not depend on the model, such as the target densities.
func (r *Rows) Put(f *wire.Frame, m *Shown, which string) {
	first, one := which == "", r.one()
	if first {
		r.putTargets(f, m)
	}
	if m.Density == nil {
		f.Put("noDensity"+which, 1)
	}
	if m.Points != nil {
		f.Put("restores"+which, 1)
	}
	if m.Cannot != nil {
		f.Put("cannot"+which, 1)
	}
	if r.Code && !first && m.Cannot == nil {
		f.Put("zB", m.Z...)
	}
	if r.Code && first && m.Cannot == nil {
		if r.Held != nil {
			f.Put("z", r.Held...)
			f.Put("zown", m.Z...)
		} else {
			f.Put("z", m.Z...)
		}
		f.Put("zstride", float32(m.Stride))
		f.ExtendBy("zpast", m.PastGeneration, m.Past...)
		if m.Names != "" {
			f.PutText("names", m.Names)
		}
	}
	if r.Density && m.Decoded && (first || one) {
		for k, d := range m.Density { // empty if the model restores points
			if d.Blank {
				continue // a KL appears together with its density
			}
			r.putDensity(f, "p"+r.setName(k)+which, d.P)
			if !math.IsNaN(m.KL[k]) {
				f.Put("kl"+r.setName(k)+which, float32(max(0, m.KL[k]))) // an estimate below 0 is noise
			}
		}
		if m.Points != nil {
			r.putRestored(f, m.Points, which)
		}
		if m.Points != nil && m.blurred != nil && !first {
			r.putDensity(f, "p"+which, m.blurred.Q)
		}
		if r.Samples && first && one && m.Density != nil && r.Traits.Drawn() == 2 {
			w := WindowOf(r.Run.Live)
			r.numbers = w.flat(r.numbers[:0], m.Density[max(0, r.Run.Live.Run().Set-1)].Samples, r.Traits.Dim)
			f.Put("samples", r.numbers...)
		}
	}
	p := m.Predicting()
	if !r.Prediction || p == nil {
		return
	}
	if r.Traits.Stochastic {
		r.putEnsemble(f, m, p, which)
	} else {
		r.putPath(f, m, p, which)
	}
}

// putRestored adds the restored points, in the user's coordinate.
func (r *Rows) putRestored(f *wire.Frame, p *Restored, which string) {
	shift, scale := UnitOf(f)
	begin := 0
	for k, end := range p.Ends {
		name := "restored" + which
		if len(p.Ends) > 1 {
			name = "restored" + r.setName(k) + which
		}
		r.numbers = r.numbers[:0]
		if points := p.Points[r.Traits.Dim*begin : r.Traits.Dim*end]; r.Traits.Dim > 2 {
			w := WindowOf(r.Run.Live)
			r.numbers = w.flat(r.numbers, points, r.Traits.Dim)
		} else {
			for _, v := range points {
				r.numbers = append(r.numbers, shift+scale*v)
			}
		}
		f.Put(name, r.numbers...)
		begin = end
	}
}

// putTargets adds the target densities on a line. In the plane, it adds what the picture needs to draw them: the widths of
// the kernels, the axes along which the window repeats, and the displayed set, from 1. It also adds the grid of the learned densities.
func (r *Rows) putTargets(f *wire.Frame, m *Shown) {
	sigma := Sigma(m.Model, r.Eps)
	if r.Traits.Drawn() == 2 {
		r.putKernels(f, sigma)
	} else {
		if len(f.Numbers("line")) > 0 {
			f.Put("sigma", float32(sigma[0]))
		}
		for k, t := range r.Targets {
			r.putDensity(f, "q"+r.setName(k), t.Q)
		}
	}
	f.PutSwitch("source", r.FromPrediction)
}

// putKernels adds the rows from which the picture draws the targets in the plane. If all sets are displayed, there is no
// row "set".
func (r *Rows) putKernels(f *wire.Frame, sigma [maxDim]float64) {
	w := WindowOf(r.Run.Live)
	nx, ny := w.Grid(r.Traits.Dim)
	widths := w.widths(sigma)
	f.Put("widths", float32(widths[0]), float32(widths[1]))
	f.Put("grid", float32(nx), float32(ny))
	if set := r.Run.Live.Run().Set; set > 0 {
		f.Put("set", float32(set))
	}
	if w.Repeats != [2]bool{} {
		f.Put("repeats", number(w.Repeats[0]), number(w.Repeats[1]))
	}
}

// number returns 1 for true, and 0 for false.
func number(on bool) float32 {
	if on {
		return 1
	}
	return 0
}

// one reports whether the density of only one set is displayed.
func (r *Rows) one() bool { return len(r.Traits.Sets) <= 1 || r.Run.Live.Run().Set > 0 }

// setName returns the ending of the row names for set k. It returns "" for the only set that is displayed.
func (r *Rows) setName(k int) string {
	if len(r.Traits.Sets) <= 1 || r.Run.Live.Run().Set == k+1 {
		return ""
	}
	return r.Traits.Sets[k]
}

// putEnsemble adds an ensemble's band and paths.
func (r *Rows) putEnsemble(f *wire.Frame, m *Shown, p *Prediction, which string) {
	f.ExtendBy("mean"+which, p.Generation, p.Mean...)
	f.ExtendBy("low"+which, p.Generation, p.Low...)
	f.ExtendBy("high"+which, p.Generation, p.High...)
	if which == "" {
		f.ExtendBy("paths", p.Generation, p.Paths...)
		f.Put("coverage", float32(m.Coverage(r.Run.Live)))
		f.Put("nominal", float32(measure.BandNominal(r.Members)))
	}
}

// putPath adds a deterministic prediction, and its error.
func (r *Rows) putPath(f *wire.Frame, m *Shown, p *Prediction, which string) {
	live := r.Run.Live
	run := live.Run()
	f.Put("zhat"+which, p.Closures(live.Player().Now())...)
	if which == "" {
		d := len(p.Closures(0))
		f.Extend("zfuture", p.Generation, (run.Horizon+1)*d, func(i int) float32 { return p.Closures(i / d)[i%d] })
	}
	if !r.Run.Predicts(m.Model) {
		return
	}
	f.ExtendBy("pred"+which, p.Generation, p.Mean...)
	r.numbers = slices.Grow(r.numbers[:0], run.Known+1)[:run.Known+1]
	truth := func(k int) float64 { return live.Macro(k)[0] }
	f.Put("mre"+which, float32(p.Errors(r.numbers[:live.Player().Now()+1], truth)))
	p.Errors(r.numbers, truth)
	f.Put("error"+which, r.numbers...)
	if m.Left >= 0 && which == "" {
		f.Put("left", float32(m.Left))
		f.PutText("leftwhat", m.LeftWhat)
		f.PutText("leftsign", m.LeftSign)
	}
}
