package lab

import (
	"errors"
	"fmt"
	"slices"

	"macroscope/model/ckpt"
	"macroscope/model/wire"
)

// mixingSavedMagic begins a saved session of mixing.
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
		shownA: s.a.called(), shownB: s.b.called(),
	}
	if s.data != nil {
		v.frame, v.playing = 0, true
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
	writeCurves(f, curves)
	out := newSavedParts(mixingSavedMagic)
	out.add(savedSession, f)
	s.kept.save(out)
	switch {
	case s.training != nil:
		out.add(savedTrained, s.training.checkpoint())
	case s.paused != nil:
		out.add(savedTrained, s.paused)
	}
	return out.bytes()
}

// restoredMixing is a saved session that has been read and not yet taken.
type restoredMixing struct {
	mixingVisit
	settings MixingSettings
	kept     runs[*MixingModel]
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
	r := new(restoredMixing)
	var session *ckpt.File
	var err error
	session, r.training, err = readSavedParts(mixingSavedMagic, b, func(f *ckpt.File) error { return r.kept.read(f, MixingFromFile) })
	if err == nil && r.training != nil {
		_, err = readMixingRun(r.training)
	}
	if err != nil {
		return nil, err
	}
	return r, r.readVisit(session)
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
	r.curves = new(mixingLawTraining).named()
	return readCurves(f, r.curves)
}

// takeSaved makes a saved session this one. What was shipped is fetched, and a
// training goes on once what it learns from is there.
func (s *MixingSession) takeSaved(r *restoredMixing) {
	shipped := s.kept.find(shippedRun)
	kept := r.kept
	if shipped >= 0 {
		kept = append(runs[*MixingModel]{s.kept[shipped]}, kept...)
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
	if i := s.kept.find(r.shownA); i >= 0 {
		_ = s.choose(r.shownA, false) // which is there
	}
	if i := s.kept.find(r.shownB); i >= 0 && s.a != nil {
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
		if was := by.curves[name]; was != nil && len(was.step) > 0 {
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
	t, err := newMixingLawTraining(run.Model.Config, s.kept[s.kept.find(shippedRun)].model, run.Model, s.codes, s.now)
	if err != nil {
		return nil, err
	}
	run.resume.apply(t.trainer)
	return t, nil
}
