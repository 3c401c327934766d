package fit

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
)

// jobsOf returns the jobs of a training; the first one sends the model.
func jobsOf(t testing.TB, c method.Config, sys *system.System, own system.Recorded) (jobs [][]byte) {
	l := newLive(t, c, sys, own, 1)
	h := NewHelper(method.Systems{sys})
	for l.Stage() != Done {
		if job := l.Pool.Job(0); job != nil {
			jobs = append(jobs, slices.Clone(job))
			result, err := h.Do(job, func() {})
			if err := l.Pool.Done(0, result, err); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := l.Work(0); err != nil {
			t.Fatal(err)
		}
	}
	return jobs
}

// spoil truncates or lengthens a message, removes words from it, or overwrites words with
// numbers that are likely to cause errors.
func spoil(b []byte, r *rand.Rand) []byte {
	b = slices.Clone(b)
	switch r.IntN(6) {
	case 0:
		return b[:r.IntN(len(b)+1)]
	case 1:
		return append(b, make([]byte, 1+r.IntN(9))...)
	case 2: // remove words
		at := r.IntN(len(b)) &^ 3
		return slices.Delete(b, at, min(len(b), at+4*(1+r.IntN(3))))
	}
	odd := []uint32{
		0, 1, 2, 3, 4, 7, 8, 9, 255, 1 << 16, 1 << 28, 1<<30 - 1, 1<<31 - 1, 1 << 31, math.MaxUint32,
		math.Float32bits(float32(math.NaN())), math.Float32bits(float32(math.Inf(-1))), math.Float32bits(1e30), math.Float32bits(-1e-40),
	}
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b)) &^ 3
		if r.IntN(2) == 0 {
			at = 4 * r.IntN(8) // in the first eight words
		}
		if at+4 <= len(b) {
			binary.LittleEndian.PutUint32(b[at:], odd[r.IntN(len(odd))])
		}
	}
	return b
}

// allocated returns the number of bytes that a function allocates on the heap.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSpoiledJobs gives spoiled jobs to helpers. A helper must answer the job or reject it, and
// must not allocate more memory than the model needs.
func TestSpoiledJobs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, pair := range moving() {
		c, sys := tiny(pair)
		for _, own := range []bool{false, true} {
			var rec system.Recorded
			if own {
				mine := toyOf(sys).record(6, 7, c.Encoder.Ordered(), own && c.Traits.Stochastic, "")
				rec, c = mine, c.ForData(mine, c.Variables)
			}
			jobs := jobsOf(t, c, sys, rec)
			refused := 0
			for _, job := range jobs[1:] {
				h := NewHelper(toys())
				if _, err := h.Do(jobs[0], func() {}); err != nil {
					t.Fatal(err)
				}
				for range 4 {
					bad := spoil(job, r)
					if got := allocated(func() {
						if _, err := h.Do(bad, func() {}); err != nil {
							refused++
							if len(err.Error()) > 300 {
								t.Errorf("a sentence of %d bytes", len(err.Error()))
							}
						}
					}); got > 4<<20 {
						t.Errorf("%s: a job of %d bytes took %d MB", pair, len(bad), got>>20)
					}
				}
			}
			if refused < len(jobs) {
				t.Errorf("%s: %d of %d spoiled jobs are refused, which shows nothing", pair, refused, 4*len(jobs))
			}
		}
	}
}

// TestSpoiledModels gives helpers a spoiled model.
func TestSpoiledModels(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, pair := range pairs {
		c, sys := tiny(pair)
		file := fileOf(t, model.New(c, sys).Checkpoint())
		job := append(appendNumbers(nil, jobModel), file...)
		h := NewHelper(toys())
		if _, err := h.Do(job, func() {}); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			bad := spoil(job, r)
			if r.IntN(2) == 0 { // change a digit in the checkpoint's header
				bad = slices.Clone(job)
				bad[12+r.IntN(1500)] = '0' + byte(r.IntN(10))
			}
			if got := allocated(func() { h.Do(bad, func() {}) }); got > 64<<20 {
				t.Errorf("%s: a model of %d bytes took %d MB", pair, len(bad), got>>20)
			}
			if _, err := h.Do(job, func() {}); err != nil {
				t.Fatalf("%s: after a spoiled model the good one is refused: %v", pair, err)
			}
		}
	}
}

