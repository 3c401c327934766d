package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/fit"
	"macroscope/model/lab"
	"macroscope/model/runs"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// A saved session is files one after another, each with its name and length
// before it: what the visitor saw, the training under way and the runs that are
// kept, all of them checkpoints. Trajectories of the visitor's own are not among
// them, nor is what was shipped.
const (
	savedMagic   = "MSS1"
	savedSession = "session"
	savedRun     = "run"
	savedTrained = "training"

	sessionPrefix   = "session."
	positionsTensor = "session.particles"
)

// store saves the session and goes on with it.
type store struct{ *Session }

// cutSaved takes the first file off a saved session.
func cutSaved(b []byte) (name string, file, rest []byte, err error) {
	short := errors.New("it is cut short")
	if len(b) < 1 {
		return "", nil, nil, short
	}
	n := 1 + int(b[0])
	if len(b) < n+4 {
		return "", nil, nil, short
	}
	name = string(b[1:n])
	size := binary.LittleEndian.Uint32(b[n:])
	if b = b[n+4:]; uint64(size) > uint64(len(b)) {
		return "", nil, nil, short
	}
	return name, b[:size], b[size:], nil
}

// absent stands for a text that a saved session does not have.
const absent = " "

// visit is what a saved session holds beside its models.
type visit struct {
	lab, fragment, tool, keepAs, note, origin string
	edited, playing, onCodes                  bool
	frame, status                             int
	a, b                                      string
	trains                                    recipe
	runTo                                     place
	fitEps                                    float64
	trajectory                                int    // of own data, from 0
	observable                                string // of those
}

func (v *visit) table() setting.Table {
	return append(setting.Table{
		{Name: "lab", Value: &v.lab}, {Name: "fragment", Value: &v.fragment}, {Name: "tool", Value: &v.tool}, {Name: "keepas", Value: &v.keepAs}, {Name: "note", Value: &v.note}, {Name: "trainedfrom", Value: &v.origin},
		{Name: "edited", Value: &v.edited}, {Name: "playing", Value: &v.playing}, {Name: "oncodes", Value: &v.onCodes},
		{Name: "frame", Value: &v.frame, High: experiment.MaxStep}, {Name: "status", Value: &v.status, High: float64(wire.Diverged)}, {Name: "a", Value: &v.a}, {Name: "b", Value: &v.b},
		{Name: "runto.stage", Value: &v.runTo.phase, High: float64(fit.Done)}, {Name: "runto.step", Value: &v.runTo.step, High: experiment.MaxStep}, {Name: "fiteps", Value: &v.fitEps},
		{Name: "trajectory", Value: &v.trajectory, High: experiment.MaxStep, Absent: "0"}, {Name: "observable", Value: &v.observable, Absent: absent},
	}, v.trains.Table()...)
}

// Saved implements wire.Session.
func (s *Session) Saved() []byte {
	t := &s.trainer
	positions, _ := s.live.Save()
	if s.display.a == nil && t.live == nil && t.halted == nil && positions == nil {
		return nil
	}
	files, err := store{s}.files()
	if err != nil {
		return nil // a model too large to save; the visitor can still download it
	}
	return files.join()
}

// savedFiles are the checkpoints that a session is saved as.
type savedFiles struct {
	session, training []byte // training is nil if there is none
	runs              [][]byte
}

// join writes the files one after another.
func (f *savedFiles) join() []byte {
	b := []byte(savedMagic)
	add := func(name string, file []byte) {
		b = append(append(b, byte(len(name))), name...)
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(file))), file...)
	}
	add(savedSession, f.session)
	for _, r := range f.runs {
		add(savedRun, r)
	}
	if f.training != nil {
		add(savedTrained, f.training)
	}
	return b
}

