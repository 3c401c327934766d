package session

import (
	"errors"
	"slices"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/models"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/shelf"
	"macroscope/model/lab/session/sweeps"
	"macroscope/model/lab/session/training"
	"macroscope/model/lab/view"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// The workspace contains what a visitor works on: a document, and the run, the models, the training, the
// file and the sweep that follow from it. Its method settle carries out what a change of one part means for the others.
type workspace struct {
	lab   lab.Lab
	now   func() time.Time
	cores int

	doc     *doc.Sheet
	run     *run.Run
	models  *models.Models
	picture *picture.Picture // displays the models
	train   *training.Training
	file    *ownfile.OwnFile
	sweeps  *sweeps.Sweeps
	helpers helperQueue
	opens   opens

	page      page
	restoring bool // whether a file was being restored at the last call of settle; a training may wait for this file
}

// page says what of the page is out of date.
type page struct {
	frame, state bool // whether the picture's frame and the panel are
	changes      uint // number of effects so far that changed the picture
	news         news
}

// news is a message for the page that is no answer to a command.
type news struct {
	notice *wire.Notice // nil if it has been sent
	undo   func() error // the action of the last notice; nil if it has none
	number int          // number of messages so far
	offers int          // number of those that offered to undo the last change
}

// add adds a message. It replaces the last one.
func (n *news) add(notice *wire.Notice, undo func() error) {
	n.notice, n.undo = notice, undo
	if n.number++; notice.Action == "Undo" {
		n.offers++
	}
}

// begin empties the workspace and makes it one of a lab in its opening state. It keeps what it knows of the machine.
func (w *workspace) begin(of lab.Lab) {
	*w = workspace{lab: of, now: w.now, cores: w.cores}
	w.run = run.New(of.System, of.Timed())
	w.models = models.New(&w.lab, w.now)
	w.picture = w.models.Picture
	w.train = training.New(&w.lab, w.now)
	w.file = ownfile.New(&w.lab, w.run.Live(), w.now)
	w.sweeps = sweeps.New(&w.lab, w.now)
	w.doc = doc.NewSheet(&w.lab, w.run.Live())
	w.opens = newOpens(&w.lab, w.run.Live())
	w.setCores(w.cores)
	_ = w.adopt(w.opens.usual.Clone(), true) // the choices with which a lab opens can be carried out
}

// settle acts on an effect. It carries out the consequences for other parts in this order:
//
//   - another run or frame: a new simulation closes the displayed file, and the models are updated;
//   - a file that failed to arrive: the training stops waiting for it;
//   - model A: it is measured on the file, once;
//   - news: later news replace earlier ones, and undo applies to the latest;
//   - a page out of date: it is marked. The picture, the frame and the panel are made later, when
//     the page asks for them.
func (w *workspace) settle(e effect.Effect) {
	switch e.Run {
	case effect.Same:
		w.picture.Meet(w.on())
	case effect.Resumed:
		w.picture.Resume(w.on())
	case effect.Began:
		if w.lab.Timed() && !w.run.Live().Recorded() && w.file.File() != nil {
			w.file.Drop()
		}
		w.picture.Begin(w.on())
	case effect.Moved, effect.Sought:
		w.picture.Move(&w.doc.Settings, e.Run == effect.Sought)
	}
	_, restoring := w.file.Restoring()
	if w.restoring && !restoring {
		w.train.LoseData(w.given())
	}
	w.restoring = restoring
	w.file.Measure(w.picture.A())
	if e.News != nil {
		w.page.news.add(e.News, e.Undo)
	}
	if e.Picture {
		w.picture.Stale()
		w.page.changes++
	}
	w.page.frame = w.page.frame || e.Picture || e.Frame
	w.page.state = w.page.state || e.Picture || e.Panel
}

// The method `after` settles an effect. It returns the error that came with the effect.
func (w *workspace) after(e effect.Effect, err error) error {
	w.settle(e)
	return err
}

// The method `on` returns the data on which the display of a model depends.
func (w *workspace) on() picture.On {
	return picture.On{
		Now: shelf.Now{Set: &w.doc.Settings, Training: w.train}, Run: w.described(), Playable: w.run.Playable(), Coming: w.run.Coming(),
		Trains: w.train.Trains(), Drawn: w.page.frame,
	}
}

// described returns the run in the form that displayed models use.
func (w *workspace) described() *view.Run {
	live := w.run.Live()
	return &view.Run{
		Live: live, Seed: w.run.Seed(), Predicts: w.file.Predicts, Fits: w.file.Fits, Next: w.picture.NewGeneration,
		Order: func(f *system.Frame, k int) { w.picture.Order(f, live, k) },
	}
}

// The method `given` returns the data on which a training depends.
func (w *workspace) given() *training.Given {
	g := &training.Given{
		Lab: &w.lab, Set: &w.doc.Settings, Live: w.run.Live(), Seed: w.run.Seed(), Data: w.file.Recorded(), DataName: w.file.Name(),
		Coded: w.models.Shelf.Coded(), A: w.picture.A(), B: w.picture.B(), ModelComing: w.models.Shelf.Coming(w.on().Now), Cores: w.cores,
	}
	g.Kept = w.models.Shelf.Kept.Find(g.A.Called())
	_, g.DataComing = w.file.Restoring()
	if f := w.file.File(); f != nil {
		g.File, g.Unlike = f, f.Unlike
	}
	return g
}

// forSweeps returns the data on which a sweep depends.
func forSweeps(g *training.Given) sweeps.Given {
	return sweeps.Given{Method: g.Set.Method, Force: g.Recipe().Force}
}

// sweeping reports whether the sweep may work now. It waits while another model is trained.
func (w *workspace) sweeping() bool { return w.sweeps.Running() && !w.train.Trains() }

// trains reports whether a model is being trained, alone or in the sweep.
func (w *workspace) trains() bool { return w.train.Trains() || w.sweeps.Running() }

// document returns the visitor's present choices, except those about the training and the file.
func (w *workspace) document() *doc.Sheet {
	d := w.doc
	d.Run, d.Frame, d.Tool, d.KeepAs = w.run.Work(), w.run.Frame(), w.run.Tool(), w.models.Shelf.KeepAs
	d.A, d.B = w.models.Shelf.Wanted(w.on().Now)
	return d
}

// adopt makes the choices of another document the visitor's. If `anew` is true, the run begins anew,
// and nothing that was asked of the present models and the training is waited for. Otherwise only what
// differs changes. The kept models and the training stay. The error names the choices that could not
// be carried out.
func (w *workspace) adopt(d *doc.Sheet, anew bool) error {
	was, system, recipe := w.document().Doc, w.doc.System.Texts(), w.given().Recipe()
	w.doc.Doc = d.Doc
	w.models.Shelf.KeepAs = d.KeepAs
	if anew {
		if w.lab.Describe != nil { // without its file, a system of the user's own has no run
			w.file.Drop()
		}
		w.train.Unwait()
		w.train.To = doc.Place{}
		w.picture.Unask()
		w.picture.Hide(&w.doc.Settings, false)
		w.models.Shelf.Retry()
	}
	w.models.Shelf.Want(w.on().Now, d.A, d.B)
	_, err := w.run.SetTool(d.Tool)
	if anew || !slices.Equal(system, d.System.Texts()) || !was.Run.SameParticles(&d.Run) {
		if recording := w.lab.Timed() && w.run.Live().Recorded(); anew || !recording { // a recording has no settings
			err = errors.Join(err, w.after(w.run.Open(d.System, d.Run, d.Frame)))
		}
	}
	if anew { // what was trained with the settings of a link or a file is not looked for
		recipe = w.given().Recipe()
	}
	return errors.Join(err, w.derive(&was.Settings, recipe))
}

// returnTo changes the choices in which two documents of the past differ from `from` to `to`. A run
// that begins anew goes to this frame, or plays for -1. It returns what has changed, in words.
func (w *workspace) returnTo(to, from *doc.Past, frame int) (changed []string, err error) {
	d := w.document().Clone()
	changed, err = d.Return(from, to)
	if d.Frame = frame; err == nil {
		err = w.adopt(d, false)
	}
	return changed, err
}

// derive carries out what follows from new settings: the results that are on show, the displayed
// models, and the training that the button Train would continue. `was` and `recipe` are the settings
// and the recipe before.
func (w *workspace) derive(was *lab.Settings, recipe runs.Recipe) error {
	w.settle(effect.Changed())
	set := &w.doc.Settings
	if set.All != was.All {
		w.picture.Hide(set, false)
	}
	var err error
	if set.Members != was.Members {
		err = w.after(w.models.Again(w.on()))
	}
	err = errors.Join(err, w.after(w.models.Arrange(w.on())))
	if w.given().Recipe() != recipe {
		err = errors.Join(err, w.recall())
	}
	return err
}

// The struct `opens` is a cache. It holds the choices with which the lab opens, and the lab's list of figures,
// so that they are made only once.
type opens struct {
	usual   *doc.Sheet
	link    *doc.Sheet // the document of the last link, see linked
	learns  bool
	figures []wire.Figure
}

// newOpens makes the cache of a lab with the run that `live` plays.
func newOpens(of *lab.Lab, live system.Live) opens {
	usual := of.System.Live()
	return opens{doc.NewSheet(of, usual), doc.NewSheet(of, live), of.Learns(), lab.Figures(of, usual)}
}