// TestJobsOutOfOrder checks the errors for jobs that a helper cannot do at that time.
func TestJobsOutOfOrder(t *testing.T) {
	c, sys := tiny("mixing/flow")
	jobs := jobsOf(t, c, sys, nil)
	line, lineSys := tiny("line/flow")
	lineJob := append(appendNumbers(nil, jobModel), fileOf(t, model.New(line, lineSys).Checkpoint())...)
	last := jobs[len(jobs)-1]
	fresh := slices.Clone(last)
	binary.LittleEndian.PutUint32(fresh[8:], 0)
	for _, tc := range []struct {
		name  string
		model []byte
		job   []byte
		says  string
	}{
		{"no model", nil, jobs[1], "before the model"},
		{"nothing", nil, nil, "before the model"},
		{"an unknown kind", jobs[0], appendNumbers(nil, 7), "unknown kind 7"},
		{"no kind", jobs[0], []byte{1, 0}, "unknown kind 0"},
		{"an unknown purpose", jobs[0], appendNumbers(nil, jobTrajectory, 3, 0, 0), "purpose 3"},
		{"a trajectory beyond the last", jobs[0], appendNumbers(nil, jobTrajectory, 0, 7, 0), "asked for trajectory 7 of 7; reload"},
		{"a trajectory far beyond", jobs[0], appendNumbers(nil, jobTrajectory, 2, math.MaxUint32, 0), "of 16"},
		{"more than a trajectory", jobs[0], appendNumbers(nil, jobTrajectory, 0, 1, 0, 9), "another length"},
		{"a phase before the first", jobs[0], appendNumbers(nil, jobShards, 0, 1), "phase 0"},
		{"a phase that there is not", jobs[0], appendNumbers(nil, jobShards, 3, 1), "phase 3"},
		{"no parameters", jobs[0], fresh, "without parameters"},
		{"no shards", jobs[0], append(appendNumbers(nil, jobShards, 2, 1, 0), make([]byte, 4*len(model.New(c, sys).Weights.DynamicsParams))...), "0 shards"},
		{"a trajectory of single sets", lineJob, appendNumbers(nil, jobTrajectory, 0, 0, 0), "asked for a trajectory"},
		{"dynamics of single sets", lineJob, appendNumbers(nil, jobShards, 2, 1), "phase 2"},
	} {
		h := NewHelper(toys())
		if tc.model != nil {
			if _, err := h.Do(tc.model, func() {}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Do(tc.job, func() {}); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: error %v, want one that says %q", tc.name, err, tc.says)
		}
	}
}

// TestSpoiledAnswers trains with helpers that give spoiled answers. Spoiled answers may spoil
// the weights or end the training, but must not crash the program or leave work undone.
func TestSpoiledAnswers(t *testing.T) {
	for _, pair := range moving() {
		c, sys := tiny(pair)
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 3))
			l := newLive(t, c, sys, nil, 2)
			pool := newTestHelpers(t, 2)
			pool.change = func(_ int, _ uint32, a answer) answer {
				if r.IntN(8) == 0 && len(a.result) > 0 {
					a.result = spoil(a.result, r)
				}
				return a
			}
			var err error
			turns := 0
			for ; err == nil && l.Stage() != Done && turns < 10_000; turns++ {
				err = pool.turn(l)
				if turns%20 == 19 {
					pool.lose(l, turns/20%2) // the new helper gets jobs again
				}
			}
			if err == nil && l.Stage() != Done {
				t.Errorf("%s, seed %d: no end after %d turns", pair, seed, turns)
			}
		}
	}
}

// TestUnaskedAnswers checks that answers without a job, or from unknown helpers, change
// nothing.
func TestUnaskedAnswers(t *testing.T) {
	c, sys := tiny("particles/flow")
	want := newLive(t, c, sys, nil, 0)
	finish(t, want)
	l := newLive(t, c, sys, nil, 1)
	for l.Stage() != Done {
		for k := range 3 {
			if err := l.Pool.Done(k, []byte{1, 2, 3}, nil); err != nil {
				t.Fatal(err)
			}
			l.Pool.Lost(k)
		}
		if err := l.Work(0); err != nil {
			t.Fatal(err)
		}
	}
	sameModel(t, "after unasked answers", l.Model, want.Model)
}

// changed returns a truncated copy of a message in which one word has another value. The fuzzer
// chooses only this change. If the fuzzer chose the whole message, it would try to shorten a long
// message byte by byte.
func changed(b []byte, at uint16, word uint32, cut uint16) []byte {
	b = slices.Clone(b[:len(b)-int(cut)%(len(b)+1)])
	if at := int(at) &^ 3; at+4 <= len(b) {
		binary.LittleEndian.PutUint32(b[at:], word)
	}
	return b
}

