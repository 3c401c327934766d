package picture

import (
	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/wire"
)

// PutStages adds rows to a frame that say which stages of the model have run.
func (p *Picture) PutStages(f *wire.Frame) {
	f.Put("active", float32(p.active))
	f.Put("revealed", float32(p.revealed))
}

// PutLabels adds the label of every particle of the run to a frame.
func (p *Picture) PutLabels(f *wire.Frame) { p.order.PutLabels(f) }

// putNames names two displayed models. If both are shipped and only one encoder depends on the order of the particles, they
// are named by what their encoders read.
func putNames(f *wire.Frame, a, b *view.Shown) {
	if a.Model.Config.Encoder.Ordered() == b.Model.Config.Encoder.Ordered() || !runs.IsShipped(a.Name) || !runs.IsShipped(b.Name) {
		f.PutText("nameA", a.Name)
		f.PutText("nameB", b.Name)
		return
	}
	reads := func(v *view.Shown) string {
		switch c := &v.Model.Config; {
		case c.Data.Listed:
			return "list encoder"
		case c.Encoder.Ordered():
			return "autoencoder, many orders"
		}
		return "set encoder"
	}
	f.PutText("nameA", reads(a))
	f.PutText("nameB", reads(b))
	f.PutSwitch("reads", true)
}

// Put adds the results of the displayed models to a frame. The run must be playable.
func (p *Picture) Put(f *wire.Frame, on On) {
	a, b := p.a, p.b
	if a == nil {
		return
	}
	rows := &p.rows
	rows.Run, rows.Targets, rows.Eps, rows.Members = on.Run, p.targets, on.Set.Eps, on.Set.Members
	rows.Code, rows.Density, rows.Prediction = p.Reveals(Code), p.Reveals(Density), p.Reveals(Prediction)
	rows.Held = p.held(a)
	rows.FromPrediction, rows.Samples = on.Set.Source == lab.FromPrediction, on.Set.Samples || rows.Held != nil
	rows.Put(f, a, "")
	if of := p.Portrait.drawn; of != nil && p.revealed == all {
		of.Put(f, rows.Run)
	} else if on.Set.Portrait && p.Portrait.of.Algebra != nil {
		f.Put("portraitWaits", 1)
	}
	if b != nil {
		putNames(f, a, b)
		rows.Put(f, b, "B")
	}
	p.order.Put(f)
}
