package session

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"strings"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/models"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// saveBundle makes a bundle of the complete session.
func (s *Session) saveBundle() (name string, b []byte, err error) {
	parts, err := s.files()
	if err != nil {
		return "", nil, err
	}
	all := parts.Bundle()
	if all.Metrics = s.metrics(); parts.Sweep != nil {
		all.Swept = []byte(s.sweeps.File())
	}
	if a := s.models.A(); a != nil && a.Training {
		all.Model = parts.Training
	} else if a != nil {
		if all.Model, err = saved.Encoded(a.Model.Checkpoint()); err != nil {
			return "", nil, err
		}
	}
	if d := s.file.Kept(); d != nil {
		all.DataName = strings.ReplaceAll(path.Base(d.Name), `\`, "_")
	}
	if s.run.Playable() && s.lab.Timed() {
		var table bytes.Buffer
		s.exported().CSV(&table)
		all.Run = table.Bytes()
	}
	var out bytes.Buffer
	err = all.Encode(&out)
	return s.lab.Link() + bundle.Ending, out.Bytes(), err
}

// metrics returns a table of the displayed figures and of the measured results of every run.
func (s *Session) metrics() []byte {
	var b bytes.Buffer
	b.WriteString("run,figure,value\n")
	row := func(cells ...string) {
		for i, c := range cells {
			cells[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	st := s.State()
	on := s.models.A().Called()
	for _, f := range s.Panel().Figures {
		for _, at := range st.Figures {
			if at.ID == f.ID && !at.None {
				row(on, strings.TrimSpace(f.Label+" "+f.Unit), at.Text)
			}
		}
	}
	for _, r := range s.models.Shelf.Kept.All() {
		if r.Reached != "" {
			row(r.Name, "reached", r.Reached)
		}
	}
	return b.Bytes()
}

// proposal is a bundle that has been read but not yet accepted by the user.
type proposal struct {
	name  string
	of    *saved.Session
	other *system.System // the system of the bundle if it is not the session's, otherwise nil
	data  *ownfile.File  // nil if the bundle contains no trajectories
	first *ownfile.Read
}

// openBundle reads a bundle and asks whether to open it.
func (s *Session) openBundle(name string, b []byte) *wire.Notice {
	all, err := bundle.Decode(b)
	if err == nil && all.Session == nil {
		return s.openTrained(name, all)
	}
	return s.offerAll(name, all, err)
}

// openSaved reads a saved session, and asks whether to open it.
func (s *Session) openSaved(name string, b []byte) *wire.Notice {
	files, err := saved.Split(b)
	if err != nil {
		return s.offerAll(name, nil, err)
	}
	return s.offerAll(name, files.Bundle(), nil)
}

// offerAll asks whether to open the bundle. If it cannot be opened, the notice says why.
func (s *Session) offerAll(name string, all *bundle.Bundle, err error) *wire.Notice {
	var p *proposal
	if err == nil {
		if of := (&saved.Files{Session: all.Session}).Lab(); of != "" && of != s.lab.Link() {
			s.askElsewhere(of, "This was saved in another lab", fmt.Sprintf("%s was saved in the lab **%s** and opens there. This lab stays as it is.", setting.Quote(name), inWords(of)))
			return nil
		}
		p, err = s.propose(name, all)
	}
	if err != nil {
		return effect.Failure(fmt.Errorf("%s was not opened: %w", setting.Quote(name), err))
	}
	if p.data == nil {
		return s.ask(p)
	}
	s.coming.bundle = p
	return s.readFile(p.data, p.of.Trajectory, ownfile.Bundled, run.Playing)
}

// readBundled continues with a bundle after its displayed trajectory has been read: it asks
// whether to open the bundle.
func (s *Session) readBundled(p *proposal, r *ownfile.Read) *wire.Notice {
	if r.Err != nil {
		return effect.Failure(fmt.Errorf("%s was not opened: its file %s: %w", setting.Quote(p.name), setting.Quote(p.data.Name), r.Err))
	}
	p.first = r
	return s.ask(p)
}

// ask asks whether to open a bundle.
func (s *Session) ask(p *proposal) *wire.Notice {
	s.asked.put(asked{
		Ask:      wire.Ask{Title: "Open everything in this file?", Facts: s.facts(p), Points: s.replaced(p), Accept: "Open it"},
		accepted: func() *wire.Notice { return s.takeBundle(p) },
		dropped:  func() { p.data.Close() },
	})
	return nil
}

// openTrained opens a bundle that the command line made from a single model.
func (s *Session) openTrained(name string, all *bundle.Bundle) *wire.Notice {
	model, err := all.Checkpoint(true)
	if err != nil {
		return effect.Failure(fmt.Errorf("%s was not opened: %w", setting.Quote(name), err))
	}
	n := s.openCheckpoint(name, model)
	if n == nil || n.Error || all.Data == nil { // a model of another lab, an error, or no trajectories
		return n
	}
	if more := s.readFile(&ownfile.File{Name: all.DataName, Bytes: all.Data}, 0, ownfile.Dropped, run.Playing); more != nil {
		return more
	}
	return n
}

// propose reads all of a bundle except its trajectories.
func (s *Session) propose(name string, all *bundle.Bundle) (*proposal, error) {
	files, as := saved.OfBundle(all), s.models
	other, err := s.otherSaved(files)
	if err != nil {
		return nil, err
	}
	if other != nil {
		of := s.lab.With(other)
		as = models.New(&of, s.now)
	}
	r, err := s.openFiles(files, as)
	if err != nil {
		return nil, err
	}
	p := &proposal{name: name, of: r, other: other}
	if err := p.advance(as.Shelf.Open, all); err != nil {
		return nil, err
	}
	if wire.Status(r.Status) == wire.Training {
		r.Status = int(wire.Paused) // paused until the user continues
	}
	if all.Data != nil {
		p.data = &ownfile.File{Name: cmp.Or(all.DataName, r.Data), Bytes: all.Data, Observable: r.Observable, System: other}
	}
	return p, nil
}

// advance handles a bundle with a training by the command line. It selects the model in training as
// model A. If the training has ended, it selects the trained model. Other bundles stay unchanged.
func (p *proposal) advance(open func(*ckpt.File) (*model.Model, error), all *bundle.Bundle) error {
	r := p.of
	if r.Training == nil || !bytes.Equal(all.Training, all.Model) {
		return nil
	}
	if fit.Holds(r.Training) {
		if r.A != runs.Training {
			r.A, r.Status = runs.Training, int(wire.Paused)
		}
		return nil
	}
	m, err := open(r.Training)
	if err != nil {
		return err
	}
	of := runs.List{}
	of.Replace(r.Runs)
	trained := runs.Run{Name: of.Free(withoutEnding(path.Base(p.name))), Origin: origin.Origin{Kind: origin.OfCommandLine, Name: p.name}, Model: m}
	r.Runs = append(r.Runs, trained)
	r.A, r.Training, r.Status = trained.Name, nil, int(wire.Idle)
	return nil
}

// facts lists the contents of a bundle.
func (s *Session) facts(p *proposal) (facts []wire.Entry) {
	add := func(term, text string) { facts = append(facts, wire.Entry{Term: term, Text: text}) }
	r := p.of
	add("File", setting.Quote(p.name))
	if r.Edited {
		add("Particles", "those on show, which were drawn or edited")
	}
	if p.data != nil {
		add("Data", p.data.Name+": "+p.data.Source.Shape().InWords())
		facts = append(facts, s.file.Facts(p.first)[1:]...)
	}
	if p.data == nil && r.Data != "" {
		add("Data", r.Data+", which is not in it: open it again")
	}
	switch {
	case r.A == runs.Training:
		add("On show", "the model in training")
	case r.A != "":
		add("On show", "the model "+setting.Quote(r.A))
	}
	if r.Training != nil && fit.Holds(r.Training) {
		add("Training", "one that can go on")
	}
	if r.Sweep != nil {
		add("Sweep", setting.Count(len(r.Points), "point", "points")+" so far")
	}
	var names []string
	for _, of := range r.Runs {
		names = append(names, setting.Quote(of.Name))
	}
	if len(names) > 0 {
		add("Models", strings.Join(names, ", "))
	}
	return facts
}

// replaced says what happens to the present session when the bundle is opened.
func (s *Session) replaced(p *proposal) []string {
	points := []string{"Settings and the run on show become those of the file. The models that you have stay among the runs, and so does what was trained."}
	if p.other != nil {
		points = s.gone()
	}
	if positions, _ := s.run.Live().Save(); positions != nil && s.file.File() == nil {
		points = append(points, "The particles that you drew or edited go; save everything first to keep them.")
	}
	if d := s.file.File(); d != nil {
		points = append(points, fmt.Sprintf("Your file %s is closed.", setting.Quote(d.Name)))
	}
	if p.of.Sweep != nil && s.sweeps.File() != "" {
		points = append(points, sweepGoes)
	}
	return points
}

// takeBundle replaces the session with the contents of a bundle. The kept models of the session
// stay.
func (s *Session) takeBundle(p *proposal) *wire.Notice {
	r := p.of
	if p.other != nil {
		s.become(p.other)
	}
	s.setAside()
	s.forgetHalted()
	all, names, err := s.models.Shelf.Kept.With(r.Runs)
	if err != nil {
		p.data.Close()
		return effect.Failure(fmt.Errorf("%s was not opened: %w", setting.Quote(p.name), err))
	}
	r.Runs = all
	for _, on := range []*string{&r.A, &r.B} {
		if other, renamed := names[*on]; renamed {
			*on = other
		}
	}
	if err := s.takeSaved(r); err != nil {
		p.data.Close()
		return effect.Failure(fmt.Errorf("%s was opened in part: %w", setting.Quote(p.name), err))
	}
	if r.Sweep != nil && s.sweeps.Running() {
		s.sweeps.Stop() // stopped until the user continues
	}
	if p.data != nil {
		s.restoreOwn(r, p.first)
		if r.Training != nil {
			s.set.Model = lab.Shipped // a link cannot repeat a training on the user's file
		}
	}
	return &wire.Notice{Text: fmt.Sprintf("Opened %s.", setting.Quote(p.name))}
}
