// Package companion shows a second chain at the same frame next to the displayed chain, and
// model A's prediction for the second chain. It also shows the predictions of a film model,
// which encodes films of both chains. Next to a hairpin it shows a strand of equal extension,
// and next to a strand a hairpin. On film these two look alike, but their futures differ.
package companion

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/extras"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/polymer"
	"macroscope/model/wire"
)

// codePace is the shortest time between two computations of ẑ while the run plays.
const codePace = 100 * time.Millisecond

// Twin is the second chain, together with the films of both chains. It is not safe for
// concurrent use.
type Twin struct {
	live    *polymer.Live
	systems method.Systems
	files   map[string]string // names of the film models' files, by method
	models  map[string]*model.Model
	missed  map[string]bool // by method: whether the film model could not be loaded

	now        extras.Now
	generation uint64        // generation of the displayed run
	other      *polymer.Live // the second chain; nil if there is none
	model      *model.Model
	told       time.Time   // when the weights in `model` last changed
	marked     *view.Shown // model A's predictions for the second chain
	films      []*view.Shown
	filmed     []*polymer.Filmed // films of the displayed chain and of the second chain
	picture    string            // kind of picture that the films contain

	coded time.Time
	code  codeKey
	film  []float32    // scratch memory
	frame system.Frame // scratch memory
	fresh bool         // whether the rows of the next frame have changed
}

// codeKey identifies the frames and models from which the displayed ẑ was computed.
type codeKey struct {
	frame, other int
	marked, film *view.Shown
}

// New returns the companion of a run. files contains the names of the film models' files, by
// method.
func New(live *polymer.Live, files map[string]string) *Twin {
	return &Twin{live: live, systems: method.Systems{polymer.FromVideo()}, files: files, models: make(map[string]*model.Model), missed: make(map[string]bool)}
}

// Wants implements extras.Part.
func (t *Twin) Wants() string {
	if m := t.live.FilmMethod(); m != "" && t.models[m] == nil && !t.missed[m] {
		return t.files[m]
	}
	return ""
}

// Fetched implements extras.Part.
func (t *Twin) Fetched(data []byte, err error) error {
	method := t.live.FilmMethod()
	var f *ckpt.File
	if err == nil {
		f, err = ckpt.Decode(bytes.NewReader(data))
	}
	var m *model.Model
	if err == nil {
		m, err = model.Open(t.systems, f)
	}
	if err != nil {
		t.missed[method] = true
		return fmt.Errorf("the model of the film could not be opened; reload the page to try again: %w", err)
	}
	t.models[method] = m
	return nil
}

// Look implements extras.Part.
func (t *Twin) Look(now extras.Now) {
	t.now = now
	run := t.live.Run()
	another := run.Generation != t.generation
	t.generation = run.Generation
	t.lookBeside(another)
	t.lookMarked()
	t.lookFilm(another)
}

// lookBeside begins the second chain if the user wants one. Otherwise it drops the second chain.
func (t *Twin) lookBeside(another bool) {
	if !t.live.Beside() {
		t.fresh = t.fresh || t.other != nil
		t.other, t.marked, t.model = nil, nil, nil
		return
	}
	if t.other != nil && !another {
		return
	}
	t.other, t.marked, t.model, t.fresh = nil, nil, nil, true
	if other, err := t.live.Counterpart(); err == nil { // an error means that the settings do not describe the displayed run
		t.other = other
	}
}

// lookMarked starts model A's prediction for the second chain, and restarts it when A's weights
// have changed.
func (t *Twin) lookMarked() {
	a := t.now.A
	if t.other == nil || !a.Predicts() || !a.Begun {
		t.marked, t.model = nil, nil
		return
	}
	if t.model == a.Model && t.told.Equal(a.Told) {
		return
	}
	t.model, t.told, t.fresh = a.Model, a.Told, true
	t.marked = t.begin(a.Model, t.other, t.now.Run.Predicts)
}

