package lab

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"macroscope/model/ckpt"
	"macroscope/model/data"
	"macroscope/model/wire"
)

// The files that the lab makes, beside its model.
const (
	curvesFile = "csv"
	runFile    = "npz"
)

// Save implements wire.Session: the model on show with the training that it is
// in, the curves of the run, or the run itself.
func (s *ParticlesSession) Save(what string) (name string, b []byte, err error) {
	var out bytes.Buffer
	switch {
	case what == wire.Model && s.a == nil:
		return "", nil, errors.New("the model is still on its way")
	case what == wire.Model:
		c := &s.a.model.Config
		name = fmt.Sprintf("macroscope-particles-eps%g-z%d.safetensors", c.Eps, c.Encoder.ZDim)
		err = ckpt.Encode(&out, s.checkpointOf(s.a))
	case (what == curvesFile || what == runFile) && s.blank:
		return "", nil, errors.New("there is no run yet; draw particles first")
	case what == curvesFile:
		name = "macroscope-particles-curves.csv"
		s.writeCurves(&out)
	case what == runFile:
		name = "macroscope-particles-run.npz"
		err = s.writeRun(&out)
	default:
		return "", nil, fmt.Errorf("the lab makes no file called %s", quote(what))
	}
	return name, out.Bytes(), err
}

// writeCurves writes what there is of every frame so far, a row each.
func (s *ParticlesSession) writeCurves(out *bytes.Buffer) {
	p := &s.play
	out.WriteString("frame,time," + column(s.macroName()))
	models := s.models()
	suffix := [...]string{"", "_b"}
	for i, m := range models {
		if m.predicts() && s.speaksOf(m.model) {
			out.WriteString(",predicted" + suffix[i] + ",error" + suffix[i])
		}
		for k := range m.z {
			fmt.Fprintf(out, ",z%d%s", k+1, suffix[i])
		}
		if m.predicts() {
			for k := range m.z {
				fmt.Fprintf(out, ",predicted_z%d%s", k+1, suffix[i])
			}
		}
	}
	out.WriteByte('\n')
	number := func(v float64, bits int) { out.WriteString("," + strconv.FormatFloat(v, 'g', -1, bits)) }
	var errs [len(suffix)][]float32
	for i, m := range models {
		if m.predicts() && s.speaksOf(m.model) {
			errs[i] = make([]float32, p.known+1)
			m.latest.errors(errs[i], p.macro[:p.known+1])
		}
	}
	for f := range p.known + 1 {
		out.WriteString(strconv.Itoa(f))
		number(float64(f)*p.dt, 32)
		number(p.macro[f], 64)
		for i, m := range models {
			if errs[i] != nil {
				number(float64(m.pred[f]), 32)
				number(float64(errs[i][f]), 32)
			}
			d := len(m.z)
			for k := range m.z {
				if at := f/m.stride*d + k; f%m.stride == 0 && at < len(m.past) {
					number(float64(m.past[at]), 32)
				} else {
					out.WriteByte(',') // not every frame of a large set is encoded
				}
			}
			if m.predicts() {
				for _, v := range m.latest.closure(f) {
					number(float64(v), 32)
				}
			}
		}
		out.WriteByte('\n')
	}
}

// column makes a name fit for a table's head.
func column(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c == ' ' || c == ',' || c == '"' || c < 32 {
			b[i] = '_'
		}
	}
	return string(b)
}

// writeRun writes the frames so far as the command line reads trajectories.
func (s *ParticlesSession) writeRun(out *bytes.Buffer) error {
	p := &s.play
	frames, n := p.known+1, p.particles()
	archive := data.NewArchive(out)
	for _, a := range []struct {
		name  string
		array *data.Array
	}{
		{trajectoriesArray, data.NewArray([]int{1, frames, n, 2}, p.frames[:frames*p.size])},
		{"types", data.NewArray([]int{1, n}, make([]int64, n))},
		{macroArray, data.NewArray([]int{1, frames, 1}, p.macro[:frames])},
	} {
		if err := archive.Array(a.name, a.array); err != nil {
			return err
		}
	}
	return archive.Close()
}
