package doc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/curve"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// prefix is the beginning of the names of all choices in a file.
const prefix = "session."

// particlesTensor is the name of the visitor's own particles in a file.
const particlesTensor = prefix + "particles"

// Undescribed is set in the metadata of a file of a lab that has no system yet.
const Undescribed = prefix + "undescribed"

// header contains the values in a file that are no rows of the table.
type header struct {
	lab, fragment   string
	edited, playing bool
	frame           int
	before          string // name of model B in files of earlier versions, if A was in training; otherwise ""
}

// inFile lists what a file contains: the header, and the choices that travel in a Tab.
func (s *Sheet) inFile(h *header) setting.Table {
	t := setting.Table{
		{Name: "lab", Value: &h.lab}, {Name: "fragment", Value: &h.fragment}, {Name: "edited", Value: &h.edited}, {Name: "playing", Value: &h.playing},
		{Name: "frame", Value: &h.frame, High: method.MaxStep}, {Name: "before", Value: &h.before, Absent: absent},
	}
	for _, r := range s.Table() {
		if r.Travel&Tab != 0 {
			t = append(t, r.Field)
		}
	}
	return t
}

// Encode returns the choices as a file. `curves` are the curves of the training, or nil. `usual`
// contains the choices with which the lab opens.
func (s *Sheet) Encode(usual *Sheet, curves *curve.Curves) ([]byte, error) {
	of := s.lab.System
	f := &ckpt.File{Metadata: map[string]string{model.MetaFormat: model.FormatVersion, model.MetaExperiment: of.Name}}
	maps.Copy(f.Metadata, of.Description)
	if of.Described != nil && of.Description == nil {
		f.Metadata[Undescribed] = "true"
	}
	if p := s.Run.Particles; p != nil {
		f.Tensors = append(f.Tensors, ckpt.Tensor{Name: particlesTensor, Shape: []int{len(p)}, F32: p})
	}
	table := s.inFile(&header{s.lab.Link(), s.Fragment(usual, ""), s.Run.Particles != nil, s.Frame < 0, max(0, s.Frame), ""})
	table.Write(f.Metadata, prefix)
	for i := range table { // a file contains no empty texts
		if name := prefix + table[i].Name; table[i].Absent != "" && f.Metadata[name] == "" {
			delete(f.Metadata, name)
		}
	}
	if curves != nil {
		runs.WriteCurves(f, curves)
	}
	var b bytes.Buffer
	err := ckpt.Encode(&b, f)
	return b.Bytes(), err
}

// LabOf returns the lab of a file, or "" if the file names none.
func LabOf(f *ckpt.File) string { return f.Metadata[prefix+"lab"] }

// Decode reads a file of a lab. In the error's text, "it" is the file.
func Decode(l *lab.Lab, f *ckpt.File) (*Sheet, *curve.Curves, error) {
	if of := LabOf(f); of != l.Link() {
		return nil, nil, fmt.Errorf("it is of the lab %s", setting.Quote(of))
	}
	h := header{}
	s, err := Read(l, f.Metadata[prefix+"fragment"])
	if err == nil {
		err = s.inFile(&h).Read(f.Metadata, prefix)
	}
	if err != nil {
		return nil, nil, err
	}
	if s.Run.Particles, s.B, s.Frame = nil, cmp.Or(s.B, h.before), h.frame; h.playing {
		s.Frame = -1
	}
	if t := f.Tensor(particlesTensor); h.edited && t == nil {
		return nil, nil, errors.New("its particles are missing")
	} else if h.edited {
		s.Run.Particles = t.F32
	}
	curves := new(curve.Curves)
	return s, curves, runs.ReadCurves(f, curves)
}

// UnderWay reports whether the training has not ended.
func (t *Training) UnderWay() bool {
	return t.Status == wire.Training || t.Status == wire.Paused
}