// lookFilm starts the predictions of the selected film model for both chains.
func (t *Twin) lookFilm(another bool) {
	m := t.models[t.live.FilmMethod()]
	if m == nil {
		t.fresh = t.fresh || len(t.films) > 0
		t.films, t.filmed = nil, nil
		return
	}
	runs := []*polymer.Live{t.live}
	if t.other != nil {
		runs = append(runs, t.other)
	}
	same := len(t.films) == len(runs) && t.films[0].Model == m && t.picture == t.live.Picture() && !another
	if same {
		return
	}
	t.films, t.filmed, t.picture, t.fresh = nil, nil, t.live.Picture(), true
	always := func(*model.Model) bool { return true }
	for _, r := range runs {
		if r != t.live {
			if err := r.Set("picture", t.picture); err != nil {
				return
			}
		}
		film := r.Film()
		t.films, t.filmed = append(t.films, t.begin(m, film, always)), append(t.filmed, film)
	}
}

// begin returns a view of the model m. The view begins to predict the run that `live` plays.
func (t *Twin) begin(m *model.Model, live system.Live, predicts func(*model.Model) bool) *view.Shown {
	v := view.NewShown(m, "", t.now.Members)
	v.Begin(&view.Run{Live: live, Seed: t.now.Run.Seed, Predicts: predicts, Next: t.now.Run.Next})
	return v
}

// Work implements extras.Part. First the second chain follows the displayed chain; then the
// predictions are completed.
func (t *Twin) Work(clock func() time.Time, budget time.Duration) (busy, changed bool) {
	began := clock()
	if t.other != nil {
		changed = t.follow(clock, budget)
		busy = t.other.Player().Busy()
	}
	t.encode(clock())
	for _, v := range append([]*view.Shown{t.marked}, t.films...) {
		for v != nil {
			stepped, whole := v.StepAhead()
			if t.fresh = t.fresh || whole; !stepped {
				break
			}
			changed = true
			if clock().Sub(began) >= budget {
				busy = true
				break
			}
		}
	}
	changed, t.fresh = changed || t.fresh, false
	return busy, changed
}

// follow advances the second chain to the frame of the displayed chain, and reports whether it
// has moved.
func (t *Twin) follow(clock func() time.Time, budget time.Duration) (moved bool) {
	p, k := t.other.Player(), t.live.Player().Now()
	if p.Goal() != k && p.Seek(k) == nil {
		moved = true
	}
	went, _ := p.Advance(clock, 1, budget) // if the simulation cannot continue, the second chain stops
	return moved || went
}

// encode computes the displayed ẑ. Model A encodes the second chain. The film model encodes
// both films.
func (t *Twin) encode(at time.Time) {
	key := codeKey{frame: t.live.Player().Now(), marked: t.marked}
	if t.other != nil {
		key.other = t.other.Player().Now()
	}
	if len(t.films) > 0 {
		key.film = t.films[0]
	}
	if key == t.code {
		return
	}
	if key.marked == t.code.marked && key.film == t.code.film && t.live.Player().Busy() && at.Sub(t.coded) < codePace {
		return
	}
	t.code, t.coded, t.fresh = key, at, true
	if t.marked != nil {
		t.let(t.marked, t.other)
	}
	for i, v := range t.films {
		t.let(v, t.filmed[i])
	}
}

// The method `let` encodes the displayed frame of `live` with the model in v, and stores ẑ in v. It
// does not sort the particles.
func (t *Twin) let(v *view.Shown, live system.Live) {
	if v.Cannot == nil {
		live.Frame(&t.frame, live.Player().Now())
		v.Coder.Encode(v.Code, &t.frame)
		v.Scaled(v.Z, v.Code)
	}
}

