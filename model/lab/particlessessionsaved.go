package lab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"macroscope/model/ckpt"
	"macroscope/model/kernel"
	"macroscope/model/wire"
)

// A saved session is files one after another, each with its name and length
// before it: what the visitor saw, the training under way and the runs that are
// kept, all of them checkpoints. Trajectories of the visitor's own are not among
// them, nor is the shipped model.
const (
	savedMagic   = "MSP1"
	savedSession = "session"
	savedRun     = "run"
	savedTrained = "training"
)

// appendSaved adds a file to a saved session.
func appendSaved(b []byte, name string, file []byte) []byte {
	b = append(append(b, byte(len(name))), name...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(file))), file...)
}

// cutSaved takes the first file off a saved session.
func cutSaved(b []byte) (name string, file, rest []byte, err error) {
	short := errors.New("it is cut short")
	if len(b) < 1 || len(b) < 1+int(b[0])+4 {
		return "", nil, nil, short
	}
	name, b = string(b[1:1+b[0]]), b[1+b[0]:]
	n := binary.LittleEndian.Uint32(b)
	if b = b[4:]; uint64(n) > uint64(len(b)) {
		return "", nil, nil, short
	}
	return name, b[:n], b[n:], nil
}

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
		hand: s.hand && !s.blank, playing: s.play.playing, frame: s.play.now, status: int(s.status), trains: s.trains, runTo: s.runTo,
	}
	if s.a != nil {
		v.shownA = s.a.name
	}
	if s.b != nil {
		v.shownB = s.b.name
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
		for name, c := range s.training.Curves().named() {
			every := max(1, c.every)
			writeFields(f.Metadata, sessionPrefix+name+".", []field{{"every", &every}})
			f.Tensors = append(f.Tensors,
				ckpt.Tensor{Name: sessionPrefix + name + ".step", Shape: []int{len(c.step)}, F32: append([]float32{}, c.step...)},
				ckpt.Tensor{Name: sessionPrefix + name + ".value", Shape: []int{len(c.value)}, F32: append([]float32{}, c.value...)})
		}
	}
	writeFields(f.Metadata, sessionPrefix, v.fields())
	out := []byte(savedMagic)
	ok := true
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
		add(savedTrained, s.training.Checkpoint())
	case s.paused != nil:
		add(savedTrained, s.paused)
	}
	if !ok {
		return nil // a model too large to save; the visitor can still download it
	}
	return out
}

// encode makes the run's file.
func (r *keptModel) encode() {
	f := r.model.Checkpoint()
	writeFields(f.Metadata, sessionPrefix, []field{{"name", &r.name}, {"origin", &r.origin}})
	var b bytes.Buffer
	if ckpt.Encode(&b, f) == nil {
		r.encoded = b.Bytes()
	}
}

// restored is a saved session that has been read and not yet taken.
type restored struct {
	visit
	settings ParticlesSettings
	first    []float32 // frame 0, if it was made by hand
	kept     []keptModel
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
	if !bytes.HasPrefix(b, []byte(savedMagic)) {
		return nil, errors.New("it is not of this lab")
	}
	r := new(restored)
	var session *ckpt.File
	for b = b[len(savedMagic):]; len(b) > 0; {
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
		case name == savedTrained && r.paused == nil:
			r.paused = f
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
	if err := r.readVisit(session); err != nil {
		return nil, err
	}
	return r, r.readTraining(s, session)
}

func (r *restored) readRun(f *ckpt.File) error {
	var k keptModel
	if err := readFields(f.Metadata, sessionPrefix, []field{{"name", &k.name}, {"origin", &k.origin}}); err != nil {
		return err
	}
	m, err := ParticlesFromFile(f)
	if err != nil {
		return err
	}
	if twice := slices.ContainsFunc(r.kept, func(o keptModel) bool { return o.name == k.name }); twice ||
		k.name == "" || k.name == shippedRun || k.name == trainingRun || len(r.kept) >= maxRuns || m.Config.Encoder.Dim != 2 {
		return fmt.Errorf("its run %s cannot be used", quote(k.name))
	}
	k.model = m
	r.kept = append(r.kept, k)
	return nil
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
	for name, c := range r.training.Curves().named() {
		every := 1
		if f.Tensor(sessionPrefix+name+".step") == nil {
			continue // the training was not begun here
		}
		step, value := f.Tensor(sessionPrefix+name+".step").F32, f.Tensor(sessionPrefix+name+".value")
		if err := readFields(f.Metadata, sessionPrefix+name+".", []field{{"every", &every}}); err != nil || value == nil ||
			len(step) != len(value.F32) || len(step) >= maxPoints || every < 1 {
			r.training.Close()
			return errors.New("its curves cannot be drawn")
		}
		*c = curve{step: step, value: value.F32, every: every, latest: math.NaN()}
		if n := len(step); n > 0 {
			c.latest = float64(value.F32[n-1])
		}
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
		if s.findRun(shown.name) >= 0 || shown.name == trainingRun && s.training != nil {
			if err := s.choose(shown.name, shown.compare && s.a != nil); err != nil {
				return err
			}
		}
	}
	s.changed()
	return nil
}
