package session_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

var attack = flag.Duration("attack", 0, "how long TestAttack goes on in each lab; 0 sends 120 commands")

var documents = flag.Int("documents", 1, "how many documents of each kind TestCarriers makes in each lab")

// TestAttack sends random commands in random order. No command may cause a panic, every answer
// must be a sentence, every number must be finite, and the canvas must always have the whole
// picture.
//
//	go test ./model/lab/session -run TestAttack -attack 5m
func TestAttack(t *testing.T) {
	for _, lab := range names {
		t.Run(lab, func(t *testing.T) {
			if testing.Short() {
				t.Skip("seconds")
			}
			began := time.Now()
			for seed := uint64(1); !t.Failed() && (*attack > 0 && time.Since(began) < *attack || *attack == 0 && seed == 1); seed++ {
				synctest.Test(t, func(t *testing.T) { newAttacker(t, lab, seed).rampage(120) })
				if *attack == 0 {
					continue
				}
				var m runtime.MemStats
				runtime.GC()
				if runtime.ReadMemStats(&m); m.HeapAlloc > 2<<30 {
					t.Errorf("%d MB are in use after %d sessions", m.HeapAlloc>>20, seed)
				}
			}
		})
	}
}

type attacker struct {
	*visitor
	r       *rand.Rand
	script  []string // the commands so far, to report a failure
	saved   [][]byte
	files   map[string][]byte
	ids     []wire.Control
	helpers []wire.Helper
	links   []string
}

func newAttacker(t *testing.T, lab string, seed uint64) *attacker {
	a := &attacker{visitor: newcomer(t, lab), r: rand.New(rand.NewPCG(seed, 1)), files: attackFiles(t, lab)}
	a.ids = a.controls()
	a.helpers = []wire.Helper{fit.NewHelper(systemsOf(t, lab)), fit.NewHelper(systemsOf(t, lab))}
	opens := small[lab]
	if seed%2 == 0 {
		opens += rich[lab]
	}
	a.apply(wire.Link, "", opens)
	a.links = []string{opens, "", "lab=" + lab, "lab=" + lab + "&model=scratch&step=1", "n=40&steps=3&frame=2&model=scratch&stage=2&step=5", "%zz", "lab=nowhere", strings.Repeat("&", 100)}
	return a
}

// rich contains settings to append to the links in `small`, so that an attack reaches more of a
// lab. Half of the attacks begin with these settings.
var rich = map[string]string{
	wire.Demo: "&method=ae-aug", "particles": "&force=1/r-r&method=ae-aug", "mixing": "&params=temperature,e12&members=99",
	"polymer": "&start=hairpin&beside=second&film=flow&portrait=on",
}

// attackFiles makes the files for attacks. A lab's files are made once, for all its attacks.
func attackFiles(t *testing.T, lab string) map[string][]byte {
	if f := filesOf[lab]; f != nil {
		return f
	}
	f := map[string][]byte{
		"a.csv": []byte("1,2,3"), "b.npy": npy(t, 20), "few.npy": npy(t, 1, 3, 4, 2), "few3.npy": npy(t, 1, 3, 4, 3), "c.npy": npy(t, 2, 4, 12, 2), "d.dump": []byte(dump), "e.npz": []byte("PK\x03\x04"), "f.safetensors": []byte("12345678{"),
		"g.safetensors": asset(t, "models/demo-eps0.1-z8.safetensors"), "h.safetensors": asset(t, "models/particles-laptop.safetensors"), "i.safetensors": asset(t, "models/mixing-laptop.safetensors"),
		"j.safetensors": asset(t, "models/particles-ae-aug.safetensors"), "": nil,
	}
	if lab != wire.Demo {
		f["own.npz"] = trajectories(t, lab, 3)
		f["k.safetensors"] = begun(t, lab, "flow", f["own.npz"])
	}
	if lab == "particles" {
		f["l.safetensors"] = begun(t, lab, "ae-aug", f["own.npz"])
	}
	filesOf[lab] = f
	return f
}

var filesOf = map[string]map[string][]byte{}

func (a *attacker) rampage(commands int) {
	defer func() {
		if p := recover(); p != nil || a.t.Failed() {
			a.t.Errorf("%v after\n%s", p, strings.Join(a.script, "\n"))
			if p != nil {
				b := make([]byte, 1<<14)
				a.t.Errorf("%s", b[:runtime.Stack(b, false)])
			}
		}
	}()
	for range commands {
		a.step()
		if a.t.Failed() {
			return
		}
	}
	a.whole()
}

func (a *attacker) check(what string, n *wire.Notice) {
	if n != nil && !sentence(n.Text) {
		a.t.Errorf("%s: notice %q", what, n.Text)
	}
}

