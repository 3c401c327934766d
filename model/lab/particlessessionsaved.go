package lab

import (
	"errors"
	"fmt"
	"slices"

	"macroscope/model/ckpt"
	"macroscope/model/kernel"
	"macroscope/model/wire"
)

// particlesSavedMagic begins a saved session of particles.
const particlesSavedMagic = "MSP1"

// visit is what a saved session holds beside its models.
type visit struct {
	fragment, tool, keepAs, note, trainedFrom string
	hand, playing                             bool
	frame, status                             int
	shownA, shownB                            string
	trains                                    recipe
	runTo                                     place
}

func (v *visit) fields() []field {
	return []field{
		{"fragment", &v.fragment}, {"tool", &v.tool}, {"keepas", &v.keepAs}, {"note", &v.note}, {"trainedfrom", &v.trainedFrom},
		{"hand", &v.hand}, {"playing", &v.playing}, {"frame", &v.frame}, {"status", &v.status}, {"a", &v.shownA}, {"b", &v.shownB},
		{"trains.eps", &v.trains.eps}, {"trains.zdim", &v.trains.zdim}, {"trains.size", &v.trains.size}, {"trains.from", &v.trains.from}, {"trains.seed", &v.trains.seed},
		{"runto.stage", &v.runTo.stage}, {"runto.step", &v.runTo.step},
	}
}

// namedCurves are a training's curves as a saved session carries them.
func (c *particlesCurves) named() map[string]*curve {
	return map[string]*curve{"loss1": &c.loss[StageFit], "loss2": &c.loss[StageLaw], "loss3": &c.loss[StageRoll], "mre": &c.mre}
}

// Saved implements wire.Session.
func (s *ParticlesSession) Saved() []byte {
	if s.a == nil && s.training == nil && !s.hand {
		return nil
	}
	v := visit{
		fragment: s.settings.Fragment(), tool: s.tool, keepAs: s.keepAs, trainedFrom: s.trainedFrom,
		hand: s.hand && !s.blank, shownA: s.a.called(), shownB: s.b.called(), playing: s.play.playing, frame: s.play.now, status: int(s.status), trains: s.trains, runTo: s.runTo,
	}
	f := &ckpt.File{Metadata: map[string]string{metaFormat: formatVersion, metaExperiment: particlesName}}
	if v.hand {
		v.note = s.note
		f.Tensors = append(f.Tensors, ckpt.Tensor{Name: sessionParts, Shape: []int{s.play.size}, F32: s.play.frame(0)})
	}
	if s.recorded() {
		v.frame = 0
	}
	if s.training != nil {
		writeCurves(f, s.training.Curves().named())
	}
	writeFields(f.Metadata, sessionPrefix, v.fields())
	out := newSavedParts(particlesSavedMagic)
	out.add(savedSession, f)
	s.kept.save(out)
	switch {
	case s.training != nil:
		out.add(savedTrained, s.training.Checkpoint())
	case s.paused != nil:
		out.add(savedTrained, s.paused)
	}
	return out.bytes()
}

// restored is a saved session that has been read and not yet taken.
type restored struct {
	visit
	settings ParticlesSettings
	first    []float32 // frame 0, if it was made by hand
	kept     runs[*ParticlesModel]
	training *particlesTraining
	paused   *ckpt.File
}

// restore goes on from what Saved returned. On an error the session is as it
// was.
func (s *ParticlesSession) restore(b []byte) error {
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
func (s *ParticlesSession) readSaved(b []byte) (*restored, error) {
	r := new(restored)
	var session *ckpt.File
	var err error
	session, r.paused, err = readSavedParts(particlesSavedMagic, b, func(f *ckpt.File) error { return r.kept.read(f, planarModel) })
	if err != nil {
		return nil, err
	}
	if err := r.readVisit(session); err != nil {
		return nil, err
	}
	return r, r.readTraining(s, session)
}

// planarModel opens a checkpoint of particles in the plane, which the page shows.
func planarModel(f *ckpt.File) (*ParticlesModel, error) {
	m, err := ParticlesFromFile(f)
	if err == nil && m.Config.Encoder.Dim != 2 {
		err = fmt.Errorf("it is of particles with %d coordinates, and the page shows those in the plane", m.Config.Encoder.Dim)
	}
	return m, err
}

func (r *restored) readVisit(f *ckpt.File) error {
	if err := readFields(f.Metadata, sessionPrefix, r.fields()); err != nil {
		return err
	}
	var err error
	if r.settings, err = ParseParticlesFragment(r.fragment); err != nil {
		return err
	}
	if t := f.Tensor(sessionParts); r.hand && t != nil {
		r.first = t.F32
	}
	switch {
	case r.hand && (len(r.first) != 2*r.settings.N || !kernel.AllFinite(r.first)):
		return errors.New("its particles cannot be used")
	case !slices.Contains(tools, r.tool):
		return errors.New("its pointer's tool is unknown")
	case r.frame < 0 || r.frame > r.settings.Steps:
		return errors.New("its frame is not one of the run's")
	case r.status < 0 || r.status > int(wire.Diverged):
		return errors.New("its status is unknown")
	}
	return nil
}

// readTraining resumes the training, if there is one whose data can be had.
func (r *restored) readTraining(s *ParticlesSession, f *ckpt.File) error {
	if r.paused == nil {
		if running := wire.Status(r.status); running == wire.Training || running == wire.Paused {
			return errors.New("its training is missing")
		}
		return nil
	}
	m, err := ParticlesFromFile(r.paused)
	if err != nil {
		return err
	}
	if m.Config.Recorded {
		r.status = int(wire.Idle) // until the file is opened again
		return nil
	}
	if r.training, err = resumeParticlesTraining(r.paused, nil, s.now); err != nil {
		return err
	}
	r.paused = nil
	if err := readCurves(f, r.training.Curves().named()); err != nil {
		r.training.Close()
		return err
	}
	return nil
}

// takeSaved makes a saved session this one.
func (s *ParticlesSession) takeSaved(r *restored) error {
	was, blank := s.settings, s.blank
	s.settings = r.settings
	var err error
	if s.half = 0; r.hand {
		err = s.fromHand(r.first, r.note)
	} else {
		err = s.generate()
	}
	if err != nil {
		s.settings, s.blank = was, blank
		if r.training != nil {
			r.training.Close()
		}
		return err
	}
	s.tool, s.keepAs = r.tool, r.keepAs
	if s.shown = 0; s.settings.All {
		s.shown = showAll
	}
	if s.play.pause(); r.playing {
		s.play.play()
	}
	s.play.goal = r.frame
	s.endTraining()
	s.data.close()
	s.a, s.b, s.data, s.kept, s.paused = nil, nil, nil, r.kept, r.paused
	if r.training != nil {
		s.adopt(r.training, r.trainedFrom)
		s.trains, s.status, s.runTo = r.trains, wire.Status(r.status), r.runTo
	}
	s.wantsShipped, s.comparesShipped = true, r.shownB == shippedRun
	for _, shown := range []struct {
		name    string
		compare bool
	}{{r.shownA, false}, {r.shownB, true}} {
		if s.kept.find(shown.name) >= 0 || shown.name == trainingRun && s.training != nil {
			if err := s.choose(shown.name, shown.compare && s.a != nil); err != nil {
				return err
			}
		}
	}
	s.changed()
	return nil
}
