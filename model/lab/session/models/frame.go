package models

import (
	"macroscope/model/lab"
	"macroscope/model/wire"
)

// PutStages adds rows to a frame that say which stages of the model have run.
func (m *Models) PutStages(f *wire.Frame) {
	f.Put("active", float32(m.show.active))
	f.Put("revealed", float32(m.show.revealed))
}

// PutLabels adds the label of every particle of the run to a frame.
func (m *Models) PutLabels(f *wire.Frame) { m.order.PutLabels(f) }

// Put adds the results of the displayed models to a frame. The run must be playable.
func (m *Models) Put(f *wire.Frame, on On) {
	a, b, d := m.show.a, m.show.b, &m.show
	if a == nil {
		return
	}
	rows := &d.rows
	rows.Run, rows.Targets, rows.Eps, rows.Members = on.Run, d.targets, on.Set.Eps, on.Set.Members
	rows.Code, rows.Density, rows.Prediction = m.Reveals(Code), m.Reveals(Density), m.Reveals(Prediction)
	rows.Held = m.held(a)
	rows.FromPrediction, rows.Samples = on.Set.Source == lab.FromPrediction, on.Set.Samples || rows.Held != nil
	rows.Put(f, a, "")
	if p := m.portrait.drawn; p != nil && d.revealed == all {
		p.Put(f, rows.Run)
	} else if on.Set.Portrait && m.lab.Algebra != nil {
		f.Put("portraitWaits", 1)
	}
	if b != nil {
		f.PutText("nameA", a.Name)
		f.PutText("nameB", b.Name)
		rows.Put(f, b, "B")
	}
	m.order.Put(f)
}
