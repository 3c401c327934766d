package experiment

import "strconv"

// PublishedTests lists the tests of the paper's tables of predictions, in the order of the columns.
var PublishedTests = [3]string{"in-dst", "diff-init", "diff-N"}

// PublishedRows contains the rows of the paper's tables 1 and 2 for each system.
var PublishedRows = map[string][]PublishedRow{
	"particles": {
		{"ae-aug", "AE-Aug", [3]string{"1.25e-3", "8.04e-4", "n/a"}},
		{"ae-inve", "AE-InvE", [3]string{"2.41e-4", "5.87e-4", "2.49e-4"}},
		{"ae-inve-cd", "AE-InvE-CD", [3]string{"6.14e-5", "3.90e-4", "6.43e-5"}},
		{"inve", "InvE", [3]string{"6.01e-5", "4.85e-4", "6.13e-5"}},
		{"flow", "paper, DeepSet", [3]string{"5.19e-5", "4.38e-4", "5.22e-5"}},
		{"flow-st", "paper, Set Transformer", [3]string{"3.20e-5", "1.70e-3", "2.60e-5"}},
	},
	"mixing": {
		{"ae-aug", "AE-Aug", [3]string{"1.91e-2", "1.07e-1", "n/a"}},
		{"ae-inve", "AE-InvE", [3]string{"2.60e-2", "9.17e-2", "5.26e-2"}},
		{"ae-inve-cd", "AE-InvE-CD", [3]string{"2.24e-2", "1.04e-1", "2.16e-2"}},
		{"inve", "InvE", [3]string{"1.43e-1", "1.22e-1", "1.41e-1"}},
		{"flow", "paper", [3]string{"1.09e-2", "5.70e-2", "9.64e-3"}},
	},
}

// PublishedRow is a row of a table of the paper.
type PublishedRow struct {
	Method string // our corresponding method; "" if there is none
	Name   string
	Cells  [3]string // mean MRE or MMD in each of PublishedTests, as printed; "n/a" if there is none
}

// PublishedFigure returns the paper's mean MRE or MMD of a method in a test. ok is false if there is none.
func PublishedFigure(system, method, test string) (mean float64, ok bool) {
	for _, row := range PublishedRows[system] {
		for i, cell := range row.Cells {
			if row.Method == method && PublishedTests[i] == test {
				figure, err := strconv.ParseFloat(cell, 64) // the text is "n/a" if the paper has no figure
				return figure, err == nil
			}
		}
	}
	return 0, false
}
