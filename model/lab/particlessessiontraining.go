package lab

import (
	"errors"
	"fmt"
	"math"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/train"
	"macroscope/model/wire"
)

// livePace is how often the picture takes the curves and the weights of a
// training under way, and lawPace how often the prediction and ẑ through time are
// worked out anew with them, which in a tab takes about half a second. What moves
// is drawn as often as it moves; these are for what is drawn for the training's
// sake alone.
const (
	livePace = 500 * time.Millisecond
	lawPace  = 6 * time.Second
)

// pace lets something happen no more often than a period.
type pace struct{ last time.Time }

// due says whether the period has passed since it last said so.
func (p *pace) due(now time.Time, period time.Duration) bool {
	if now.Sub(p.last) < period {
		return false
	}
	p.last = now
	return true
}

// recipe is what a training was begun with. Another recipe begins another one.
type recipe struct {
	eps        float64
	zdim       int
	size, from string
	seed       uint64
	data       *ownData
}

func (s *ParticlesSession) recipe() recipe {
	t := s.settings
	return recipe{t.Eps, t.ZDim, t.Size, t.From, t.TrainFor, s.data}
}

// trainingConfig is what is trained next.
func (s *ParticlesSession) trainingConfig() (ParticlesConfig, error) {
	c, err := s.preset(s.settings.Size)
	if err != nil {
		return c, err
	}
	c = c.WithZDim(s.settings.ZDim)
	c.Eps, c.Seed = s.settings.Eps, s.settings.TrainFor
	if s.data != nil {
		c = c.ForRecording(s.data.rec, s.data.rec.name)
	}
	return c, c.Validate()
}

// train starts training, or goes on.
func (s *ParticlesSession) train() error {
	switch {
	case s.status == wire.Training:
		return nil
	case s.status == wire.Paused && s.recipe() == s.trains:
		s.goOn()
		return nil
	case s.paused != nil:
		return s.resume()
	}
	return s.begin()
}

// begin starts another training.
func (s *ParticlesSession) begin() error {
	c, err := s.trainingConfig()
	if err != nil {
		return err
	}
	var from *ParticlesModel
	origin := fmt.Sprintf("trained here from scratch, seed %d", c.Seed)
	if s.settings.From == beginnings[1] {
		if s.a == nil {
			return errors.New("the model to begin with is still on its way; wait for it, or begin from scratch")
		}
		from, origin = s.a.model, fmt.Sprintf("trained on here from %s", quote(s.a.name))
	}
	t, err := newParticlesTraining(c, s.trainingSource(), from, s.now)
	if err != nil {
		return err
	}
	s.settings.Scratch = from == nil && s.data == nil
	if s.data != nil {
		origin += ", on " + s.data.name
	}
	return s.take(t, origin)
}

// trainingSource is own data, nil where trajectories are simulated.
func (s *ParticlesSession) trainingSource() Source {
	if s.data == nil {
		return nil // and not an interface that holds nil
	}
	return s.data.rec
}

// resume goes on with the training of a checkpoint.
func (s *ParticlesSession) resume() error {
	f := s.paused
	t, err := resumeParticlesTraining(f, s.trainingSource(), s.now)
	if err != nil {
		return fmt.Errorf("the checkpoint's training cannot go on: %w", err)
	}
	s.paused = nil
	return s.take(t, "trained on here from a checkpoint")
}

// take makes a training the session's, and its model the one on show.
func (s *ParticlesSession) take(t *particlesTraining, origin string) error {
	s.adopt(t, origin)
	if err := s.choose(trainingRun, false); err != nil {
		return err
	}
	s.goOn()
	return nil
}

// adopt makes a training the session's.
func (s *ParticlesSession) adopt(t *particlesTraining, origin string) {
	s.endTraining()
	s.training, s.trainedFrom, s.trains = t, origin, s.recipe()
}

// endTraining lets the present training go. Answers of helpers that are on their
// way belong to it.
func (s *ParticlesSession) endTraining() {
	if s.training == nil {
		return
	}
	s.training.Close()
	s.training, s.status, s.runTo = nil, wire.Idle, place{}
	for k := range s.helpers {
		h := &s.helpers[k]
		h.stale, h.open = h.stale+h.open, 0
	}
	if s.b != nil && s.b.live {
		s.b = nil
	}
}

func (s *ParticlesSession) goOn() {
	s.status = wire.Training
	s.stateStale, s.frameStale = true, true
}

// stopTraining pauses it.
func (s *ParticlesSession) stopTraining() {
	if s.status == wire.Training {
		s.status = wire.Paused
	}
	s.runTo = place{}
	s.changed()
}

// place is a step of a stage.
type place struct{ stage, step int }

// reached says whether a training is at a place or beyond.
func (p place) reached(t *particlesTraining) bool {
	stage, step := t.run.stage, 0
	if tr := t.run.trainer; tr != nil {
		step = tr.Step()
	}
	return stage > p.stage || stage == p.stage && step >= p.step
}

// workTraining trains until the budget is spent.
func (s *ParticlesSession) workTraining(began time.Time, budget time.Duration) *wire.Notice {
	if s.status != wire.Training {
		return nil
	}
	for {
		left := budget - s.now().Sub(began)
		if s.runTo != (place{}) {
			left = 0 // one piece at a time, so as to stop where it is wanted
		}
		if n := s.trained(s.training.Work(max(0, left))); n != nil || s.status != wire.Training {
			return n
		}
		if s.runTo == (place{}) || s.now().Sub(began) >= budget {
			return nil
		}
	}
}

