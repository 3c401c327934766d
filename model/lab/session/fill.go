package session

import (
	"slices"

	"macroscope/model/lab"
	"macroscope/model/lab/view"
	"macroscope/model/wire"
)

// Fill fills a frame with the displayed picture. The picture must have been painted.
func Fill(f *wire.Frame, v *View) {
	p, r := v.live.Player(), v.live.Run()
	f.Begin(v.lab.Link())
	f.Put("tool", float32(v.run.ToolNumber(v.run.Tool())))
	v.picture.PutStages(f)
	f.Put("horizon", float32(r.Horizon))
	f.Put("dt", float32(r.Dt))
	f.PutSwitch("logtime", v.doc.Axis == lab.Logarithmic)
	f.Put("eps", float32(v.doc.Eps))
	if v.timed {
		f.Put("window", float32(r.Lo[0]), float32(r.Hi[0]), float32(r.Lo[1]), float32(r.Hi[1]))
	}
	now, known, preparing := 0, 0, v.run.Preparing()
	if !preparing && p.Begun() {
		now, known = p.Now(), r.Known
	}
	f.Put("now", float32(now))
	f.Put("known", float32(known))
	f.PutSwitch("playing", p.Playing())
	if r.Note != "" {
		f.PutText("note", r.Note)
	}
	v.live.Put(f)
	if preparing {
		return
	}
	if !v.timed { // single sets are in the user's coordinate: shift + scale times the model's coordinate
		shift, scale := view.UnitOf(f)
		f.Put("window", shift+scale*float32(r.Lo[0]), shift+scale*float32(r.Hi[0]))
		f.Put("status", float32(v.status()))
		v.words.PutStill(f, scale)
	}
	v.words.PutCurves(f)
	if v.traits.Drawn() == 2 {
		f.Put("density", float32(slices.Index(lab.Densities, v.doc.Density)))
		f.PutSwitch("colours", v.doc.Colours)
		if v.on.Playable {
			v.picture.PutLabels(f)
		}
	}
	if v.on.Playable {
		v.extras.Put(f)
		v.picture.Put(f, v.on)
	}
}
