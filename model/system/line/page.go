package line

import (
	"macroscope/assets"
	"macroscope/model/setting"
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
	set := l.Page().Say("summary", l.About.Particles, setting.Plural(l.About.Particles, "particle", "particles"))
	switch {
	case !l.Recorded():
		return set + " " + l.Page().Say("drawn")
	case l.About.Note == "":
		return set + " " + l.Page().Say("own")
	}
	return set + " " + l.Page().Say("file", shortened(l.About.Note))
}

// shortened shortens the name of a file for a sentence.
func shortened(name string) string {
	const most = 24
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}