// trained follows every piece of training.
func (s *ParticlesSession) trained(err error) *wire.Notice {
	t := s.training
	switch {
	case err != nil:
		var diverged *train.Diverged
		if s.status = wire.Idle; errors.As(err, &diverged) {
			s.status = wire.Diverged
		}
		s.refresh(true)
		return failure(err)
	case t.Finished():
		s.status = wire.Done
		s.refresh(true)
		return s.finished()
	case s.runTo != (place{}) && s.runTo.reached(t):
		s.stopTraining()
		s.refresh(true)
	case s.live.due(s.now(), livePace):
		s.refresh(false)
	}
	return nil
}

// finished keeps a model that has been trained to the end.
func (s *ParticlesSession) finished() *wire.Notice {
	m := s.training.Model()
	name := s.kept.free(s.keepAs)
	if s.keepAs == "" {
		name = s.kept.free(fmt.Sprintf("ε %g, ẑ %d", m.Config.Eps, m.Config.Encoder.ZDim))
	}
	mre := s.training.Progress().MRE
	if err := s.kept.keep(run[*ParticlesModel]{name: name, origin: s.trainedFrom, model: m.clone()}); err != nil {
		return &wire.Notice{Text: fmt.Sprintf("Training has ended with a validation MRE of %.2e. It was not kept: %v.", mre, err), Error: true}
	}
	s.keepAs = ""
	if s.a != nil && s.a.live {
		if err := s.choose(name, false); err != nil {
			return failure(err)
		}
	}
	return &wire.Notice{Text: fmt.Sprintf("Training has ended with a validation MRE of %.2e; the model is kept as %s.", mre, quote(name))}
}

// refresh lets the picture follow the training, the prediction too if whole.
func (s *ParticlesSession) refresh(whole bool) {
	at, shown := s.now(), false
	for _, m := range s.models() {
		if !m.live {
			continue
		}
		m.usable = s.training.Usable()
		m.view.stale = true
		if whole || at.Sub(m.told) >= lawPace && m.settled(&s.play) {
			m.told = at
			m.again(s)
		}
		shown = true
	}
	switch s.stateStale = true; {
	case whole || shown && s.play.busy():
		s.changed()
	case !shown:
		s.frameStale = true // for the curves
	default: // one picture, when the density of the new weights is whole
		s.paint()
		s.frameStale = s.frameStale || s.decoded()
	}
}

// decoded says whether the learned densities on show are whole.
func (s *ParticlesSession) decoded() bool {
	for _, m := range s.models() {
		if m.decoded && m.view.behind > 0 {
			return false
		}
	}
	return true
}

// helperJobs counts what a helper has been given and not answered.
type helperJobs struct{ open, stale int }

var _ wire.Crewed = (*ParticlesSession)(nil)

// Cores implements wire.Crewed.
func (s *ParticlesSession) Cores(n int) { s.cores = max(1, n) }

// Hands implements wire.Crewed.
func (s *ParticlesSession) Hands() int {
	if s.status != wire.Training {
		return 0
	}
	s.training.SetHands(min(s.settings.Workers, s.cores) - 1)
	return s.training.Hands()
}

// Job implements wire.Crewed.
func (s *ParticlesSession) Job(k int) []byte {
	if s.status != wire.Training {
		return nil
	}
	job := s.training.Job(k)
	if job != nil {
		s.helper(k).open++
	}
	return job
}

func (s *ParticlesSession) helper(k int) *helperJobs {
	for len(s.helpers) <= k {
		s.helpers = append(s.helpers, helperJobs{})
	}
	return &s.helpers[k]
}

// Done implements wire.Crewed.
func (s *ParticlesSession) Done(k int, result []byte, err error) *wire.Notice {
	h := s.helper(k)
	if h.stale > 0 {
		h.stale--
		return nil
	}
	if h.open--; s.training == nil {
		return nil
	}
	err = s.training.Done(k, result, err)
	if s.status != wire.Training {
		return nil
	}
	return s.trained(err)
}

// Lost implements wire.Crewed.
func (s *ParticlesSession) Lost(k int) {
	*s.helper(k) = helperJobs{}
	if s.training != nil {
		s.training.Lost(k)
	}
}

// trainLabel is what the button that trains would do.
func (s *ParticlesSession) trainLabel() string {
	switch {
	case s.status == wire.Training:
		return "Stop"
	case s.status == wire.Paused && s.recipe() == s.trains, s.paused != nil:
		return "Go on"
	}
	return "Train"
}

// task says what takes long, how far it is, and how many seconds are left.
func (s *ParticlesSession) task() (text string, share, left float64) {
	switch {
	case s.status == wire.Training || s.status == wire.Paused:
		p := s.training.Progress()
		text, share, left = p.Task, p.Share, p.SecsLeft
		if math.IsNaN(left) || s.status == wire.Paused {
			left = 0
		}
		if p.Steps > 0 {
			text = fmt.Sprintf("%s, step %d of %d", text, p.Step, p.Steps)
		}
		if s.status == wire.Paused {
			text = "stopped: " + text
		}
	case s.data != nil && s.data.measured != nil && !s.data.measured.done():
		m := s.data.measured
		text, share = fmt.Sprintf("measuring the MRE of your trajectories, %d of %d", m.next, len(m.result.MRE)), float64(m.next)/float64(len(m.result.MRE))
	}
	return upperFirst(text), share, left
}

// checkpointOf returns a model as a file, with the training that it is of.
func (s *ParticlesSession) checkpointOf(m *shownModel) *ckpt.File {
	if m.live && s.training != nil {
		return s.training.Checkpoint()
	}
	return m.model.Checkpoint()
}
