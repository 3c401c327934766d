package lab

import (
	"fmt"
	"math"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/train"
)

// particlesTraining trains a model as a ParticlesRun does, with the same bits,
// but in short pieces of work between which a page can be answered, while its
// trajectories are still being simulated, and with helpers that compute for it.
// It serves one goroutine at a time.
type particlesTraining struct {
	run    *ParticlesRun // model, stage, and the trainer of the stage
	now    func() time.Time
	failed error

	rows     *recordingRows // of own data, nil where trajectories are simulated
	queue    queue          // of the trajectories that the stage reads
	task     reading        // the trajectory that is being read here
	reader   reader
	heldRead reader // of those that the training is watched by
	fit      *fitData
	law      *lawData
	scaled   bool // positions, by stage I's first trajectories
	ranged   bool // the observable, by all of stage I's
	coded    bool // the closure variables, by all of stage II's
	encoder  *frameEncoder
	worker   shardWorker

	held      *heldOut
	heldFirst int // of a recording
	curves    particlesCurves
	meter     meter
	crew      crew
}

// reading is how far a trajectory is.
type reading struct {
	begun  bool // else there is none
	number int  // of the queue
	whole  bool // all frames are there
	frame  int  // that is encoded next
}

// purpose is what is made of a trajectory.
type purpose uint32

const (
	forFit  purpose = iota // the frames that stage I keeps
	forLaw                 // its macroscopic variables, for stage II
	forHeld                // what is needed to measure predictions by it
)

// particlesCurves are the figures that a training leaves behind.
type particlesCurves struct {
	loss [StageDone]curve // of every stage, against its own steps
	mre  curve            // of the trajectories held out, against stage II's steps
}

// newParticlesTraining returns a training from the start: on simulated
// trajectories if src is nil, and from scratch if from is nil. Otherwise it
// begins with the weights of another model, whose networks it takes over, and is
// shorter and gentler.
func newParticlesTraining(c ParticlesConfig, src Source, from *ParticlesModel, now func() time.Time) (*particlesTraining, error) {
	if from != nil {
		var err error
		if c, err = c.retrained(&from.Config); err != nil {
			return nil, err
		}
	}
	src, err := c.sourceOr(src)
	if err != nil {
		return nil, err
	}
	c = c.fitting(src.Shape())
	run, err := NewParticlesRun(c, src, 1)
	if err != nil {
		return nil, err
	}
	t := &particlesTraining{run: run, now: now, crew: newCrew()}
	if from != nil {
		m := run.Model
		copy(m.Params, from.Params)
		copy(m.LawParams, from.LawParams)
		m.Scale = from.Scale.clone()
		t.scaled = true
	}
	return t, t.open()
}

// resumeParticlesTraining returns a training that goes on from a checkpoint, on
// the data that it began with.
func resumeParticlesTraining(f *ckpt.File, src Source, now func() time.Time) (*particlesTraining, error) {
	m, err := ParticlesFromFile(f)
	if err != nil {
		return nil, err
	}
	if src, err = m.Config.sourceOr(src); err != nil {
		return nil, err
	}
	// Other data than those it began with would make it another training.
	const room = 1 << 30
	if n := m.Config.fitBytes(src.Shape()); n > room {
		return nil, fmt.Errorf("the training keeps %d MB of data, which is more than a tab has room for; go on with it on the command line", n>>20)
	}
	run, err := ResumeParticles(f, src, 1)
	if err != nil {
		return nil, err
	}
	t := &particlesTraining{run: run, now: now, crew: newCrew()}
	t.scaled = run.stage > StageFit || run.resume != nil
	t.ranged = run.stage > StageFit
	return t, t.open()
}

// sourceOr returns the data to train on.
func (c *ParticlesConfig) sourceOr(src Source) (Source, error) {
	if src == nil && c.Recorded {
		return nil, fmt.Errorf("the training is of data of your own; open them again to go on")
	}
	if src == nil {
		return c.TrainingSource(), nil
	}
	return src, nil
}