// files saves what the visitor saw, the training under way and the runs.
func (s store) files() (*savedFiles, error) {
	t := &s.trainer
	positions, note := s.live.Save()
	v := visit{
		lab: s.lab.Link(), fragment: opening{s.Session}.fragment(s.settings), tool: s.tool, keepAs: s.keepAs, note: note, origin: t.origin,
		edited: positions != nil, playing: s.live.Player().Playing(), frame: s.live.Player().Goal(), status: int(t.status),
		a: s.display.a.Called(), b: s.display.b.Called(), trains: t.trains, runTo: t.runTo, fitEps: t.fitEps,
		onCodes: t.live != nil && t.coded,
	}
	if d := s.own.data; d != nil {
		v.trajectory, v.observable = d.trajectory, d.observable
	}
	if v.observable == "" {
		v.observable = absent // which is not written
	}
	if s.live.Recorded() && positions == nil {
		v.frame, v.playing = 0, true
	}
	var curves *fit.Curves
	waits := t.halted
	if waits != nil && waits.inList {
		waits = nil // it is saved as one of the runs
	}
	if t.live != nil {
		curves, waits = t.live.Curves(), nil
	} else if waits != nil {
		curves = waits.curves
		v.origin, v.status, v.runTo, v.trains, v.onCodes = waits.Origin, int(waits.status), waits.runTo, recipe{waits.Recipe, nil}, waits.Coded
	}
	f := &ckpt.File{Metadata: map[string]string{experiment.MetaFormat: experiment.FormatVersion, experiment.MetaExperiment: s.traits.Name}}
	if positions != nil {
		f.Tensors = append(f.Tensors, ckpt.Tensor{Name: positionsTensor, Shape: []int{len(positions)}, F32: positions})
	}
	v.table().Write(f.Metadata, sessionPrefix)
	if curves != nil {
		runs.WriteCurves(f, curves)
	}
	out := new(savedFiles)
	var err error
	if out.session, err = encoded(f); err != nil {
		return nil, err
	}
	s.library.kept.Save(func(file []byte) { out.runs = append(out.runs, file) })
	switch {
	case t.live != nil:
		out.training, err = encoded(t.live.Checkpoint())
	case waits != nil:
		out.training, err = encoded(waits.file)
	}
	return out, err
}

// encoded returns a checkpoint's file.
func encoded(f *ckpt.File) ([]byte, error) {
	var b bytes.Buffer
	err := ckpt.Encode(&b, f)
	return b.Bytes(), err
}

// restored is a saved session that has been read and not yet taken.
type restored struct {
	visit
	positions []float32
	runs      []runs.Run
	training  *ckpt.File
	curves    fit.Curves
}

// restore goes on from what Saved returned. On an error the session is as it
// was, or as a first visit's.
func (s store) restore(b []byte) error {
	r, err := s.readSaved(b)
	if err == nil {
		err = s.takeSaved(r)
	}
	if err != nil {
		return fmt.Errorf("the session that this browser kept could not be opened, so the lab starts anew: %w", err)
	}
	return nil
}

// readSaved reads a saved session.
func (s store) readSaved(b []byte) (*restored, error) {
	if !bytes.HasPrefix(b, []byte(savedMagic)) {
		return nil, errors.New("it is not of this lab, or of an earlier version")
	}
	var files savedFiles
	for b = b[len(savedMagic):]; len(b) > 0; {
		name, file, rest, err := cutSaved(b)
		if err != nil {
			return nil, err
		}
		b = rest
		switch {
		case name == savedSession && files.session == nil:
			files.session = file
		case name == savedRun:
			files.runs = append(files.runs, file)
		case name == savedTrained && files.training == nil:
			files.training = file
		default:
			return nil, fmt.Errorf("it holds a part called %s", setting.Quote(name))
		}
	}
	if files.session == nil {
		return nil, errors.New("it holds no settings")
	}
	return s.open(&files)
}

// open reads the files of a session.
func (s store) open(files *savedFiles) (*restored, error) {
	r := new(restored)
	session, err := ckpt.Decode(bytes.NewReader(files.session))
	for _, file := range files.runs {
		var f *ckpt.File
		if err == nil {
			f, err = ckpt.Decode(bytes.NewReader(file))
		}
		if err == nil {
			r.runs, err = runs.Read(r.runs, f, s.library.open)
		}
	}
	if err == nil && files.training != nil {
		if r.training, err = ckpt.Decode(bytes.NewReader(files.training)); err == nil {
			_, err = s.library.open(r.training)
		}
	}
	if err != nil {
		return nil, err
	}
	return r, r.read(s.Session, session)
}

