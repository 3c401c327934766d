package mixing

import (
	"macroscope/assets"
	"macroscope/model/system"
	"macroscope/sim/lj"
)

var pageTexts system.MadePage

// Page implements system.Live.
func (l *Live) Page() *system.Page { return pageTexts.Get(readPage) }

func readPage() *system.Page {
	p, own, c := system.ReadPage(assets.Mixing, nil), defaults(), lj.Default()
	p.Complete(own.table(), "boundary", "height", "temperature", "e11", "e22", "e12", "dt")
	p.Tool, p.Step = boundaryTool, c.Dt*float64(c.Every)
	return p
}
