// Package train runs stochastic gradient descent on any loss for which each shard of a step has
// a gradient.
//
// A step is divided into a fixed number of shards. Their gradients are added in order, so a run
// gives the same bits with any number of goroutines. All random numbers of a shard come from a
// stream named by the step and the shard, so a run resumes exactly from parameters, moments and
// a step number.
//
// A shard can also be computed elsewhere, for instance in another process: Take hands out a
// shard, and Put accepts its gradient and loss.
package train

import (
	"fmt"
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
	"macroscope/model/work"
)

// Worker computes gradients. It is not safe for concurrent use.
type Worker interface {
	// Gradient returns the shard's mean loss and adds its gradient to grads. grads has the layout
	// of params. The results must depend only on the arguments and the configuration.
	Gradient(params, grads []float32, step, shard int) float64
}

// Config holds the settings of a training.
type Config struct {
	Shards   int // number of parts of a step; it affects the result, while the number of Workers does not
	Workers  int // number of goroutines that compute the shards
	Schedule optim.OneCycle
	Adam     optim.Config
	Matrices []tensor.Param // matrices that Adam updates in rotated coordinates
	ClipNorm float64        // a gradient with a larger norm is scaled to this norm
}

// Validate returns an error that says what is wrong with the configuration.
func (c Config) Validate() error {
	if c.Shards < 1 || c.Shards > 1024 {
		return fmt.Errorf("train: %d shards a step; use 1 to 1024", c.Shards)
	}
	if c.Workers < 1 || c.Workers > 1024 {
		return fmt.Errorf("train: %d workers; use 1 to 1024", c.Workers)
	}
	if !(c.ClipNorm > 0) {
		return fmt.Errorf("train: gradients clipped at norm %g; use a number above 0", c.ClipNorm)
	}
	return c.Schedule.Validate()
}

// Diverged is the error of a step in which a loss or a gradient is not finite. The trainer does not
// take this step, so the parameters are unchanged. The remedy is a smaller learning rate, or
// another seed. The field Rate is the learning rate of this step.
type Diverged struct {
	Step int
	Loss float64
	Rate float64
}

func (d *Diverged) Error() string {
	what := "the gradient is not finite"
	switch {
	case math.IsNaN(d.Loss):
		what = "the loss is not a number"
	case math.IsInf(d.Loss, 0):
		what = "the loss is infinite"
	}
	return fmt.Sprintf("training diverged at step %d: %s. The weights from before that step are kept", d.Step, what)
}

// Trainer is the state of a run between two steps.
type Trainer struct {
	Params []float32
	Adam   *optim.Adam[float32]
	// CycleStart is the step at which the present schedule began.
	CycleStart int

	renewed int // steps taken before Renew; Adam counts those after it
	cfg     Config
	workers []Worker
	grads   [][]float32 // one for each shard
	losses  []float64
	shards  []progress // state of the shards of the current step
	there   int        // number of finished shards
	loss    float64
	jobs    chan int
	ended   chan struct{} // receives a value for every finished job
}

// progress is the state of a shard in the current step.
type progress uint8

const (
	waiting progress = iota
	taken            // being computed
	done
)

// New returns a run that trains params from the start. It calls newWorker once
// for each worker. The configuration must be valid.
func New(cfg Config, params []float32, newWorker func() Worker) *Trainer {
	t := &Trainer{
		Params: params, Adam: optim.NewAdam[float32](cfg.Adam, len(params), cfg.Matrices...),
		cfg: cfg, losses: make([]float64, cfg.Shards), shards: make([]progress, cfg.Shards), loss: math.NaN(),
	}
	for range cfg.Shards {
		t.grads = append(t.grads, make([]float32, len(params)))
	}
	for range min(cfg.Workers, cfg.Shards) {
		t.workers = append(t.workers, newWorker())
	}
	if len(t.workers) > 1 {
		t.jobs, t.ended = make(chan int, cfg.Shards), make(chan struct{}, cfg.Shards)
		jobs := t.jobs // the goroutine may start after Close has cleared the field
		for _, w := range t.workers {
			go func() {
				for s := range jobs {
					t.gradient(w, s)
					t.ended <- struct{}{}
				}
			}()
		}
	}
	return t
}

// Close ends the trainer's goroutines. The caller must not use the trainer afterwards.
func (t *Trainer) Close() {
	if t.jobs != nil {
		close(t.jobs)
		t.jobs = nil
	}
}

// Step returns the number of steps done.
func (t *Trainer) Step() int { return t.renewed + t.Adam.Step }

// Steps returns the step at which the schedule ends.
func (t *Trainer) Steps() int { return t.CycleStart + t.cfg.Schedule.Steps }

// Shards returns the number of parts of a step.
func (t *Trainer) Shards() int { return t.cfg.Shards }

// Loss returns the loss of the last step, or NaN before the first step.
func (t *Trainer) Loss() float64 { return t.loss }

// Schedule returns the current schedule.
func (t *Trainer) Schedule() optim.OneCycle { return t.cfg.Schedule }

// Restart begins a new schedule at the current step.
func (t *Trainer) Restart(s optim.OneCycle) {
	t.CycleStart, t.cfg.Schedule = t.Step(), s
	t.begin()
}