// read reads what the visitor saw.
func (r *restored) read(s *Session, f *ckpt.File) error {
	if err := r.table().Read(f.Metadata, sessionPrefix); err != nil {
		return err
	}
	if t := f.Tensor(positionsTensor); t != nil {
		r.positions = t.F32
	}
	underWay := wire.Status(r.status) == wire.Training || wire.Status(r.status) == wire.Paused
	switch {
	case r.lab != s.lab.Link():
		return fmt.Errorf("it is of the lab %s", setting.Quote(r.lab))
	case commands{s}.toolNumber(r.tool) < 0:
		return errors.New("its pointer's tool is unknown")
	case r.edited && r.positions == nil:
		return errors.New("its particles are missing")
	case underWay && r.training == nil:
		return errors.New("its training is missing")
	}
	return runs.ReadCurves(f, &r.curves)
}

// takeSaved makes a saved session this one. What was shipped is fetched, and a
// training goes on once what it learns from is there.
func (s store) takeSaved(r *restored) error {
	l, err := opening{s.Session}.parse(r.fragment)
	if err != nil {
		return err
	}
	model := l.Model
	l.Model = lab.Shipped // its training is resumed, not begun
	if l.Frame = r.frame; r.playing {
		l.Frame = -1
	}
	t, d := &s.trainer, &s.display
	t.end()
	s.own.drop()
	s.library.kept.Replace(r.runs)
	s.tell(nil, nil)
	d.a, d.b = nil, nil
	s.tool, s.keepAs = r.tool, r.keepAs
	opening{s.Session}.openSettings(l)
	s.settings.Model, t.fitEps = model, r.fitEps
	if r.edited {
		if err := (opening{s.Session}).place(r.positions, r.note, l.Frame); err != nil {
			return err
		}
	}
	s.beside, s.ahead = r.b, r.a == runs.Shipped && !s.lab.IsSampler()
	for _, on := range []struct {
		name    string
		compare bool
	}{{r.a, false}, {r.b, true}} {
		if s.library.kept.Find(on.name) != nil {
			if err := d.choose(on.name, on.compare && d.a != nil); err != nil {
				return err
			}
		}
	}
	if r.training != nil {
		return s.resumeSaved(r)
	}
	if a := s.library.kept.Find(d.a.Called()); a != nil && a.Resumes() && !s.lab.IsSampler() && a.Recipe == (plan{t}).recipe().Recipe {
		return t.halt(a)
	}
	return nil
}

// resumeSaved goes on with the training of a saved session, at once or as soon as
// what it learns from is there.
func (s store) resumeSaved(r *restored) error {
	t, d := &s.trainer, &s.display
	m, err := s.library.open(r.training)
	if err != nil {
		return err
	}
	t.halted = &halted{
		Run:  runs.Run{Name: runs.NameOf(&m.Config, ""), Origin: r.origin, Model: m, Recipe: r.trains.Recipe, Coded: r.onCodes, FitEps: r.fitEps},
		file: r.training, curves: &r.curves, onShow: r.a == runs.Training, status: wire.Status(r.status), runTo: r.runTo,
	}
	if m.Config.Recorded && !r.onCodes || wire.Status(r.status) == wire.Done && !s.lab.IsSampler() && !r.onCodes {
		if wire.Status(r.status) == wire.Done {
			t.halted = nil
		}
		return nil // until the file is opened again and Train is pressed; or there is no more to do
	}
	if err := t.resume(); err != nil || t.live == nil {
		return err
	}
	t.trains = recipe{r.trains.Recipe, s.own.data}
	if s.lab.IsSampler() && r.a != runs.Shipped && r.b != runs.Shipped {
		s.wantsShipped = false // it is not on show, and can be asked for
	}
	if d.a == nil || r.a == runs.Training {
		return d.choose(runs.Training, false)
	}
	return nil
}