// retrained returns the configuration of a training that begins with the weights
// of a model of another.
func (c ParticlesConfig) retrained(from *ParticlesConfig) (ParticlesConfig, error) {
	switch {
	case from.Encoder.Dim != c.Encoder.Dim:
		return c, fmt.Errorf("the weights are for particles of %d coordinates and these have %d; train from scratch", from.Encoder.Dim, c.Encoder.Dim)
	case from.Encoder.ZDim != c.Encoder.ZDim:
		return c, fmt.Errorf("the weights are for %d closure variables and %d are asked for; train from scratch", from.Encoder.ZDim, c.Encoder.ZDim)
	}
	c.Encoder, c.Flow, c.Law.Drift = from.Encoder, from.Flow, from.Law.Drift
	const shorter, gentler = 3, 0.35
	c.Steps, c.Rate = max(1, c.Steps/shorter), c.Rate*gentler
	for _, l := range []*LawTraining{&c.Law.Fit, &c.Law.Roll} {
		l.Rate *= gentler
		if l.Steps > 0 {
			l.Steps = max(1, l.Steps/shorter)
		}
	}
	if !c.Recorded {
		c.Trajectories = c.available(c.Steps, c.Trajectories)
		c.Law.Trajectories = max(1, c.Law.Trajectories/2)
	}
	return c, nil
}

// fitBytes returns the size of what stage I keeps of the data.
func (c *ParticlesConfig) fitBytes(s Shape) int {
	return 4 * min(c.Trajectories, s.Trajectories) * len(c.fitFrames(s.Frames)) * s.Particles * s.Dim
}

// fitting returns the configuration with no more data in stage I than a tab has
// room for: fewer frames of a trajectory, or fewer trajectories. Where there were
// too many, a tab had better not wait for the last of them either.
func (c ParticlesConfig) fitting(s Shape) ParticlesConfig {
	const room, warm, fewest = 160 << 20, 24, 8
	if c.fitBytes(s) <= room {
		return c
	}
	for c.fitBytes(s) > room && len(c.fitFrames(s.Frames)) > fewest {
		c.Thin++
	}
	c.Trajectories = min(c.Trajectories, s.Trajectories)
	if most := c.fitBytes(s); most > room {
		c.Trajectories = max(1, int(float64(c.Trajectories)*room/float64(most)))
	}
	if c.Warm == 0 && !c.Recorded {
		c.Warm, c.Every = warm, max(1, c.Steps/2/c.Trajectories)
	}
	return c
}

// open begins the run's stage, or goes on with it where a checkpoint left it.
// Its data are read by Work.
func (t *particlesTraining) open() error {
	m, s := t.run.Model, t.run.src.Shape()
	if t.reader == nil {
		if err := t.openReaders(); err != nil {
			return err
		}
	}
	var cfg train.Config
	params := m.Params
	switch t.run.stage {
	case StageFit:
		t.fit = m.newFitData(s)
		t.worker, cfg, t.queue = m.newFitWorker(t.fit), m.Config.fitConfig(1), newQueue(len(t.fit.x))
	case StageLaw, StageRoll:
		if t.law == nil {
			var err error
			if t.law, err = m.newLawData(s); err != nil {
				return err
			}
			t.fit, t.encoder = nil, m.newFrameEncoder(s.Particles)
			t.queue = newQueue(t.law.trajectories + len(t.held.first))
		}
		t.worker, cfg, params = m.newStageWorker(t.run.stage, t.law), m.lawTraining(t.run.stage).trainConfig(1), m.LawParams
	default:
		t.fit, t.law, t.worker = nil, nil, nil
		t.closeRows()
		return nil
	}
	w := t.worker
	t.run.trainer = train.New(cfg, params, func() train.Worker { return w })
	if t.run.resume != nil {
		t.run.resume.apply(t.run.trainer)
		t.run.resume = nil
	}
	t.crew.opened(t.run.stage)
	return nil
}

