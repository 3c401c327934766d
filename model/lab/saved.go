package lab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"macroscope/model/ckpt"
)

// A saved session is files one after another, each with its name and length
// before it: what the visitor saw, the training under way and the runs that are
// kept, all of them checkpoints. Trajectories of the visitor's own are not among
// them, nor is what was shipped.
const (
	savedSession = "session"
	savedRun     = "run"
	savedTrained = "training"
)

// savedParts collects a saved session.
type savedParts struct {
	b   []byte
	err error // of the first file that could not be written
}

func newSavedParts(magic string) *savedParts { return &savedParts{b: []byte(magic)} }

// add adds a checkpoint.
func (p *savedParts) add(name string, f *ckpt.File) {
	var b bytes.Buffer
	if err := ckpt.Encode(&b, f); err != nil && p.err == nil {
		p.err = err
	}
	p.addFile(name, b.Bytes())
}

// addFile adds a checkpoint that has been encoded.
func (p *savedParts) addFile(name string, file []byte) {
	p.b = append(append(p.b, byte(len(name))), name...)
	p.b = append(binary.LittleEndian.AppendUint32(p.b, uint32(len(file))), file...)
}

// bytes returns the session, nil if there is a model too large to save; the
// visitor can still download it.
func (p *savedParts) bytes() []byte {
	if p.err != nil {
		return nil
	}
	return p.b
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

// readSavedParts reads a saved session: of its parts there must be one that says
// what the visitor saw, there may be one training, and takeRun is given every run.
func readSavedParts(magic string, b []byte, takeRun func(*ckpt.File) error) (session, training *ckpt.File, err error) {
	if !bytes.HasPrefix(b, []byte(magic)) {
		return nil, nil, errors.New("it is not of this lab")
	}
	for b = b[len(magic):]; len(b) > 0; {
		name, file, rest, err := cutSaved(b)
		if err != nil {
			return nil, nil, err
		}
		b = rest
		f, err := ckpt.Decode(bytes.NewReader(file))
		if err != nil {
			return nil, nil, err
		}
		switch {
		case name == savedSession && session == nil:
			session = f
		case name == savedRun:
			err = takeRun(f)
		case name == savedTrained && training == nil:
			training = f
		default:
			err = fmt.Errorf("it holds a part called %s", quote(name))
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if session == nil {
		return nil, nil, errors.New("it holds no settings")
	}
	return session, training, nil
}

// writeCurves adds a training's curves to what the visitor saw.
func writeCurves(f *ckpt.File, curves map[string]*curve) {
	for name, c := range curves {
		every := max(1, c.every)
		writeFields(f.Metadata, sessionPrefix+name+".", []field{{"every", &every}})
		f.Tensors = append(f.Tensors,
			ckpt.Tensor{Name: sessionPrefix + name + ".step", Shape: []int{len(c.step)}, F32: append([]float32{}, c.step...)},
			ckpt.Tensor{Name: sessionPrefix + name + ".value", Shape: []int{len(c.value)}, F32: append([]float32{}, c.value...)})
	}
}

// readCurves sets those of the curves that there are.
func readCurves(f *ckpt.File, curves map[string]*curve) error {
	for name, c := range curves {
		step, value := f.Tensor(sessionPrefix+name+".step"), f.Tensor(sessionPrefix+name+".value")
		if step == nil {
			continue // the training was not begun here
		}
		every := 1
		if err := readFields(f.Metadata, sessionPrefix+name+".", []field{{"every", &every}}); err != nil || value == nil ||
			len(step.F32) != len(value.F32) || len(step.F32) >= maxPoints || every < 1 {
			return errors.New("its curves cannot be drawn")
		}
		*c = curve{step: step.F32, value: value.F32, every: every, latest: math.NaN()}
		if n := len(c.step); n > 0 {
			c.latest = float64(c.value[n-1])
		}
	}
	return nil
}
