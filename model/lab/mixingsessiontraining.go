package lab

import (
	"errors"
	"fmt"
	"math"
	"time"

	"macroscope/model/train"
	"macroscope/model/wire"
)

// MixingCodesShipped is the bundle's path of the codes that laws are trained on
// in a tab.
const MixingCodesShipped = "models/mixing-z.npz"

// lawRecipe is what a training was begun with. Another recipe begins another one.
type lawRecipe struct {
	law, from string
	seed      uint64
}

func (s *MixingSession) recipe() lawRecipe {
	return lawRecipe{s.settings.Law, s.settings.From, s.settings.TrainFor}
}

// train starts training, or goes on. What it trains on is fetched first.
func (s *MixingSession) train() error {
	switch {
	case s.status == wire.Training:
		return nil
	case s.status == wire.Paused && s.recipe() == s.trains && s.training != nil:
		s.status = wire.Training
		s.changed()
		return nil
	}
	shipped := s.kept.find(shippedRun)
	switch {
	case shipped < 0 && s.wants == "":
		return errors.New("laws are trained on what the encoder of the shipped model made, which is not here; reload the page")
	case shipped < 0 || s.codes == nil:
		s.eager = true
		s.fetchCodes()
		return nil
	}
	return s.beginTraining(s.kept[shipped].model)
}

// fetchCodes asks for the codes once the model is there.
func (s *MixingSession) fetchCodes() {
	if s.codes == nil && s.wants == "" {
		s.wants = MixingCodesShipped
	}
	s.stateStale = true
}

// codesFetched takes the codes and begins the training that waits for them.
func (s *MixingSession) codesFetched(b []byte, err error) error {
	eager := s.eager
	s.eager = false
	if err == nil {
		s.codes, err = ReadMixingCodes(b)
	}
	switch {
	case err != nil:
		s.paused, s.runTo = nil, 0
		return fmt.Errorf("the encoded trajectories could not be opened, so no law can be trained here; reload the page, or train with the command line: %w", err)
	case s.paused != nil:
		return s.resumeTraining()
	case eager:
		return s.train()
	}
	return nil
}

// beginTraining starts another training with the encoder of the shipped model.
func (s *MixingSession) beginTraining(shipped *MixingModel) error {
	c := shipped.tabLaw(s.settings.Law == mixingLaws[0], s.settings.TrainFor, s.codes)
	origin := fmt.Sprintf("trained here from scratch, seed %d", c.Seed)
	var from *MixingModel
	if s.settings.From == beginnings[1] {
		from = s.a.model
		if from.Config.Law.Joint != c.Law.Joint || from.variables() != shipped.variables() {
			return errors.New("the law on show has another form than the one to be trained; choose its form, or begin from scratch")
		}
		const shorter, gentler = 3, 0.35
		c.Law.Drift, c.Law.Noise = from.Config.Law.Drift, from.Config.Law.Noise
		c.Law.Steps, c.Law.Rate = c.Law.Steps/shorter, c.Law.Rate*gentler
		origin = fmt.Sprintf("trained on here from %s", quote(s.a.name))
	}
	t, err := newMixingLawTraining(c, shipped, from, s.codes, s.now)
	if err != nil {
		return err
	}
	s.settings.Scratch = from == nil
	return s.takeTraining(t, origin)
}

// takeTraining makes a training the session's, and its law the one beside model A.
func (s *MixingSession) takeTraining(t *mixingLawTraining, origin string) error {
	s.training, s.trainedFrom, s.trains, s.status = t, origin, s.recipe(), wire.Training
	if s.a != nil && s.a.name == trainingRun {
		return s.choose(trainingRun, false)
	}
	return s.choose(trainingRun, true)
}

// stopTraining pauses it.
func (s *MixingSession) stopTraining() {
	if s.status == wire.Training {
		s.status = wire.Paused
	}
	s.eager, s.runTo = false, 0
	s.changed()
}

// trainOn trains until the budget is spent.
func (s *MixingSession) trainOn(budget time.Duration) *wire.Notice {
	t := s.training
	if s.runTo > 0 {
		budget = min(budget, time.Millisecond) // so as not to overshoot by much
	}
	err := t.Work(budget)
	if t.finished() || err != nil || s.live.due(s.now(), livePace) {
		s.stateStale, s.frameStale = true, true
	}
	s.settings.Step = t.trainer.Step()
	switch {
	case err != nil:
		var diverged *train.Diverged
		if s.status = wire.Idle; errors.As(err, &diverged) {
			s.status = wire.Diverged
		}
		return failure(err)
	case t.finished():
		s.status, s.runTo = wire.Done, 0
		s.refresh(true)
		return s.finishedTraining()
	case s.runTo > 0 && t.trainer.Step() >= s.runTo:
		s.stopTraining()
	}
	s.refresh(false)
	return nil
}

