package experiment

import (
	"context"
	"fmt"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// measuredMost is the largest number of trajectories for an MMD on the page. The cost of the MMD
// grows with the square of this number. measuredNumbers limits the values that a Measurement
// stores.
const (
	measuredMost    = 100
	measuredNumbers = 1 << 24
	measuredBlock   = 8 // the number of trajectories in a block, as in Evaluate
)

// Measurement measures the predictions for a file's trajectories with the metrics of the
// subcommand eval (MRE or MMD), in short pieces of work.
type Measurement struct {
	model    *Model
	reader   system.Reader
	coder    *Coder
	frame    system.Frame
	count    int
	next     int  // index of the next trajectory to read
	begun    bool // whether a trajectory is being read
	z0       []float32
	forecast *Forecast // predictions of the current block
	block    int
	result   Prediction
	done     bool

	own     system.Recorded // the user's trajectories; nil for other trajectories
	digest  *Digest         // digest of own; nil if it is not needed, and after it has been computed
	trained bool            // whether these trajectories trained the model
	keptOut *Measurement    // measures the part of own that was kept out of training; nil if there is none
}

// NewOwnMeasurement begins to measure a model on the user's trajectories. If they trained the model, the
// part that was kept out of training is also measured apart.
func NewOwnMeasurement(model *Model, own system.Recorded) (*Measurement, error) {
	r, err := own.Reader()
	if err != nil {
		return nil, err
	}
	m := NewMeasurement(model, r, own.Shape())
	if m.own = own; model.Data != "" {
		m.digest = NewDigest(own)
	}
	return m, nil
}

// NewMeasurement begins to measure a model on the trajectories of a reader. The Measurement
// will close the reader.
func NewMeasurement(model *Model, r system.Reader, shape system.Shape) *Measurement {
	c := &model.Config
	m := &Measurement{model: model, reader: r, coder: model.NewCoder(), count: shape.Trajectories}
	members := 1
	if c.Traits.Stochastic {
		m.count, members = min(m.count, measuredMost), TestMembers
	}
	m.count = max(1, min(m.count, measuredNumbers/(shape.Frames*c.Variables*(members+1)+c.Views*c.States())))
	n := m.count * shape.Frames * c.Variables
	m.result = Prediction{
		Frames: shape.Frames, Members: members, Variables: c.Variables, Begin: c.Dynamics.Begin, Pred: make([]float32, n*members), Truth: make([]float32, n),
		Stretch: m.model.Stretch, Unit: m.model.Unit(),
	}
	m.z0 = make([]float32, m.count*c.Views*c.States())
	return m
}

// Model returns the model being measured.
func (m *Measurement) Model() *Model { return m.model }

// Done reports whether the measurement is complete.
func (m *Measurement) Done() bool { return m.done }

// Close closes the readers.
func (m *Measurement) Close() {
	m.reader.Close()
	if m.keptOut != nil {
		m.keptOut.Close()
	}
}

// identify does a piece of the work that finds out whether the trajectories trained the model.
func (m *Measurement) identify() (err error) {
	d := m.digest
	if !d.Whole() {
		return d.Advance()
	}
	m.digest = nil
	if m.trained, err = m.model.TrainedOn(m.own, d.String()); err != nil || !m.trained {
		return err
	}
	_, out, err := m.model.Config.KeptOut.Divide(m.own)
	if err != nil || out == nil {
		return err
	}
	r, err := out.Reader()
	if err == nil {
		m.keptOut = NewMeasurement(m.model, r, out.Shape())
	}
	return err
}

// Advance does one short piece of work: it reads a part of a trajectory or predicts one frame
// of a block of trajectories.
func (m *Measurement) Advance() error {
	p, c := &m.result, &m.model.Config
	row, v := p.Frames*p.Variables, c.Views*c.States()
	switch {
	case m.done:
	case p.Check() != nil:
		return p.Check()
	case m.digest != nil:
		return m.identify()
	case m.next < m.count && !m.begun:
		m.begun = true
		return m.reader.Begin(m.next)
	case m.next < m.count:
		whole, err := m.reader.Advance()
		if err != nil || !whole {
			return err
		}
		t := m.reader.Trajectory()
		m.model.TruthOf(p.Truth[m.next*row:(m.next+1)*row], t.Macro)
		m.model.System.Frame(&m.frame, t, p.Begin, c.Dim())
		if err := m.model.Takes(&m.frame); err != nil {
			return err
		}
		m.coder.States(m.z0[m.next*v:(m.next+1)*v], &m.frame, t.Until(p.Begin, c.Variables))
		m.begun = false
		if m.next++; m.next == m.count {
			p.Tell()
		}
	case m.block*measuredBlock >= m.count && m.keptOut != nil && !m.keptOut.done:
		return m.keptOut.Advance()
	case m.block*measuredBlock >= m.count:
		m.done = true
		m.reader.Close()
	default:
		n := min(measuredBlock, m.count-m.block*measuredBlock)
		if m.forecast == nil {
			m.forecast = m.model.NewForecast(n, p.Members)
			m.forecast.Begin(m.z0[m.block*measuredBlock*v:], TestSeed, uint64(m.block))
		} else {
			m.forecast.Step(m.model.DynamicsParams)
		}
		frame := m.forecast.Frame()
		m.model.Read(p.Pred[m.block*measuredBlock*p.Members*row:], m.forecast, n, p.Members, p.Frames, frame)
		if frame == p.Frames-1 {
			m.forecast = nil
			m.block++
		}
	}
	return nil
}

// Progress returns the number of trajectories read, the number of trajectories to read, and the
// completed share of the measurement, from 0 to 1.
func (m *Measurement) Progress() (read, count int, share float64) {
	return m.next, m.count, float64(m.next+min(m.count, m.block*measuredBlock)) / float64(2*m.count)
}

// InWords describes the result in sentences, with the given name of the trajectories' file.
func (m *Measurement) InWords(name string) string {
	text := m.inWords(name)
	if m.trained {
		text += fmt.Sprintf(" The model was trained on %s.", name)
	}
	if m.keptOut != nil {
		text += " Kept out of its training: " + m.keptOut.inWords(name)
	}
	return text
}

func (m *Measurement) inWords(name string) string {
	p, counted := &m.result, setting.Count(m.count, "trajectory", "trajectories")
	if !m.model.Config.Traits.Stochastic {
		mean, median, largest := Summary(p.MRE())
		if m.count == 1 {
			return fmt.Sprintf("MRE over %s of %s: %s.", counted, name, setting.Figure("%.3e", mean))
		}
		return fmt.Sprintf("MRE over %s of %s: %s on average, median %s, largest %s.", counted, name,
			setting.Figure("%.3e", mean), setting.Figure("%.3e", median), setting.Figure("%.3e", largest))
	}
	share, _, nominal := p.Coverage()
	text := fmt.Sprintf("%.1f %% of the truth within bands of %.0f %%.", 100*share, 100*nominal)
	if m.single() {
		return fmt.Sprintf("%s of %s, too few for an MMD: %s", counted, name, text)
	}
	mmd, _ := p.MMD(context.Background()) // the only possible error is a cancelled context
	perfect, sd, _ := p.PerfectMMD(context.Background())
	return fmt.Sprintf("%s of %s: MMD %s (a perfect model would have %.1e ± %.1e), %s", counted, name, setting.Figure("%.2e", mmd), perfect, sd, text)
}

// Value returns the result: an MMD, or the mean MRE.
func (m *Measurement) Value() float64 {
	if m.model.Config.Traits.Stochastic {
		mmd, _ := m.result.MMD(context.Background())
		return mmd
	}
	mean, _, _ := Summary(m.result.MRE())
	return mean
}

// single reports whether the result would be the MMD of a single trajectory. There is no such MMD,
// because an MMD compares sets of trajectories.
func (m *Measurement) single() bool { return m.model.Config.Traits.Stochastic && m.count == 1 }

// Figure returns Value as text, or a dash if the value is an MMD and there is only one trajectory. If the
// trajectories trained the model, the text says so, or gives the value of those that were kept out.
func (m *Measurement) Figure() string {
	switch {
	case m.keptOut != nil:
		return fmt.Sprintf("%s, kept out %s", m.figure(), m.keptOut.figure())
	case m.trained:
		return m.figure() + ", trained on"
	}
	return m.figure()
}

func (m *Measurement) figure() string {
	if m.single() {
		return "–"
	}
	if m.model.Config.Traits.Stochastic {
		return setting.Figure("%.1e", m.Value())
	}
	return setting.Figure("%.2e", m.Value())
}
