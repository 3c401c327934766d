// Package picture draws the displayed models: their densities, ẑ and predictions of the displayed run. It computes these
// in pieces, as time allows.
package picture

import (
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/shelf"
	"macroscope/model/lab/view"
	"macroscope/model/system"
	"macroscope/model/system/play"
)

const (
	paintTime = 12 * time.Millisecond // longest time spent on one picture
	klPace    = 100 * time.Millisecond

	// While frames are being encoded for the curves of ẑ over time, trainingPace is the shortest
	// time between two redraws of these curves. dynamicsPace is the shortest time after which a
	// training computes the prediction and the curves again. This takes about half a second in a
	// tab.
	trainingPace = 500 * time.Millisecond
	dynamicsPace = 6 * time.Second
)

// On contains everything on which the display of a model depends: the run, the user's settings
// and the training. Package picture does not change it.
type On struct {
	shelf.Now
	Run      *view.Run
	Playable bool // whether the run has frames to display
	Coming   bool // whether the run is on its way to a requested frame
	Trains   bool // whether a model is being trained
	Drawn    bool // whether the picture will be redrawn even if no model has changed
}

// Picture contains the displayed models, A and B, and their drawings. It is not safe for concurrent use.
type Picture struct {
	Pair
	Stages
	Portrait Portrait
	order    order

	timed  bool
	traits system.Traits
	now    func() time.Time

	targets     []*view.Target // target densities of the picture, one per set
	rows        view.Rows
	frame       system.Frame // frame in the displayed picture
	number      []float32    // ẑ that the user has set by dragging bars, scaled like the row "z"; nil if no bar was dragged, or if the latent portrait holds ẑ
	numberOf    *view.Shown  // the model whose ẑ is in `number`
	places      []int        // indices of the frame's particles in the run
	detail      *view.Detail // level of detail of the densities
	drawn       []*view.Density
	painted     bool      // whether all drawings match the displayed picture
	measured    time.Time // when the picture's KL was last measured
	past        play.Pace // limits how often the plot of ẑ against time is redrawn during encoding
	generations uint32    // number of generations that NewGeneration has returned
}

// New returns a picture without models.
func New(of *lab.Lab, now func() time.Time) *Picture {
	p := &Picture{Portrait: Portrait{of: of}, timed: of.Timed(), traits: of.System.Traits, now: now, detail: view.NewDetail()}
	p.rows.Traits = p.traits
	for range max(1, len(p.traits.Sets)) {
		p.targets = append(p.targets, view.NewTarget(p.traits.Dim, p.traits.Periods))
	}
	p.order.Orders = view.NewOrders(&p.traits)
	return p
}

// NewGeneration returns a new number for wire.Frame.Extend. Two of these numbers stay different
// even if the constant view.NextGeneration is added to them repeatedly.
func (p *Picture) NewGeneration() uint64 {
	p.generations++
	return uint64(p.generations)
}

// Targets returns the target densities of the displayed picture, one for each set.
func (p *Picture) Targets() []*view.Target { return p.targets }

// Begin is called at the beginning of another run. The particles get the labels of a list, the results for
// the last run are hidden, and the displayed models begin with the new run.
func (p *Picture) Begin(on On) {
	p.order.Reset(on.Run.Live)
	p.order.latest = false
	p.number = nil
	p.Hide(on.Set, false)
	for _, v := range p.Shown() {
		v.Begin(on.Run)
	}
}

// Resume is called when the frames after the displayed one have changed.
func (p *Picture) Resume(on On) {
	for _, v := range p.Shown() {
		v.Forget(on.Run)
	}
}

// Meet passes the run to models that were selected while the run was being prepared.
func (p *Picture) Meet(on On) {
	for _, v := range p.Shown() {
		if !v.Begun && on.Playable {
			v.Begin(on.Run)
		}
	}
}

// Move is called when another frame is displayed. If the user has sought this frame, results
// that wait for another frame are cancelled.
func (p *Picture) Move(set *lab.Settings, sought bool) {
	if sought {
		p.asked = 0
	}
	p.order.latest = false
	p.Release()
	p.Hide(set, true)
}

// Stale marks the picture as out of date.
func (p *Picture) Stale() { p.painted = false }

// Learn updates the picture with the training's new weights. If whole is set, it also updates
// the prediction. While a run plays, the picture is repainted in any case.
func (p *Picture) Learn(on On, whole bool) effect.Effect {
	at, onShow, live := p.now(), false, on.Run.Live
	for _, v := range p.Shown() {
		if !v.Training {
			continue
		}
		was := v.Usable
		v.Usable, v.Origin = on.Training.Usable(), on.Training.Origin()
		if v.Tunable != nil {
			_ = v.Tunable.Tune(v.Model, v.Model.Config.Eps()) // the only possible error is an ε outside the range
		}
		v.Outdate()
		if on.Playable && (whole || v.Usable && !was || at.Sub(v.Told) >= dynamicsPace && v.Settled(live.Run().Known)) {
			v.Told = at
			v.Again(on.Run)
		}
		onShow = true
	}
	switch {
	case whole || onShow && live.Player().Busy():
		return effect.Changed()
	case !onShow:
		return effect.Effect{Frame: true, Panel: true} // the curves of the training have changed
	}
	p.draw(on, !p.painted)
	return effect.Effect{Frame: p.whole(), Panel: true}
}