// finishedTraining keeps a law that has been trained to the end.
func (s *MixingSession) finishedTraining() *wire.Notice {
	name := s.keepAs
	if name == "" {
		name = s.settings.Law + " law"
	}
	r := run[*MixingModel]{name: s.kept.free(name), origin: s.trainedFrom, model: s.training.model.clone(), reached: s.training.reached()}
	if err := s.kept.keep(r); err != nil {
		return &wire.Notice{Text: fmt.Sprintf("Training has ended: %s. It was not kept: %v.", r.reached, err), Error: true}
	}
	s.keepAs = ""
	return &wire.Notice{Text: fmt.Sprintf("Training has ended: %s. The law is kept as %s.", r.reached, quote(r.name))}
}

// reached says what the law was last measured to do on runs that are held out.
func (t *mixingLawTraining) reached() string {
	if !t.usable() {
		return ""
	}
	return fmt.Sprintf("%.1f %% of %d runs held out in bands of %.0f %%, mean off by %.4f",
		100*t.coverage.last(), t.codes.Held, 100*bandNominal(heldMembers), t.fault.last())
}

// refresh lets the band of a law in training follow its weights.
func (s *MixingSession) refresh(now bool) {
	at := s.now()
	for _, m := range s.models() {
		if m.live && (now || at.Sub(m.told) >= lawPace && m.ahead.complete() || !m.usable && s.training.usable()) {
			m.told, m.usable = at, s.training.usable()
			s.foretell(m)
		}
	}
}

// task says what takes long, how far it is, and how many seconds are left.
func (s *MixingSession) task() (text string, share, left float64) {
	switch {
	case s.relax.under():
		return "Relaxing the atoms from their lattice", s.relax.share(), 0
	case s.eager && s.status != wire.Training:
		return "Fetching encoded trajectories to train on", 0, 0
	case s.training != nil && (s.status == wire.Training || s.status == wire.Paused):
		t := s.training
		step, steps := t.trainer.Step(), t.trainer.Steps()
		text = fmt.Sprintf("Stage II: the law learns how z moves, step %d of %d", step, steps)
		if t.held.busy() {
			text = fmt.Sprintf("Stage II: the law is measured on %d runs held out, after step %d", t.codes.Held, step)
		}
		if s.status == wire.Paused {
			return "Stopped: " + text, float64(step) / float64(steps), 0
		}
		return text, float64(step) / float64(steps), t.secsLeft()
	}
	if s.data != nil && s.data.measured != nil && !s.data.measured.done {
		m := s.data.measured
		return fmt.Sprintf("Measuring the model on your trajectories, %d of %d", m.next, m.count), m.share(), 0
	}
	return "", 0, 0
}

// trainLabel is what the button that trains would do.
func (s *MixingSession) trainLabel() string {
	switch {
	case s.status == wire.Training || s.eager:
		return "Stop"
	case s.status == wire.Paused && s.recipe() == s.trains:
		return "Go on"
	}
	return "Train"
}

// trainingFigures are the figures of a law in training.
func (s *MixingSession) trainingFigures(at map[string]string) {
	t := s.training
	if t == nil {
		return
	}
	if s.status == wire.Training && t.rate > 0 {
		at["rate"] = fmt.Sprintf("%.0f", t.rate*float64(t.model.Config.Law.Batch*t.model.Config.Law.Window))
	}
	if v := t.coverage.last(); !math.IsNaN(v) {
		at["val"] = fmt.Sprintf("%.1f %%", 100*v)
		at["fault"] = fmt.Sprintf("%.4f", t.fault.last())
	}
}

// putTraining adds the curves of a law in training.
func (s *MixingSession) putTraining() {
	t := s.training
	if t == nil {
		return
	}
	f := &s.frame
	stage := "stage II: the law"
	if t.held.busy() {
		stage = "stage II: measuring"
	}
	f.PutText("trainStage", stage)
	for _, c := range []struct {
		step, value string
		of          *curve
	}{{"lossStep", "loss", &t.loss}, {"coverStep", "cover", &t.coverage}, {"faultStep", "fault", &t.fault}} {
		f.Put(c.step, c.of.step...)
		f.Put(c.value, c.of.value...)
	}
}