func (t *particlesTraining) openReaders() (err error) {
	c := &t.run.Model.Config
	held, count := Source(c.heldOutSource(heldOutCount)), heldOutCount
	if r, ok := t.run.src.(*Recording); ok {
		t.rows, held = &recordingRows{src: r}, r
		t.heldFirst, count = heldOutOf(c, r.shape.Trajectories)
	}
	if t.reader, err = newReader(t.run.src, t.rows); err != nil {
		return err
	}
	if t.heldRead, err = newReader(held, t.rows); err != nil {
		return err
	}
	t.held = newHeldOut(t.run.Model, count, held.Shape())
	return nil
}

func (t *particlesTraining) closeRows() {
	if t.rows != nil {
		t.rows.close()
	}
}

// Model is the model that is being trained. It changes with every step.
func (t *particlesTraining) Model() *ParticlesModel { return t.run.Model }

// Usable says whether the law has been trained enough to predict with.
func (t *particlesTraining) Usable() bool {
	switch t.run.stage {
	case StageFit:
		return false
	case StageLaw:
		return t.coded && !math.IsNaN(t.curves.mre.last())
	}
	return t.coded || t.Finished()
}

// Finished says whether all stages have ended.
func (t *particlesTraining) Finished() bool { return t.run.stage == StageDone }

// Curves are the losses and the errors so far.
func (t *particlesTraining) Curves() *particlesCurves { return &t.curves }

// Checkpoint returns the model with all that a training, here or of the command
// line, needs to go on from here.
func (t *particlesTraining) Checkpoint() *ckpt.File {
	if t.run.stage == StageFit && !t.scaled { // not begun
		return (&ParticlesRun{Model: t.run.Model, stage: StageFit}).Checkpoint()
	}
	return t.run.Checkpoint()
}

// Close ends the training.
func (t *particlesTraining) Close() {
	t.run.Close()
	t.closeRows()
}

// Work trains for about budget. While only helpers have something to do, or when
// they could have more, it returns early. An error ends the training; that of a
// loss that is no longer finite is a *train.Diverged, and the weights from before
// are kept.
func (t *particlesTraining) Work(budget time.Duration) error {
	for began := t.now(); t.failed == nil && !t.Finished(); {
		worked, handsWait := t.advance()
		t.meter.look(t)
		if !worked || handsWait || t.now().Sub(began) >= budget {
			break
		}
	}
	return t.failed
}

// advance does a short piece of work, if there is any for this worker at present.
// handsWait says that helpers could have new jobs now.
func (t *particlesTraining) advance() (worked, handsWait bool) {
	if t.task.begun {
		t.fail(t.readOn())
		return true, false
	}
	if i, ok := t.queue.take(t.needed()); ok {
		t.fail(t.beginReading(i))
		return true, false
	}
	if !t.ready() {
		return false, false
	}
	tr := t.run.trainer
	switch {
	case t.run.stage != StageFit && t.held.code():
		return true, false
	case t.held.busy():
		t.measure()
		return true, false
	case tr.Step() >= tr.Steps() && t.run.stage != StageFit && t.held.at != tr.Step():
		t.beginMeasuring()
		return true, false
	case tr.Step() >= tr.Steps():
		t.fail(t.nextStage())
		return true, true
	}
	shard, ok := tr.Take()
	if !ok {
		return false, false
	}
	began := t.now()
	stepped, err := tr.Compute(shard)
	t.crew.timed(t.now().Sub(began))
	t.fail(err)
	if stepped {
		t.stepped()
	}
	return true, stepped && t.crew.wanted > 0
}

// fail remembers what ended the training.
func (t *particlesTraining) fail(err error) {
	if err != nil && t.failed == nil {
		t.failed = err
	}
}

// needed returns how many of the queue's first trajectories the next step needs.
func (t *particlesTraining) needed() int {
	tr := t.run.trainer
	if t.run.stage == StageFit && tr.Step() < tr.Steps() {
		return t.run.Model.Config.available(tr.Step(), t.queue.n)
	}
	return t.queue.n
}

