package view

import (
	"fmt"
	"strings"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
)

// Trained says from which training of a table a model comes, what its figures in the table's tests
// are, and which of them are worse than the paper's. p is the model's provenance.
func Trained(c *method.Config, p *model.Provenance) string {
	return trained(c, p) + worse(c, p)
}

// worse says which figures of a model are above the paper's, and whether their means over all trainings
// are too. It returns "" if none is, or if the model was trained on other data than the paper's.
func worse(c *method.Config, p *model.Provenance) string {
	var figures []string
	tried := "" // the guide has a paragraph for every row whose mean is worse
	for _, t := range p.Tests {
		of, ok := method.PublishedFigure(c.Spec.System, c.Spec.Method, t.Set)
		if !ok || t.Value <= of || c.Data.Wide {
			continue
		}
		text := fmt.Sprintf("%.3g in %s", of, t.Set)
		if t.Mean > of {
			tried = "; the guide’s results say what was tried"
		} else {
			text += fmt.Sprintf(" (not in the mean over %s)", setting.Count(t.Trainings, "training", "trainings"))
		}
		figures = append(figures, text)
	}
	if figures == nil {
		return ""
	}
	return fmt.Sprintf(" Worse than the paper’s %s%s.", strings.Join(figures, " and "), tried)
}

// trained says from which training a model comes, and gives its figures.
func trained(c *method.Config, p *model.Provenance) string {
	with := strings.Join(append([]string{p.Preset()}, p.Changes()...), " and ")
	text := fmt.Sprintf("Trained with preset %s, seed %d, in %.0f core seconds. ", with, c.Seed, p.Seconds)
	var figures []string
	for _, t := range p.Tests {
		text := fmt.Sprintf("%.2g", t.Value)
		if t.Set != model.ValidationSets {
			text += " " + t.Set
		}
		figures = append(figures, text)
	}
	of := c.Measure()
	return text + fmt.Sprintf("%s on %s: %s%s.", of.Says, setting.Count(p.Count, "fresh "+of.One, "fresh "+of.Many), strings.Join(figures, ", "), of.Unit)
}

// Ranked says whether two methods differ by more than the spread of seeds, in the tests that their rows
// of a table have in common. Better, Worse and Equal list the tests in which the method of model 1 is
// better, worse or neither. Trainings and Others are the trainings of the two; 0 if no test shows a spread.
type Ranked struct {
	Trainings, Others    int
	Better, Worse, Equal string
}

// Rank compares the provenances of model 1 and model 2, which can be nil.
func (r *Ranked) Rank(a, b *model.Provenance) {
	if a == nil || b == nil || a.Row == b.Row {
		return
	}
	for _, t := range a.Tests {
		other := b.Test(t.Set)
		if other == nil {
			continue
		}
		list := &r.Equal
		switch t.Against(other.Spread) {
		case model.Better:
			list = &r.Better
		case model.Worse:
			list = &r.Worse
		case model.Unknown:
			continue
		}
		if r.Trainings, r.Others = t.Trainings, other.Trainings; *list != "" {
			*list += ", "
		}
		*list += t.Set
	}
}