// pick returns a random element of a list.
func pick[T any](a *attacker, list ...T) T { return list[a.r.IntN(len(list))] }

func (a *attacker) do(c wire.Command) {
	a.script = append(a.script, fmt.Sprintf("%s %q %.60q %d bytes", c.Kind, c.Name, c.Value, len(c.Data)))
	a.check(c.Kind, a.Apply(c))
}

// opens checks that another visitor can open the session's own link or saved session.
func (a *attacker) opens(c wire.Command) {
	if n := newcomer(a.t, a.lab).Apply(c); n != nil && n.Error {
		a.t.Errorf("%s: %s", c.Kind, n.Text)
	}
}

func (a *attacker) step() {
	switch k := a.r.IntN(100); {
	case k < 22:
		c := pick(a, a.ids...)
		a.do(wire.Command{Kind: wire.Set, Name: c.ID, Value: a.value(c)})
	case k < 38:
		a.do(wire.Command{Kind: wire.Press, Name: pick(a, a.ids...).ID})
	case k < 41:
		a.do(wire.Command{Kind: wire.Press, Name: "train"})
	case k < 47:
		a.do(wire.Command{Kind: pick(a, "seek", "drag", "draw", "boundary", "hold", wire.Add, wire.Remove), Value: a.numbers()})
	case k < 50:
		a.do(wire.Command{Kind: wire.Set, Name: pick(a, "runA", "runB", "dropRun"), Value: a.someRun()})
		a.do(wire.Command{Kind: wire.Set, Name: "sweeppoint", Value: strconv.Itoa(a.r.IntN(5) - 1)})
	case k < 54:
		a.do(a.file())
		if a.r.IntN(4) > 0 {
			a.do(wire.Command{Kind: wire.Press, Name: pick(a, wire.Accept, wire.Accept, wire.Cancel)})
		}
	case k < 57:
		a.do(wire.Command{Kind: wire.Link, Value: pick(a, a.links...)})
	case k < 60:
		a.links = append(a.links, a.Fragment())
		a.opens(wire.Command{Kind: wire.Link, Value: a.Fragment()})
	case k < 63:
		if b := a.Saved(); b != nil && len(a.saved) < 8 {
			a.saved = append(a.saved, slices.Clone(b))
			a.script = append(a.script, "saved")
			a.opens(wire.Command{Kind: wire.Restore, Data: b})
		}
	case k < 66:
		if len(a.saved) > 0 {
			b := slices.Clone(pick(a, a.saved...))
			switch a.r.IntN(4) {
			case 0:
				b = b[:a.r.IntN(len(b)+1)]
			case 1:
				b[a.r.IntN(len(b))] ^= byte(1 + a.r.IntN(255))
			}
			a.do(wire.Command{Kind: wire.Restore, Data: b})
		}
	case k < 68:
		a.do(wire.Command{Kind: pick(a, wire.Train, wire.Pause, "x", wire.Restore)})
	case k < 78:
		a.fetchOne()
	case k < 80:
		for _, what := range []string{wire.Model, wire.Bundle, "csv", "npz", "sweep", "x"} {
			if _, _, err := a.Save(what); err != nil && err.Error() == "" {
				a.t.Error("an error without a reason")
			}
		}
	case k < 83:
		a.Forget()
	case k < 86:
		a.pool()
	case k < 87 && a.files["k.safetensors"] != nil: // drop a training that is nearly complete
		for _, name := range []string{"own.npz", "k.safetensors"} {
			a.do(wire.Command{Kind: wire.File, Name: name, Data: a.files[name]})
			a.do(wire.Command{Kind: wire.Press, Name: wire.Accept})
		}
		a.do(wire.Command{Kind: wire.Train})
		a.turns(a.r.IntN(150))
	default:
		n := a.r.IntN(12)
		a.script = append(a.script, fmt.Sprintf("work %d", n))
		for range n {
			time.Sleep(time.Duration(a.r.IntN(60)) * time.Millisecond)
			_, n := a.Work(0)
			a.check("work", n)
		}
	}
	if a.r.IntN(3) == 0 {
		a.picture()
	}
	if a.r.IntN(12) == 0 {
		a.whole()
	}
	st := a.State()
	if !finite(st) || a.Panel() == nil || a.Lab() != a.lab {
		a.t.Errorf("state %+v", st)
	}
	for _, c := range a.ids {
		if _, ok := st.Values[c.ID]; valued(c) && !ok {
			a.t.Errorf("control %s has no value", c.ID)
		}
	}
}

