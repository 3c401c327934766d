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
	if c.Traits.Stochastic {
		t.Count = min(t.Count, measuredMost)
	} else {
		t.Members = 1
	}
	t.Count = max(1, min(t.Count, measuredNumbers/(s.Frames*c.Variables*(t.Members+1)+c.Views*c.States())))
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
	if m.Trained, err = t.Model.TrainedOn(pause.Part(0, 0.1), own); err != nil {
		return nil, err
	}
	t.Source = own
	if m.Prediction, err = t.Run(pause.Part(0.1, 0.9)); err != nil || !m.Trained {
		return m, err
	}
	_, out, err := t.Model.Config.KeptOut.Divide(own)
	if err == nil && out != nil {
		t.Source, t.Count = out, out.Shape().Trajectories
		m.KeptOut, err = t.Run(pause.Part(0.9, 1))
	}
	return m, err
}

// InWords describes the result in sentences, with the given name of the trajectories' file.
func (m *Measured) InWords(name string) string {
	text := m.Prediction.InWords(name)
	if m.Trained {
		text += fmt.Sprintf(" The model was trained on %s.", name)
	}
	if m.KeptOut != nil {
		text += " Kept out of its training: " + m.KeptOut.InWords(name)
	}
	return text
}

// InWords describes the prediction in sentences, with the given name of the trajectories' file.
func (p *Prediction) InWords(name string) string {
	n := p.Trajectories()
	counted := setting.Count(n, "trajectory", "trajectories")
	if !p.Stochastic {
		mean, median, largest := Summary(p.MRE())
		if n == 1 {
			return fmt.Sprintf("MRE over %s of %s: %s.", counted, name, setting.Figure("%.3e", mean))
		}
		return fmt.Sprintf("MRE over %s of %s: %s on average, median %s, largest %s.", counted, name,
			setting.Figure("%.3e", mean), setting.Figure("%.3e", median), setting.Figure("%.3e", largest))
	}
	share, _, nominal := p.Coverage()
	text := fmt.Sprintf("%.1f %% of the truth within bands of %.0f %%.", 100*share, 100*nominal)
	if n == 1 {
		return fmt.Sprintf("%s of %s, too few for an MMD: %s", counted, name, text)
	}
	mmd, _ := p.MMD(context.Background()) // the only possible error is a cancelled context
	perfect, sd, _ := p.PerfectMMD(context.Background())
	return fmt.Sprintf("%s of %s: MMD %s (a perfect model would have %.1e ± %.1e), %s", counted, name, setting.Figure("%.2e", mmd), perfect, sd, text)
}

// Value returns the measure of a prediction: an MMD, or the mean MRE.
func (p *Prediction) Value() float64 {
	if p.Stochastic {
		mmd, _ := p.MMD(context.Background())
		return mmd
	}
	mean, _, _ := Summary(p.MRE())
	return mean
}

// Figure returns the measure as text, see Prediction.Figure. If the trajectories trained the model, the
// text says so, or gives the measure of those that were kept out.
func (m *Measured) Figure() string {
	switch {
	case m.KeptOut != nil:
		return fmt.Sprintf("%s, kept out %s", m.Prediction.Figure(), m.KeptOut.Figure())
	case m.Trained:
		return m.Prediction.Figure() + ", trained on"
	}
	return m.Prediction.Figure()
}

// Figure returns the measure as text, or a dash if it is an MMD and there is only one trajectory: an MMD
// compares sets of trajectories.
func (p *Prediction) Figure() string {
	switch {
	case !p.Stochastic:
		return setting.Figure("%.2e", p.Value())
	case p.Trajectories() == 1:
		return "–"
	}
	return setting.Figure("%.1e", p.Value())
}