// FuzzHelper gives a helper a changed job. The helper must answer the job or reject it.
func FuzzHelper(f *testing.F) {
	var models, jobs [][]byte
	for _, pair := range []string{"mixing/flow by species", "particles/flow in pairs", "mixing/ae-aug"} {
		c, sys := tiny(pair)
		c.Steps, c.Dynamics.Velocity.Steps, c.Dynamics.Rollout.Steps = 2, 2, min(c.Dynamics.Rollout.Steps, 2)
		mine := toyOf(sys).record(6, 7, c.Encoder.Ordered(), false, "")
		for _, all := range [][][]byte{jobsOf(f, c, sys, nil), jobsOf(f, c.ForData(mine, c.Variables), sys, mine)} {
			for _, job := range all[1:] {
				f.Add(uint8(len(models)), uint8(len(jobs)), uint16(8), uint32(len(job)), uint16(0))
				jobs = append(jobs, job)
			}
			models = append(models, all[0])
		}
	}
	jobs = append(jobs, appendNumbers(nil, jobTrajectory, uint32(forFrames), 1, 1, 2, 12), nil)
	f.Fuzz(func(t *testing.T, model, which uint8, at uint16, word uint32, cut uint16) {
		job := changed(jobs[int(which)%len(jobs)], at, word, cut)
		if kindOf(job) == jobModel {
			return // TestSpoiledModels tests models
		}
		h := NewHelper(toys())
		if _, err := h.Do(job, func() {}); err == nil {
			t.Fatal("a helper without a model has done something")
		}
		if _, err := h.Do(models[int(model)%len(models)], func() {}); err != nil {
			t.Fatal(err)
		}
		h.Do(job, func() {})
		h.Do(job, func() {})
	})
}

// FuzzDone answers one job of a training with a changed copy of a recorded answer. It answers all
// other jobs with recorded answers. The training must either use an answer or do the work itself.
// It must then continue with further jobs.
func FuzzDone(f *testing.F) {
	c, sys := tiny("mixing/ae-aug")
	c.Steps, c.Dynamics.Velocity.Steps, c.Data.Trajectories, c.Data.Initial, c.Dynamics.Trajectories = 1, 1, 2, 0, 2
	sys = newToy(c.Dynamics.Velocity.Window+2, sys.Traits, sys.Macro...) // short trajectories, because validation takes most of the time
	h := NewHelper(method.Systems{sys})
	var answers [][]byte
	for i, job := range jobsOf(f, c, sys, nil) {
		result, err := h.Do(job, func() {})
		if err != nil {
			f.Fatal(err)
		}
		answers = append(answers, slices.Clone(result))
		f.Add(uint8(i), uint8(i), uint16(4), uint32(i), uint16(0))
	}
	f.Fuzz(func(t *testing.T, which, answer uint8, at uint16, word uint32, cut uint16) {
		l := newLive(t, c, sys, nil, 1)
		l.estimate.Works = nil // helpers have no part in the trial, which would take a third of the time
		n, last := 0, int(which)%len(answers)
		for range 10_000 {
			if l.Stage() == Done || n > last+4 {
				return
			}
			if l.Pool.Job(0) != nil {
				result := answers[n%len(answers)]
				if n == last {
					result = changed(answers[int(answer)%len(answers)], at, word, cut)
				}
				n++
				if l.Pool.Done(0, slices.Clone(result), nil) != nil {
					return
				}
			}
			if l.Work(0) != nil {
				return
			}
		}
		t.Error("no end")
	})
}

// appendNumbers appends whole numbers in the form of a message.
func appendNumbers(b []byte, numbers ...uint32) []byte {
	m := message{b: b}
	for i := range numbers {
		m.numbers(&numbers[i])
	}
	return m.b
}