// file returns a command that drops a file, sometimes a truncated one.
func (a *attacker) file() wire.Command {
	name := pick(a, slices.Sorted(maps.Keys(a.files))...)
	b := a.files[name]
	if a.r.IntN(5) == 0 && len(b) > 0 {
		b = b[:a.r.IntN(len(b))]
	}
	return wire.Command{Kind: wire.File, Name: name, Data: slices.Clone(b)}
}

func (a *attacker) fetchOne() {
	name := a.Wants()
	a.script = append(a.script, "fetch "+name)
	switch k := a.r.IntN(6); {
	case name == "":
	case k == 0:
		a.check("missing", a.Fetched(name, nil, errors.New("404")))
	case k == 1:
		a.check("garbage", a.Fetched(name, []byte("12345678{\"a\":1}"), nil))
	default:
		a.check("fetched", a.Fetched(name, asset(a.t, name), nil))
	}
}

// pool gives jobs to helpers and lets some of them fail.
func (a *attacker) pool() {
	a.Cores(1 + a.r.IntN(4))
	n := a.Helpers()
	a.script = append(a.script, fmt.Sprintf("%d helpers", n))
	for k := range min(n, len(a.helpers)) {
		job := slices.Clone(a.Job(k))
		switch w := a.r.IntN(8); {
		case job == nil:
		case w == 0:
			a.Lost(k)
			a.helpers[k] = fit.NewHelper(systemsOf(a.t, a.lab))
		case w == 1:
			a.check("done", a.Done(k, nil, errors.New("out of memory")))
		case w == 2:
			a.check("done", a.Done(k, []byte("nonsense"), nil))
		case w == 3 && a.lab != "mixing": // not in mixing, where simulating a trajectory takes a second
			result, err := a.helpers[k].Do(job, func() {})
			a.check("done", a.Done(k, bytes.Clone(result), err))
		default:
			a.Lost(k)
			a.helpers[k] = fit.NewHelper(systemsOf(a.t, a.lab))
		}
	}
}

func (a *attacker) someRun() string {
	runs := a.State().Runs
	if len(runs) == 0 || a.r.IntN(4) == 0 {
		return pick(a, "", "nobody", "shipped", "in training", strings.Repeat("x", 300))
	}
	return pick(a, runs...).Name
}

func (a *attacker) numbers() string {
	var words []string
	for range 1 + a.r.IntN(5) {
		words = append(words, pick(a, strconv.Itoa(a.r.IntN(40)), strconv.FormatFloat(3*a.r.NormFloat64(), 'g', 4, 64), "0", "-1", "NaN", "1e9", "x", ""))
	}
	return strings.Join(words, " ")
}

// The map `likely` contains plausible values of controls. The keys are the IDs of the controls.
var likely = map[string][]string{
	"force":     {"", "1/r - r", "a*r", "curve(r, 2, 1, 0.2, -1)", "b*(r < 1)", "1/(r-1)", "exp(r^9)"},
	"sweepeps":  {"", "0.1", "0.1, 0.3"},
	"sweepzdim": {"", "1", "2, 3"},
	"sweepmore": {"", "rate=0.001,100", "law.begin=0,20", "trajectories=1,2", "batch=4"},
}

// value returns a valid or an invalid value of a control.
func (a *attacker) value(c wire.Control) string {
	if a.r.IntN(8) == 0 {
		return pick(a, "", "NaN", "-Inf", "1e300", "banana", "\x00", strings.Repeat("9", 400), "-1", "0")
	}
	switch c.Kind {
	case wire.Choice:
		if len(c.Options) > 0 {
			return pick(a, c.Options...).Value
		}
	case wire.Switch:
		return pick(a, "on", "off")
	case wire.Field:
		if likely := likely[c.ID]; likely != nil && a.r.IntN(4) > 0 {
			return pick(a, likely...)
		}
		return pick(a, "1", "7", "a name", "18446744073709551615", strings.Repeat("é", 60))
	}
	switch c.ID { // skips values that are valid but slow to simulate
	case "n":
		return strconv.Itoa(10 + a.r.IntN(60))
	case "steps", "frames":
		return strconv.Itoa(10 + a.r.IntN(30))
	case "height":
		return strconv.Itoa(12 + a.r.IntN(4))
	case "sweepsteps":
		return strconv.Itoa(a.r.IntN(3))
	case "sweepseeds":
		return strconv.Itoa(1 + a.r.IntN(2))
	}
	if a.r.IntN(5) == 0 {
		return strconv.FormatFloat(pick(a, c.Min, c.Max), 'g', -1, 64)
	}
	x := c.Min + (c.Max-c.Min)*a.r.Float64()
	if c.Step >= 1 {
		x = float64(int(x))
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
