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
		if !ok || t.Value <= of || c.Wide {
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

// Ranked says whether two methods differ by more than the spread of seeds, in the tests that their
// rows of a table have in common. a and b are the provenances of model 1 and model 2. Ranked returns
// "" if one of them is nil, or if no test shows a spread.
func Ranked(a, b *model.Provenance) string {
	if a == nil || b == nil || a.Row == b.Row {
		return ""
	}
	sets, trainings := make(map[model.Order][]string), ""
	for _, t := range a.Tests {
		other := b.Test(t.Set)
		if other == nil {
			continue
		}
		order := t.Against(other.Spread)
		if sets[order] = append(sets[order], t.Set); order != model.Unknown {
			if trainings = fmt.Sprintf("%d trainings each", t.Trainings); t.Trainings != other.Trainings {
				trainings = fmt.Sprintf("%d and %d trainings", t.Trainings, other.Trainings)
			}
		}
	}
	var parts []string
	for _, of := range []struct {
		order model.Order
		words string
	}{
		{model.Better, "model 1 is better by more than the spread of seeds"},
		{model.Worse, "model 2 is better by more than the spread of seeds"},
		{model.Equal, "the two are equal within the spread of seeds"},
	} {
		if len(sets[of.order]) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", of.words, strings.Join(sets[of.order], ", ")))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("Over %s, %s.", trainings, strings.Join(parts, "; "))
}
