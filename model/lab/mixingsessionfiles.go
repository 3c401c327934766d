package lab

import (
	"bytes"
	"fmt"
	"strconv"

	"macroscope/model/ckpt"
	"macroscope/model/data"
	"macroscope/model/wire"
)

// Save implements wire.Session: model A, the curves of the run, or the run itself.
func (s *MixingSession) Save(what string) (name string, b []byte, err error) {
	var out bytes.Buffer
	switch {
	case what == wire.Model && s.a == nil:
		return "", nil, s.noModel()
	case what == wire.Model:
		name = "macroscope-mixing-" + column(s.a.name) + ".safetensors"
		err = ckpt.Encode(&out, s.a.model.Checkpoint())
	case what != curvesFile && what != runFile:
		return "", nil, fmt.Errorf("the lab makes no file called %s", quote(what))
	case !s.play.begun():
		return "", nil, fmt.Errorf("there is no run yet; wait until the atoms have relaxed")
	case what == curvesFile:
		name = "macroscope-mixing-curves.csv"
		s.writeCurves(&out)
	default:
		name = "macroscope-mixing-run.npz"
		err = s.writeRun(&out)
	}
	return name, out.Bytes(), err
}

// writeCurves writes what there is of every frame so far, a row each.
func (s *MixingSession) writeCurves(out *bytes.Buffer) {
	p := &s.play
	out.WriteString("frame,time,R_AB,R_BA")
	if p.sim != nil {
		out.WriteString(",temperature,potential_energy_per_atom,pressure,conserved")
	}
	suffix := [...]string{"", "_b"}
	closures := 0
	for i, m := range s.models() {
		for _, v := range []string{"mean", "low", "high"} {
			fmt.Fprintf(out, ",R_AB_%s%s,R_BA_%s%s", v, suffix[i], v, suffix[i])
		}
		if i == 0 {
			closures = 2 * m.model.Config.Encoder.ZDim
			for k := range closures {
				d := closures / 2
				fmt.Fprintf(out, ",z_%c%d", 'A'+k/d, k%d+1)
			}
		}
	}
	out.WriteByte('\n')
	number := func(v float64, bits int) { out.WriteString("," + strconv.FormatFloat(v, 'g', -1, bits)) }
	for f := range p.known + 1 {
		out.WriteString(strconv.Itoa(f))
		number(float64(f)*p.dt, 32)
		o := &p.seen[f]
		number(o.Ratios[0], 64)
		number(o.Ratios[1], 64)
		if p.sim != nil {
			for _, v := range []float64{o.Temperature, o.Potential / float64(p.atoms()), o.Pressure, o.Conserved} {
				number(v, 64)
			}
		}
		for i, m := range s.models() {
			for _, v := range [][]float32{m.ahead.mean, m.ahead.low, m.ahead.high} {
				for k := range 2 {
					if f <= m.ahead.done {
						number(float64(v[2*f+k]), 32)
					} else {
						out.WriteByte(',')
					}
				}
			}
			for k := range closures {
				if at := f*closures + k; i == 0 && at < len(m.past) {
					number(float64(m.past[at]), 32)
				} else if i == 0 {
					out.WriteByte(',')
				}
			}
		}
		out.WriteByte('\n')
	}
}

// writeRun writes the frames so far as the command line reads trajectories.
func (s *MixingSession) writeRun(out *bytes.Buffer) error {
	p := &s.play
	frames, n := p.known+1, p.atoms()
	x, types, macro := make([]float32, frames*2*n), make([]int64, n), make([]float64, 2*frames)
	for f := range frames {
		p.frame(x[f*2*n:(f+1)*2*n], f)
		copy(macro[2*f:], p.seen[f].Ratios[:])
	}
	for i, k := range p.kinds {
		types[i] = int64(k)
	}
	archive := data.NewArchive(out)
	for _, a := range []struct {
		name  string
		array *data.Array
	}{
		{trajectoriesArray, data.NewArray([]int{1, frames, n, 2}, x)},
		{typesArray, data.NewArray([]int{1, n}, types)},
		{macroArray, data.NewArray([]int{1, frames, 2}, macro)},
	} {
		if err := archive.Array(a.name, a.array); err != nil {
			return err
		}
	}
	return archive.Close()
}
