package measure_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/model/work"
)

// small makes a small model of a system, with random weights.
func small(t testing.TB, sys *system.System) *model.Model {
	t.Helper()
	c, err := method.Systems{sys}.Preset(sys.Traits.Name + "/flow@browser")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"encoder.hidden", "law.hidden"} {
		if err := c.Set(name, "8"); err != nil {
			t.Fatal(err)
		}
	}
	return model.New(c, sys)
}

// ownSource opens trajectories of the given shape as a user's file. In a system with several
// sets, the particles alternate between two species.
func ownSource(t testing.TB, sys *system.System, shape []int, numbers []float32) (system.Recorded, error) {
	t.Helper()
	arrays := map[string]*data.Array{"trajectories": data.NewArray(shape, numbers)}
	if len(sys.Traits.Sets) > 1 {
		types := make([]int64, shape[0]*shape[2])
		for i := range types {
			types[i] = 1 + int64(i%2)
		}
		arrays["types"] = data.NewArray([]int{shape[0], shape[2]}, types)
	}
	var file bytes.Buffer
	if err := data.WriteNPZ(&file, arrays); err != nil {
		t.Fatal(err)
	}
	return sys.Open(system.File{Name: "own.npz", Bytes: bytes.NewReader(file.Bytes()), Size: int64(file.Len())}, "")
}

// onThePage measures a model on the user's trajectories as the page does, in pieces.
func onThePage(t *testing.T, of *model.Model, own system.Recorded) *measure.Measured {
	t.Helper()
	var m *measure.Measured
	task := measure.Task{Model: of, Source: own, Count: own.Shape().Trajectories, Members: measure.TestMembers, Seed: measure.TestSeed}.Bounded()
	p := work.Begin(func(pause work.Pause) (err error) {
		m, err = task.RunOwn(own, pause)
		return err
	})
	more, err, last, pieces := true, error(nil), 0.0, 0
	for ; more; pieces++ {
		if more, err = p.Next(); err != nil {
			return nil
		}
		if share := p.Share(); share < last || share > 1 || pieces > 10_000 {
			t.Fatalf("progress goes from %g to %g after %d pieces", last, share, pieces)
		}
		last = p.Share()
	}
	return m
}

