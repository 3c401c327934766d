package mixing

import (
	"macroscope/assets"
	"macroscope/model/system"
)

var pageTexts system.MadePage

// Page implements system.Live.
func (l *Live) Page() *system.Page { return pageTexts.Get(readPage) }

func readPage() *system.Page {
	p, own := system.ReadPage(assets.Mixing, nil), defaults()
	p.Complete(own.table(), "boundary", "height", "temperature", "e11", "e22", "e12", "dt")
	p.Tool = boundaryTool
	return p
}
