package lab

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"macroscope/model/ckpt"
	"macroscope/model/wire"
)

// mixingSavedMagic begins a saved session of mixing, which is files one after
// another as particles have them. Neither the shipped model nor what laws are
// trained on are among them, nor trajectories of the visitor's own.
const mixingSavedMagic = "MSM1"

// mixingVisit is what a saved session holds beside its models.
type mixingVisit struct {
	fragment, tool, keepAs, trainedFrom string
	playing                             bool
	frame, status, runTo                int
	shownA, shownB                      string
	trains                              lawRecipe
}

func (v *mixingVisit) fields() []field {
	return []field{
		{"fragment", &v.fragment}, {"tool", &v.tool}, {"keepas", &v.keepAs}, {"trainedfrom", &v.trainedFrom},
		{"playing", &v.playing}, {"frame", &v.frame}, {"status", &v.status}, {"runto", &v.runTo}, {"a", &v.shownA}, {"b", &v.shownB},
		{"trains.law", &v.trains.law}, {"trains.from", &v.trains.from}, {"trains.seed", &v.trains.seed},
	}
}

// named are the training's curves as a saved session carries them.
func (t *mixingLawTraining) named() map[string]*curve {
	return map[string]*curve{"loss": &t.loss, "coverage": &t.coverage, "fault": &t.fault}
}

// checkpoint returns the model with all that the training needs to go on.
func (t *mixingLawTraining) checkpoint() *ckpt.File {
	return (&MixingRun{Model: t.model, stage: StageLaw, trainer: t.trainer}).Checkpoint()
}

// Saved implements wire.Session.
func (s *MixingSession) Saved() []byte {
	if !s.play.begun() {
		return nil
	}
	v := mixingVisit{
		fragment: s.settings.Fragment(), tool: s.tool, keepAs: s.keepAs, trainedFrom: s.trainedFrom,
		playing: s.play.playing, frame: s.play.now, status: int(s.status), runTo: s.runTo, trains: s.trains,
	}
	if s.data != nil {
		v.frame, v.playing = 0, true
	}
	if s.a != nil {
		v.shownA = s.a.name
	}
	if s.b != nil {
		v.shownB = s.b.name
	}
	if by := &s.pausedBy; s.paused != nil {
		v.trainedFrom, v.status, v.runTo, v.trains = by.trainedFrom, by.status, by.runTo, by.trains
	}
	f := &ckpt.File{Metadata: map[string]string{metaFormat: formatVersion, metaExperiment: mixingName}}
	curves := s.pausedBy.curves
	if s.training != nil {
		curves = s.training.named()
	}
	writeFields(f.Metadata, sessionPrefix, v.fields())
	if curves != nil {
		for name, c := range curves {
			every := max(1, c.every)
			writeFields(f.Metadata, sessionPrefix+name+".", []field{{"every", &every}})
			f.Tensors = append(f.Tensors,
				ckpt.Tensor{Name: sessionPrefix + name + ".step", Shape: []int{len(c.step)}, F32: append([]float32{}, c.step...)},
				ckpt.Tensor{Name: sessionPrefix + name + ".value", Shape: []int{len(c.value)}, F32: append([]float32{}, c.value...)})
		}
	}
	out, ok := []byte(mixingSavedMagic), true
	add := func(name string, f *ckpt.File) {
		var b bytes.Buffer
		ok = ok && ckpt.Encode(&b, f) == nil
		out = appendSaved(out, name, b.Bytes())
	}
	add(savedSession, f)
	for i := range s.kept {
		if r := &s.kept[i]; r.name != shippedRun {
			if r.encoded == nil {
				r.encode()
			}
			out = appendSaved(out, savedRun, r.encoded)
		}
	}
	switch {
	case s.training != nil:
		add(savedTrained, s.training.checkpoint())
	case s.paused != nil:
		add(savedTrained, s.paused)
	}
	if !ok {
		return nil // a model too large to save; the visitor can still download it
	}
	return out
}

// encode makes the run's file.
func (r *keptMixing) encode() {
	f := r.model.Checkpoint()
	writeFields(f.Metadata, sessionPrefix, []field{{"name", &r.name}, {"origin", &r.origin}, {"reached", &r.reached}})
	var b bytes.Buffer
	if ckpt.Encode(&b, f) == nil {
		r.encoded = b.Bytes()
	}
}

// restoredMixing is a saved session that has been read and not yet taken.
type restoredMixing struct {
	mixingVisit
	settings MixingSettings
	kept     []keptMixing
	training *ckpt.File
	curves   map[string]*curve
}

// restore goes on from what Saved returned. On an error the session is as it
// was.
func (s *MixingSession) restore(b []byte) error {
	r, err := readSavedMixing(b)
	if err != nil {
		return fmt.Errorf("the session that this browser kept could not be opened, so the lab starts anew: %w", err)
	}
	s.takeSaved(r)
	return nil
}

// readSavedMixing reads a saved session.
func readSavedMixing(b []byte) (*restoredMixing, error) {
	if !bytes.HasPrefix(b, []byte(mixingSavedMagic)) {
		return nil, errors.New("it is not of this lab")
	}
	r := new(restoredMixing)
	var session *ckpt.File
	for b = b[len(mixingSavedMagic):]; len(b) > 0; {
		name, file, rest, err := cutSaved(b)
		if err != nil {
			return nil, err
		}
		b = rest
		f, err := ckpt.Decode(bytes.NewReader(file))
		if err != nil {
			return nil, err
		}
		switch {
		case name == savedSession && session == nil:
			session = f
		case name == savedRun:
			err = r.readRun(f)
		case name == savedTrained && r.training == nil:
			r.training = f
			_, err = readMixingRun(f)
		default:
			err = fmt.Errorf("it holds a part called %s", quote(name))
		}
		if err != nil {
			return nil, err
		}
	}
	if session == nil {
		return nil, errors.New("it holds no settings")
	}
	return r, r.readVisit(session)
}