// ready says whether the data of the next step are there, and finds the scales
// that depend on them.
func (t *particlesTraining) ready() bool {
	if t.failed != nil || t.queue.first < t.needed() {
		return false
	}
	m := t.run.Model
	if t.run.stage == StageFit {
		if !t.scaled {
			t.fail(m.scalePositions(t.fit))
			t.scaled = true
		}
		if !t.ranged && t.queue.first == t.queue.n {
			t.fail(m.scaleObservable(t.fit))
			t.ranged = true
		}
	} else if !t.coded {
		t.fail(t.law.scale(&m.Scale))
		t.coded = true
	}
	return t.failed == nil
}

// purposeOf says what a number of the queue is for.
func (t *particlesTraining) purposeOf(i int) (p purpose, index int) {
	switch {
	case t.run.stage == StageFit:
		return forFit, i
	case i < t.law.trajectories:
		return forLaw, i
	}
	return forHeld, i - t.law.trajectories
}

// readerOf returns what reads a trajectory, and its number there.
func (t *particlesTraining) readerOf(p purpose, index int) (reader, int) {
	if p == forHeld {
		return t.heldRead, t.heldFirst + index
	}
	return t.reader, index
}

func (t *particlesTraining) beginReading(i int) error {
	p, index := t.purposeOf(i)
	t.task = reading{begun: true, number: i}
	r, at := t.readerOf(p, index)
	return r.begin(at)
}

// readOn reads a little more of the present trajectory, or encodes a frame of it.
func (t *particlesTraining) readOn() (err error) {
	p, index := t.purposeOf(t.task.number)
	r, _ := t.readerOf(p, index)
	if !t.task.whole {
		t.task.whole, err = r.advance()
		if !t.task.whole {
			return err
		}
		if p == forLaw {
			t.run.Model.turnForLaw(t.law.of(index), index, r.recorded())
			return nil
		}
	}
	rec := r.recorded()
	switch p {
	case forFit:
		kept := make([]float32, len(t.fit.frames)*t.fit.size)
		t.fit.thin(kept, rec.Frames)
		t.keep(t.task.number, kept, rec.Macro)
	case forHeld:
		t.keep(t.task.number, rec.Frames[:t.encoder.size], rec.Macro)
	case forLaw:
		f, d, size := t.task.frame, t.law.dim, t.encoder.size
		t.encoder.encode(t.law.of(index)[f*d+1:], d, rec.Frames[f*size:(f+1)*size])
		if t.task.frame++; t.task.frame < t.law.frames {
			return nil
		}
		t.keep(t.task.number, nil, nil)
	}
	t.task = reading{}
	return nil
}

// keep enters what was made of a trajectory: the frames of its purpose and its
// observable, unless it is for the law, whose variables are in their place.
func (t *particlesTraining) keep(i int, frames []float32, macro []float64) {
	switch p, index := t.purposeOf(i); p {
	case forFit:
		t.fit.put(index, frames, macro, t.run.Model.Config.Encoder.Dim)
	case forHeld:
		t.held.put(index, frames, macro)
	}
	t.queue.put(i)
	t.meter.trajectories++
}

// stepped follows every step.
func (t *particlesTraining) stepped() {
	tr := t.run.trainer
	step := tr.Step()
	t.crew.stepped()
	t.meter.steps++
	t.curves.loss[t.run.stage].add(step, tr.Loss())
	if t.run.stage == StageFit {
		return
	}
	// As often in either part, for the curve to be one.
	if every := max(1, tr.Steps()/measurements); step%every == 0 && step < tr.Steps() && !t.held.busy() && t.held.coded == len(t.held.first) {
		t.beginMeasuring()
	}
}

// measurements is how often a part of stage II is measured.
const measurements = 6

func (t *particlesTraining) beginMeasuring() {
	t.held.begin(t.run.trainer.Step())
}

func (t *particlesTraining) measure() {
	mre, whole := t.held.advance()
	if !whole {
		return
	}
	step := t.held.at
	if t.run.stage == StageRoll {
		step += t.run.Model.Config.Law.Fit.Steps
	}
	t.curves.mre.add(step, mre)
}

func (t *particlesTraining) nextStage() error {
	t.run.Next()
	t.held.at = 0
	return t.open()
}