// TestMessage checks that a message is read as it was written, and that shorter and longer
// messages are rejected.
func TestMessage(t *testing.T) {
	type all struct {
		n  uint32
		f  []float32
		d  []float64
		k  []int
		of trajectoryJob
	}
	pass := func(m *message, a *all) {
		m.numbers(&a.n)
		counted(m, &a.f)
		counted(m, &a.d)
		counted(m, &a.k)
		a.of.pass(m)
	}
	want := all{7, []float32{1.5, -2}, []float64{math.Pi}, []int{3, 4, 5}, trajectoryJob{2, 9, 1, system.Trajectory{Points: []float32{1, 2}, Species: []uint8{2}, Macro: []float64{9}}}}
	var b message
	pass(&b, &want)
	whole := func(b []byte) error {
		m, got := reading(b), all{}
		pass(m, &got)
		if err := m.end(); err != nil {
			return err
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, want %+v", got, want)
		}
		return nil
	}
	if err := whole(b.b); err != nil {
		t.Error(err)
	}
	for n := range b.b {
		if err := whole(b.b[:n]); err == nil {
			t.Errorf("%d of %d bytes are whole", n, len(b.b))
		}
	}
	if err := whole(append(b.b, 0)); err == nil {
		t.Error("a byte too many is no matter")
	}
}

// TestKeptFrames checks that impossible frames are rejected.
func TestKeptFrames(t *testing.T) {
	c, _ := tiny("mixing/ae-aug") // sets of 4 and 3 particles
	good := func() keptFrames {
		k := keptFrames{points: make([]float32, 28), at: []int{0, 14, 28}, ends: []int{4, 7, 4, 7}, moments: newMoments(2)}
		k.moments.addMacro([]float64{1, 2, 3, 5})
		return k
	}
	sys := toys()[1]
	for _, one := range toys() {
		if one.Traits.Name == "mixing" {
			sys = one
		}
	}
	d := &frames{model: model.New(c, sys), kept: []int{0, 1}}
	read := func(k keptFrames, more ...byte) (keptFrames, bool) {
		var m message
		(&framesItem{d, k}).pass(&m)
		in, got := reading(append(m.b, more...)), framesItem{frames: d}
		ok := got.pass(in)
		return got.keptFrames, ok && in.end() == nil
	}
	if k, ok := read(good()); !ok || !slices.Equal(k.at, good().at) || !slices.Equal(k.ends, good().ends) || !slices.Equal(k.moments.macro, [][2]float64{{1, 3}, {2, 5}}) {
		t.Errorf("%v, %+v", ok, k)
	}
	if _, ok := read(good(), 1); ok {
		t.Error("a byte too many is no matter")
	}
	for name, change := range map[string]func(*keptFrames){
		"fewer points":            func(k *keptFrames) { k.points = k.points[:26] },
		"more points":             func(k *keptFrames) { k.points = make([]float32, 30) },
		"another beginning":       func(k *keptFrames) { k.at[0] = 2 },
		"another middle":          func(k *keptFrames) { k.at[1] = 12 },
		"a middle after the end":  func(k *keptFrames) { k.at[1] = 40 },
		"another end":             func(k *keptFrames) { k.at[2] = 30 },
		"one frame":               func(k *keptFrames) { k.at = k.at[:2] },
		"three frames":            func(k *keptFrames) { k.at = append(k.at, 28) },
		"one set":                 func(k *keptFrames) { k.ends = k.ends[:3] },
		"sets of other sizes":     func(k *keptFrames) { k.ends[0] = 3 },
		"sets that run backwards": func(k *keptFrames) { k.ends[0], k.ends[1] = 7, 4 },
		"an empty set":            func(k *keptFrames) { k.ends[2] = 0 },
		"a set beyond the end":    func(k *keptFrames) { k.ends[3] = 8 },
	} {
		k := good()
		change(&k)
		if _, ok := read(k); ok {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestQueue(t *testing.T) {
	q := newQueue(4)
	take := func(limit, want int) {
		t.Helper()
		if i, ok := q.take(limit); ok != (want >= 0) || ok && i != want {
			t.Errorf("took %d, %v, want %d", i, ok, want)
		}
	}
	take(0, -1)
	take(2, 0)
	take(2, 1)
	take(2, -1)
	q.put(1)
	if q.first != 0 || q.count != 1 {
		t.Errorf("first %d, count %d", q.first, q.count)
	}
	q.giveBack(0)
	take(0, 0) // a number that was given back is given out once more
	q.put(0)
	if q.first != 2 || q.count != 2 {
		t.Errorf("first %d, count %d", q.first, q.count)
	}
	take(99, 2)
	take(99, 3)
	take(99, -1)
	q.put(3)
	q.put(2)
	if q.first != 4 || q.count != 4 {
		t.Errorf("first %d, count %d", q.first, q.count)
	}
}