func (r *restoredMixing) readRun(f *ckpt.File) error {
	var k keptMixing
	if err := readFields(f.Metadata, sessionPrefix, []field{{"name", &k.name}, {"origin", &k.origin}, {"reached", &k.reached}}); err != nil {
		return err
	}
	m, err := MixingFromFile(f)
	if err != nil {
		return err
	}
	if twice := slices.ContainsFunc(r.kept, func(o keptMixing) bool { return o.name == k.name }); twice ||
		k.name == "" || k.name == shippedRun || k.name == trainingRun || len(r.kept) >= maxRuns-1 {
		return fmt.Errorf("its run %s cannot be used", quote(k.name))
	}
	k.model = m
	r.kept = append(r.kept, k)
	return nil
}

func (r *restoredMixing) readVisit(f *ckpt.File) (err error) {
	if err := readFields(f.Metadata, sessionPrefix, r.fields()); err != nil {
		return err
	}
	if r.settings, err = ParseMixingFragment(r.fragment); err != nil {
		return err
	}
	training := wire.Status(r.status) == wire.Training || wire.Status(r.status) == wire.Paused
	switch {
	case !slices.Contains(mixingTools, r.tool):
		return errors.New("its pointer's tool is unknown")
	case r.frame < 0 || r.frame > r.settings.Frames:
		return errors.New("its frame is not one of the run's")
	case r.status < 0 || r.status > int(wire.Diverged):
		return errors.New("its status is unknown")
	case training && r.training == nil:
		return errors.New("its training is missing")
	}
	r.curves = map[string]*curve{}
	for name := range new(mixingLawTraining).named() {
		every := 1
		step, value := f.Tensor(sessionPrefix+name+".step"), f.Tensor(sessionPrefix+name+".value")
		if step == nil || value == nil {
			continue // there was no training
		}
		if err := readFields(f.Metadata, sessionPrefix+name+".", []field{{"every", &every}}); err != nil ||
			len(step.F32) != len(value.F32) || len(step.F32) >= maxPoints || every < 1 {
			return errors.New("its curves cannot be drawn")
		}
		c := &curve{step: step.F32, value: value.F32, every: every, latest: math.NaN()}
		if n := len(c.step); n > 0 {
			c.latest = float64(c.value[n-1])
		}
		r.curves[name] = c
	}
	return nil
}

// takeSaved makes a saved session this one. What was shipped is fetched, and a
// training goes on once what it learns from is there.
func (s *MixingSession) takeSaved(r *restoredMixing) {
	shipped := s.findRun(shippedRun)
	kept := r.kept
	if shipped >= 0 {
		kept = append([]keptMixing{s.kept[shipped]}, kept...)
	}
	s.kept, s.a, s.b, s.training, s.status = kept, nil, nil, nil, wire.Idle
	s.tool, s.keepAs = r.tool, r.keepAs
	settings := r.settings
	if settings.Frame = r.frame; r.playing {
		settings.Frame = -1
	}
	scratch := settings.Scratch
	settings.Scratch = false // its training is resumed, not begun
	s.open(settings)
	s.settings.Scratch = scratch
	if i := s.findRun(r.shownA); i >= 0 {
		_ = s.choose(r.shownA, false) // which is there
	}
	if i := s.findRun(r.shownB); i >= 0 && s.a != nil {
		_ = s.choose(r.shownB, true)
	} else {
		s.besides = r.shownB
	}
	if s.paused = r.training; s.paused != nil {
		s.pausedBy = *r
		if shipped >= 0 {
			s.fetchCodes()
		}
	}
}

// resumeTraining goes on with the training of a saved session.
func (s *MixingSession) resumeTraining() error {
	f, by := s.paused, s.pausedBy
	s.paused, s.pausedBy = nil, restoredMixing{}
	t, err := s.resumed(f)
	if err != nil {
		return fmt.Errorf("the training that was under way cannot go on: %w", err)
	}
	for name, c := range t.named() {
		if was := by.curves[name]; was != nil {
			*c = *was
		}
	}
	if n := len(t.coverage.step); n > 0 {
		t.held.at = int(t.coverage.step[n-1])
	}
	if err := s.takeTraining(t, by.trainedFrom); err != nil {
		return err
	}
	s.trains, s.status, s.runTo = by.trains, wire.Status(by.status), by.runTo
	if by.shownA == trainingRun {
		return s.choose(trainingRun, false)
	}
	return nil
}

// resumed returns the training that a checkpoint holds.
func (s *MixingSession) resumed(f *ckpt.File) (*mixingLawTraining, error) {
	run, err := readMixingRun(f)
	if err != nil {
		return nil, err
	}
	if run.stage != StageLaw || run.resume == nil {
		return nil, errors.New("it is not that of a law under way")
	}
	t, err := newMixingLawTraining(run.Model.Config, s.kept[s.findRun(shippedRun)].model, run.Model, s.codes, s.now)
	if err != nil {
		return nil, err
	}
	run.resume.apply(t.trainer)
	return t, nil
}