// Renew begins the schedule again at the current step, for parameters that the caller has drawn anew. The optimiser
// begins anew too, but the steps are counted on, so that they draw other samples.
func (t *Trainer) Renew() {
	t.renewed = t.Step()
	t.Adam.Step = 0
	clear(t.Adam.M)
	clear(t.Adam.V)
	clear(t.Adam.Rotations)
	t.Restart(t.cfg.Schedule)
}

// Renewed returns the step at which the optimiser began.
func (t *Trainer) Renewed() int { return t.renewed }

// Resume sets the run to a step of a schedule that began at cycleStart, with an optimiser that began at step
// `renewed`. The caller sets the moments in t.Adam.
func (t *Trainer) Resume(step, cycleStart, renewed int, s optim.OneCycle) {
	t.Adam.Step, t.renewed = step-renewed, renewed
	t.CycleStart, t.cfg.Schedule = cycleStart, s
	t.begin()
}

// begin restarts the current step: all of its shards wait.
func (t *Trainer) begin() {
	clear(t.shards)
	t.there = 0
}

// Take returns a waiting shard of the current step and marks it as taken. ok is false if there
// is none.
func (t *Trainer) Take() (shard int, ok bool) {
	for s, p := range t.shards {
		if p == waiting {
			t.shards[s] = taken
			return s, true
		}
	}
	return 0, false
}

// Waiting returns how many shards of the current step are waiting.
func (t *Trainer) Waiting() int {
	n := 0
	for _, p := range t.shards {
		if p == waiting {
			n++
		}
	}
	return n
}

// Return marks a taken shard as waiting again.
func (t *Trainer) Return(shard int) {
	t.mustBeTaken(shard)
	t.shards[shard] = waiting
}

// Grads returns the buffer for the gradient of a taken shard. The caller must write the
// whole gradient before it calls Put.
func (t *Trainer) Grads(shard int) []float32 {
	t.mustBeTaken(shard)
	return t.grads[shard]
}

// Put accepts the loss of a shard. Take must have returned this shard. The shard's gradient is in
// Grads. After the last shard of a step, Advance ends the step.
func (t *Trainer) Put(shard int, loss float64) {
	t.mustBeTaken(shard)
	t.losses[shard], t.shards[shard] = loss, done
	t.there++
}

// Whole reports whether all shards of the current step are done, so that Advance can end the step.
func (t *Trainer) Whole() bool { return t.there == t.cfg.Shards }

func (t *Trainer) mustBeTaken(shard int) {
	if t.shards[shard] != taken {
		panic(fmt.Sprintf("train: shard %d of step %d is not taken", shard, t.Step()))
	}
}

func (t *Trainer) gradient(w Worker, shard int) {
	clear(t.grads[shard])
	t.losses[shard] = w.Gradient(t.Params, t.grads[shard], t.Step(), shard)
}

// Advance takes one step, or ends a step of which some shards are taken or done. A single worker pauses
// before every shard that it computes, and also while all remaining shards are computed elsewhere; the pause
// gets the finished share of the step. Several goroutines share the waiting shards; the pause is called
// before each of them. The error is a *Diverged, or the error of a pause. After the error of a pause, all
// shards of the step wait again, and Advance can be called again.
func (t *Trainer) Advance(pause work.Pause) error {
	err := error(nil)
	if t.jobs == nil {
		err = t.alone(pause)
	} else {
		err = t.together(pause)
	}
	if err == nil {
		err = t.update()
	}
	t.begin()
	return err
}

// The method `alone` computes the waiting shards of a step with the first worker.
func (t *Trainer) alone(pause work.Pause) error {
	for !t.Whole() {
		if err := pause(float64(t.there) / float64(t.cfg.Shards)); err != nil {
			return err
		}
		if shard, ok := t.Take(); ok {
			t.gradient(t.workers[0], shard)
			t.Put(shard, t.losses[shard])
		}
	}
	return nil
}

// The method `together` computes the shards of a step with all workers.
func (t *Trainer) together(pause work.Pause) (err error) {
	begun := 0
	for ; begun < t.cfg.Shards; begun++ {
		if err = pause(float64(begun) / float64(t.cfg.Shards)); err != nil {
			break
		}
		t.jobs <- begun
	}
	for range begun {
		<-t.ended
	}
	return err
}

// update averages the gradients of the shards in order, and takes an Adam step with the
// average.
func (t *Trainer) update() error {
	total, g := 0.0, t.grads[0]
	for s, l := range t.losses {
		total += l
		if s > 0 {
			kernel.Axpy(g, 1, t.grads[s])
		}
	}
	t.loss = total / float64(t.cfg.Shards)
	rate := t.cfg.Schedule.Rate(t.Step() - t.CycleStart)
	norm := math.Sqrt(float64(kernel.Dot(g, g))) / float64(t.cfg.Shards)
	if math.IsNaN(t.loss) || math.IsInf(t.loss, 0) || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return &Diverged{Step: t.Step(), Loss: t.loss, Rate: rate}
	}
	scale := 1 / float64(t.cfg.Shards)
	if norm > t.cfg.ClipNorm {
		scale *= t.cfg.ClipNorm / norm
	}
	kernel.Scale(g, float32(scale))
	t.Adam.Update(t.Params, g, rate)
	return nil
}
