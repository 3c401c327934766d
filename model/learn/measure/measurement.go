package measure

import (
	"context"
	"fmt"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/work"
)

// measuredMost is the largest number of trajectories for an MMD on the page. The cost of the MMD
// grows with the square of this number. measuredNumbers limits the values that a page stores.
const (
	measuredMost    = 100
	measuredNumbers = 1 << 24
)

// Bounded returns the task for a page, which measures on fewer trajectories if there are too many for its
// memory or for an MMD.
func (t Task) Bounded() Task {
	c, s := &t.Model.Config, t.Source.Shape()
	t.Count, t.Workers = min(t.Count, s.Trajectories), 1
	if t.Members = c.Motion().Members(t.Members); c.Motion().Ensemble {
		t.Count = min(t.Count, measuredMost)
	}
	t.Count = max(1, min(t.Count, measuredNumbers/(s.Frames*c.Variables*(t.Members+1)+c.Data.Views*c.States())))
	return t
}

// Measured is a measurement of a model on the user's trajectories.
type Measured struct {
	*Prediction
	Trained bool        // whether the trajectories trained the model
	KeptOut *Prediction // of the trajectories that were kept out of its training; nil if Trained is not set or nothing was kept out
}

// RunOwn is Run for the user's trajectories. It also finds out whether they trained the model. If they
// did, it measures those apart that were kept out of training.
func (t Task) RunOwn(own system.Recorded, pause work.Pause) (m *Measured, err error) {
	m = new(Measured)
	if m.Trained, err = t.Model.Data.TrainedOn(pause.Part(0, 0.1), own); err != nil {
		return nil, err
	}
	t.Source = own
	if m.Prediction, err = t.Run(pause.Part(0.1, 0.9)); err != nil || !m.Trained {
		return m, err
	}
	_, out, err := t.Model.Config.Data.KeptOut.Divide(own)
	if err == nil && out != nil {
		t.Source, t.Count, t.Frames, t.Encode = out, out.Shape().Trajectories, 0, nil
		m.KeptOut, err = t.Run(pause.Part(0.9, 1))
	}
	return m, err
}

// InWords describes the results in sentences, and the measures in short. `name` is the name of the
// trajectories' file. If they trained the model, both texts say so, or are also about those that were kept out.
func (m *Measured) InWords(name string) (text, figure string) {
	text, figure = m.Prediction.InWords(name)
	if !m.Trained {
		return text, figure
	}
	text += fmt.Sprintf(" The model was trained on %s.", name)
	if m.KeptOut == nil {
		return text, figure + ", trained on"
	}
	more, out := m.KeptOut.InWords(name)
	return text + " Kept out of its training: " + more, fmt.Sprintf("%s, kept out %s", figure, out)
}

// InWords describes the prediction in sentences, and its measure in short. `name` is the name of the
// trajectories' file. Instead of the MMD of a single trajectory, there is a dash.
func (p *Prediction) InWords(name string) (text, figure string) {
	r, _ := p.Result(context.Background(), name) // the only possible error is a cancelled context
	words := func(format, name string) string { return setting.Figure(format, r.Number(name)) }
	n := p.Trajectories()
	of := fmt.Sprintf("%s of %s", setting.Count(n, "trajectory", "trajectories"), name)
	switch within := fmt.Sprintf("%.1f %% of the truth within bands of %.0f %%.", 100*r.Number("coverage"), 100*r.Number("nominal")); {
	case !p.Ensemble && n == 1:
		return fmt.Sprintf("MRE over %s: %s.", of, words("%.3e", "mre")), words("%.2e", "mre")
	case n == 1:
		return fmt.Sprintf("%s, too few for an MMD: %s", of, within), setting.None
	case p.Ensemble:
		return fmt.Sprintf("%s: MMD %s (a perfect model would have %.1e ± %.1e), %s", of, words("%.2e", "mmd"), r.Number("perfect"), r.Number("perfect_sd"), within), words("%.1e", "mmd")
	}
	return fmt.Sprintf("MRE over %s: %s on average, median %s, largest %s.", of, words("%.3e", "mre"), words("%.3e", "median"), words("%.3e", "max")), words("%.2e", "mre")
}

// Value returns the value of the figure that compares models, see method.Config.Measure: an MMD, or the mean MRE.
func (p *Prediction) Value() float64 {
	if p.Ensemble {
		mmd, _ := p.MMD(context.Background())
		return mmd
	}
	mean, _, _ := Summary(p.MRE())
	return mean
}
