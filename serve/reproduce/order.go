package reproduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macroscope/model/learn/model"
)

// orderNote explains, below a table, when two methods count as equal.
const orderNote = "Order of the methods, without their variants. Two methods are equal within the spread of seeds if their means differ by less than √(s₁² + s₂²), where s₁ and s₂ are the standard deviations in the table."

// standing is the figure of a method in one column of a table.
type standing struct {
	method    string
	published float64 // the paper's figure; 0 if there is none
	model.Spread
}

// equal reports whether two methods are equal within the spread of seeds.
func (a standing) equal(b standing) bool { return a.Against(b.Spread) == model.Equal }

// order returns a line for each column of a table. The line says which methods are best, and which
// pairs of methods are not in the paper's order. Smaller figures are better. Methods with a single
// training have no spread, and are left out.
func (s *summary) order() (lines []string) {
	for k, column := range s.Columns {
		var all []standing
		for i, row := range s.Rows {
			if f := s.rows[i][k]; row.method != "" && f.Trainings > 1 {
				all = append(all, standing{"“" + row.Name + "”", f.Published, f.Spread})
			}
		}
		if len(all) > 1 {
			lines = append(lines, column+": "+orderOf(all))
		}
	}
	return lines
}

// orderOf says in words how methods compare with one another and with the paper's order.
func orderOf(all []standing) string {
	slices.SortFunc(all, func(a, b standing) int { return cmp.Compare(a.Mean, b.Mean) })
	var best, equal, opposite []string
	for i, a := range all {
		if a.equal(all[0]) || i == 0 {
			best = append(best, a.method)
		}
		for _, b := range all[i+1:] { // b is worse here
			switch ranked := a.published > 0 && b.published > 0 && a.published != b.published; {
			case ranked && a.equal(b):
				pair := []string{a.method, b.method}
				if a.published > b.published {
					slices.Reverse(pair)
				}
				equal = append(equal, strings.Join(pair, " and "))
			case ranked && a.published > b.published:
				opposite = append(opposite, a.method+" before "+b.method)
			}
		}
	}
	text := best[0] + " is best."
	if n := len(best) - 1; n > 0 {
		text = fmt.Sprintf("%s and %s are best, equal within the spread of seeds.", strings.Join(best[:n], ", "), best[n])
	}
	if len(equal) > 0 {
		text += " Ranked in the paper, equal here within the spread of seeds: " + strings.Join(equal, "; ") + "."
	}
	if len(opposite) > 0 {
		text += " In the opposite order to the paper’s: " + strings.Join(opposite, "; ") + "."
	}
	return text
}
