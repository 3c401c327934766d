package line

import (
	"macroscope/assets"
	"macroscope/model/system"
	"macroscope/model/system/core"
)

var texts core.OncePage

func pageTexts() *system.Page {
	return texts.Get(func() *system.Page {
		return system.ReadPage(assets.Line, nil)
	})
}

// Summary implements system.Live. It returns the beginning of a sentence; the model completes
// the sentence.
func (l *Live) Summary(system.Prediction) string {
	return l.Page().Say("summary", struct {
		Count    int
		Recorded bool
		File     string
	}{l.About.Particles, l.Recorded(), shortened(l.About.Note)})
}

// shortened shortens the name of a file for a sentence.
func shortened(name string) string {
	const most = 24
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}
