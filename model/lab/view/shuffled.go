package view

import (
	"fmt"
	"math"
)

// InWords describes the effect of the last shuffle on ẑ and, if predicts is set, on the
// predictions. It returns "" if there is nothing to say.
func (o *Orders) InWords(predicts bool) string {
	stays, moves := o.Change(Invariant), o.Change(Ordered)
	if math.IsNaN(stays) && math.IsNaN(moves) {
		return ""
	}
	text := "Shuffled: "
	if !math.IsNaN(stays) {
		text += fmt.Sprintf("ẑ of an encoder of sets moved by [%s|stays]", small(stays))
	}
	if !math.IsNaN(moves) {
		if !math.IsNaN(stays) {
			text += ", "
		}
		text += fmt.Sprintf("ẑ of one that reads the particles in their order by [%.2g|moves]", moves)
	}
	text += "."
	p, q := o.Moved(Invariant), o.Moved(Ordered)
	switch {
	case !math.IsNaN(p) && !math.IsNaN(q):
		text += fmt.Sprintf(" The first’s prediction moved by **%s** of the training range, the other’s by **%s**.", percent(p), percent(q))
	case !math.IsNaN(p):
		text += fmt.Sprintf(" The prediction moved by **%s** of the training range.", percent(p))
	case !math.IsNaN(q):
		text += fmt.Sprintf(" Its prediction moved by **%s** of the training range.", percent(q))
	case !predicts && !math.IsNaN(stays):
		text += " So what is decoded from the first stays, and from the other it does not."
	}
	return text + " Only the numbering has changed, and a summary of a set must not depend on it."
}

// small formats a change of ẑ that may be due only to rounding.
func small(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.0e", v)
}

// percent formats a share with two digits, or as 0 if the share may be due only to rounding.
func percent(v float64) string {
	if v < 5e-5 {
		return "0 %"
	}
	return fmt.Sprintf("%.2g %%", 100*v)
}