// Put implements extras.Part. If there is a second chain, it adds these rows:
//
//	nameOwn, nameTwin            names of the displayed and the second chain
//	xTwin                        beads of the second chain, seen along z (N, 2)
//	extensionTwin                its extension in all frames so far (K)
//	zTwin                        its ẑ
//	meanTwin, lowTwin, highTwin  its prediction
//
// If there are films, it adds these rows for the displayed chain, and rows with the same names and
// "Twin" at the end for the second chain:
//
//	film, filmSize               present picture, and its numbers of columns and rows
//	span                         length of the chain on film in all frames so far (K)
//	zFilm                        ẑ of the film model
//	meanFilm, lowFilm, highFilm  prediction of the film model
func (t *Twin) Put(f *wire.Frame) {
	if t.other != nil {
		f.PutText("nameOwn", t.live.Called())
		f.PutText("nameTwin", t.other.Called())
		f.Put("xTwin", t.other.Places()...)
		t.putSo(f, "extensionTwin", t.other)
		put(f, t.marked, &markedRows)
	}
	if len(t.films) == 0 {
		return
	}
	for i, v := range t.films {
		live, of := t.filmed[i], &filmRows[i]
		var columns, rows int
		t.film, columns, rows = live.Middle(t.film[:0])
		f.Put(of.size, float32(columns), float32(rows))
		f.Put(of.film, t.film...)
		t.putSo(f, of.span, live)
		put(f, v, of)
	}
}

// rows contains the names of the rows for one model and one chain.
type rows struct{ z, mean, low, high, span, film, size string }

func rowsOf(model, run string) rows {
	which := model + run
	return rows{"z" + which, "mean" + which, "low" + which, "high" + which, "span" + run, "film" + run, "filmSize" + run}
}

var (
	markedRows = rowsOf("", "Twin")
	filmRows   = [2]rows{rowsOf("Film", ""), rowsOf("Film", "Twin")}
)

// putSo adds the first macroscopic variable in all frames so far.
func (t *Twin) putSo(f *wire.Frame, name string, live system.Live) {
	f.Extend(name, t.generation, live.Run().Known+1, func(k int) float32 { return float32(live.Macro(k)[0]) })
}

// put adds the ẑ and the prediction of v to a frame, in rows with the given names.
func put(f *wire.Frame, v *view.Shown, of *rows) {
	if v == nil {
		return
	}
	f.Put(of.z, v.Z...)
	if p := v.Predicting(); p != nil {
		f.ExtendBy(of.mean, p.Generation, p.Mean...)
		f.ExtendBy(of.low, p.Generation, p.Low...)
		f.ExtendBy(of.high, p.Generation, p.High...)
	}
}

// Summary implements extras.Part.
func (t *Twin) Summary() string {
	if t.other == nil {
		return ""
	}
	text := fmt.Sprintf(" [The second chain (**%s**) has **%.1f**.|aside]", t.other.Called(), t.other.Macro(t.other.Player().Now())[0])
	a := t.now.A
	if a == nil || t.marked == nil {
		return text
	}
	own, other := halfway(a, t.live), halfway(t.marked, t.other)
	if own < 0 || other < 0 {
		return text
	}
	text += fmt.Sprintf(" Predicted half-unfolding: with labelled beads, frames **%d** and **%d**", own, other)
	if len(t.films) == 2 {
		if first, second := halfway(t.films[0], t.live), halfway(t.films[1], t.other); first >= 0 && second >= 0 {
			text += fmt.Sprintf("; from film, **%d** and **%d**", first, second)
			if blur := abs(first - second); 2*blur < abs(own-other) {
				text += ", so film cannot separate them"
			}
		}
	}
	return text + "."
}

func abs(k int) int { return max(k, -k) }

// halfway returns the first frame in which the predicted mean extension exceeds half of the
// chain's length, or -1 if there is none.
func halfway(v *view.Shown, live *polymer.Live) int {
	p := v.Predicting()
	if p == nil || !v.Predicted() {
		return -1
	}
	for k, x := range p.Mean {
		if float64(x) > math.Floor(float64(live.Run().Particles)/2) {
			return k
		}
	}
	return -1
}