// TestMeasurementIsTheCommands measures ten trajectories, which are more than one block. The
// page's figure must be the command line's figure.
func TestMeasurementIsTheCommands(t *testing.T) {
	for _, sys := range []*system.System{particles.System(), mixing.System()} {
		of, shape := small(t, sys), []int{10, 4, 6, 2}
		numbers := make([]float32, 10*4*6*2)
		for i := range numbers {
			numbers[i] = 2 + float32(math.Sin(float64(7*i))) + float32(i%12)/6
		}
		src, err := ownSource(t, sys, shape, numbers)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		p, err := measure.Task{Model: of, Source: src, Count: shape[0], Members: measure.TestMembers, Seed: measure.TestSeed, Workers: 2}.Run(work.Until(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		var want float64
		if of.Config.Traits.Stochastic {
			want, err = p.MMD(t.Context())
		} else {
			want, _, _ = measure.Summary(p.MRE())
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := onThePage(t, of, src).Value(); got != want || math.IsInf(got, 0) {
			t.Errorf("%s: %g on the page, %g on the command line", sys.Traits.Name, got, want)
		}
	}
}

// TestBounded checks on how many trajectories a page measures a model: on at most 100 for an MMD, and on no more
// than there is room for.
func TestBounded(t *testing.T) {
	for _, tc := range []struct {
		sys                         *system.System
		trajectories, frames, count int
	}{
		{particles.System(), 150, 4, 150}, {mixing.System(), 99, 4, 99}, {mixing.System(), 150, 4, 100},
		{particles.System(), 150, 1 << 20, 7}, {mixing.System(), 150, 1 << 24, 1},
	} {
		shape := system.Shape{Trajectories: tc.trajectories, Frames: tc.frames, Particles: 6, Dim: 2}
		task := measure.Task{Model: small(t, tc.sys), Source: system.NewMemory(shape, nil, system.Facts{}), Count: 1000, Members: measure.TestMembers}
		if got := task.Bounded().Count; got != tc.count {
			t.Errorf("%s: %d of %+v, want %d", tc.sys.Name, got, shape, tc.count)
		}
	}
}

// TestMeasurementOfOne measures a single trajectory. There is an MRE but no MMD, because an MMD
// compares sets of trajectories.
func TestMeasurementOfOne(t *testing.T) {
	numbers := make([]float32, 4*6*2)
	for i := range numbers {
		numbers[i] = 2 + float32(math.Sin(float64(7*i)))
	}
	for _, sys := range []*system.System{particles.System(), mixing.System()} {
		src, err := ownSource(t, sys, []int{1, 4, 6, 2}, numbers)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		m := onThePage(t, small(t, sys), src)
		text, figure := m.InWords("own.npz")
		if sys.Traits.Stochastic && (!strings.HasPrefix(text, "1 trajectory of own.npz, too few for an MMD: ") || figure != "–") ||
			!sys.Traits.Stochastic && (!strings.HasPrefix(text, "MRE over 1 trajectory of own.npz: ") || strings.Contains(text, ",")) {
			t.Errorf("%q, figure %q", text, figure)
		}
	}
}

// TestMeasurementOfTrained measures models on the user's trajectories that trained them, except for those
// that were kept out. The page must say so and give the figure of the latter, which is that of a
// measurement of them alone. Of other trajectories it must not say so.
func TestMeasurementOfTrained(t *testing.T) {
	for _, sys := range []*system.System{particles.System(), mixing.System()} {
		shape := []int{20, 10, 6, 2}
		numbers := make([]float32, 20*10*6*2)
		for i := range numbers {
			numbers[i] = 2 + float32(math.Sin(float64(7*i))) + float32(i%12)/6
		}
		open := func() system.Recorded {
			src, err := ownSource(t, sys, shape, numbers)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { src.Close() })
			return src
		}
		src, of := open(), small(t, sys)
		c := &of.Config
		c.Data.KeptOut = c.ForData(src, c.Variables).Data.KeptOut
		data, err := model.DigestOf(work.Until(t.Context()), src)
		if err != nil {
			t.Fatal(err)
		}
		for _, tc := range []struct {
			data    model.Digest
			keptOut bool
			changed bool
			says    []string
			not     []string
		}{
			{data: "", keptOut: true, not: []string{"trained", "ept out"}},
			{data: data, keptOut: true, says: []string{"The model was trained on own.npz. Kept out of its training: ", ", kept out "}},
			{data: data, says: []string{"The model was trained on own.npz.", ", trained on"}, not: []string{"ept out"}},
			{data: data, keptOut: true, changed: true, not: []string{"trained", "ept out"}},
		} {
			of, own := of.Clone(), src
			if of.Data = tc.data; !tc.keptOut {
				of.Config.Data.KeptOut = method.KeptOut{}
			}
			if tc.changed {
				numbers[13*10*6*2]++
				own = open()
			}
			m := onThePage(t, of, own)
			text, figure := m.InWords("own.npz")
			text += " " + figure
			for _, says := range tc.says {
				if !strings.Contains(text, says) {
					t.Errorf("%+v: it is said %q", tc, text)
				}
			}
			for _, not := range tc.not {
				if strings.Contains(text, not) {
					t.Errorf("%+v: it is said %q", tc, text)
				}
			}
			if tc.says == nil || !tc.keptOut {
				continue
			}
			_, out, err := of.Config.Data.KeptOut.Divide(own)
			if err != nil {
				t.Fatal(err)
			}
			_, alone := onThePage(t, small(t, sys), out).InWords("own.npz")
			if !strings.HasSuffix(figure, ", kept out "+alone) {
				t.Errorf("the figure is %s, and that of what was kept out %s", figure, alone)
			}
		}
	}
}

// FuzzMeasured measures a model on trajectories with arbitrary numbers, which a user's file may
// contain. For every file that can be read, the measurement and the description of its result in
// words must succeed.
func FuzzMeasured(f *testing.F) {
	f.Add(false, uint8(3), uint8(4), []byte{0, 0, 128, 63, 0, 0, 0, 64})
	f.Add(true, uint8(2), uint8(5), []byte{0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64})
	f.Add(false, uint8(0), uint8(0), []byte{255, 255, 127, 127})
	f.Add(true, uint8(5), uint8(2), []byte{0, 0, 192, 127})
	systems := map[bool]*system.System{false: particles.System(), true: mixing.System()}
	models := make(map[bool]*model.Model)
	for two, sys := range systems {
		models[two] = small(f, sys)
	}
	f.Fuzz(func(t *testing.T, two bool, frames, n uint8, b []byte) {
		shape := []int{1 + int(frames)%2, 2 + int(frames)%7, 2 + int(n)%8, 2}
		numbers := make([]float32, shape[0]*shape[1]*shape[2]*shape[3])
		for i := range numbers {
			if at := 4 * i; len(b) >= 4 {
				numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[at%(len(b)-3):]))
			}
		}
		src, err := ownSource(t, systems[two], shape, numbers)
		if err != nil {
			return
		}
		defer src.Close()
		m := onThePage(t, models[two], src)
		if m == nil {
			return
		}
		sentences, figure := m.InWords("own.npz")
		for _, text := range []string{sentences, figure} {
			if text == "" || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "%!") {
				t.Errorf("it is said %q", text)
			}
		}
	})
}
