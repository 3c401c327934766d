package line

import (
	"fmt"

	"macroscope/assets"
	"macroscope/model/setting"
	"macroscope/model/system"
)

var pageTexts system.MadePage

// Page implements system.Live.
func (l *Live) Page() *system.Page { return pageTexts.Get(readPage) }

func readPage() *system.Page { return system.ReadPage(assets.Line, nil) }

// Summary implements system.Live: the beginning of a sentence, which goes on with
// what is made of the set.
func (l *Live) Summary(system.Prediction) string {
	switch {
	case !l.Recorded():
		return l.counted() + " from the [dotted mixture|mixture]"
	case l.note == "":
		return l.counted() + " **of your own**"
	}
	return fmt.Sprintf("%s **of your own** (%s)", l.counted(), shortened(l.note))
}

func (l *Live) counted() string {
	n := len(l.points)
	return fmt.Sprintf("A set of **%d** %s", n, setting.Plural(n, "particle", "particles"))
}

// shortened cuts the name of a file to a length that fits a sentence.
func shortened(name string) string {
	const most = 24
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}
