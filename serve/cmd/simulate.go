package cmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/file/data"
	"macroscope/model/learn/measure"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/excerpt"
	"macroscope/model/work"
	"macroscope/serve/output"
)

// simulateOptions are the flags of a simulation.
type simulateOptions struct {
	subcommand
	fs            *flag.FlagSet // of the flags in physics
	experiment    string
	n, particles  int
	params, force string
	fixed, video  bool
	test, film    string
	begin         int
	seed          uint64
	out           string
}

func simulateCommand(stderr io.Writer) *ffcli.Command {
	var o simulateOptions
	fs := o.flags("simulate", stderr, runtime.GOMAXPROCS(0))
	o.fs = fs
	fs.StringVar(&o.experiment, "experiment", "particles", "what to simulate: "+simulatedNames())
	o.count(fs, &o.n, "n", 100, 1, 1_000_000, "trajectories")
	fs.IntVar(&o.particles, "particles", 300, "particles: number in a trajectory; polymer: beads of a chain; chains of fewer than 300 beads are ideal and fast")
	fs.Int("components", 2, "particles: Gaussian clusters that they start from")
	fs.Int("steps", 300, "steps of a trajectory, which has one frame more (mixing: default 100000, a frame every 200)")
	fs.Float64("boundary", 0, "mixing: atoms left of it become species 1 (default: drawn from 10 to 22 for each trajectory)")
	fs.Float64("height", 32, "mixing: height of the box; its width is 32")
	fs.BoolVar(&o.fixed, "fixed", false, "mixing: every trajectory has the same number of atoms of each species, as ae-aug needs it")
	fs.Bool("wide", false, "polymer: every fourth chain starts as a hairpin with strands of nearly equal length, as train -set wide=true simulates them")
	fs.BoolVar(&o.video, "video", false, "polymer: write the paper's film instead of beads: to an .npz the array video (n, 1001, 100, 500) of grey levels from 0 to 255, to a .gif the first trajectory, animated")
	fs.StringVar(&o.params, "params", "none", "parameters of the physics that vary between trajectories, as in train -params; a single value, as a:6, applies to all")
	fs.StringVar(&o.force, "force", "", "particles: a `formula` instead of the force tanh(a*(1-r))+b, of r, a and b, as \"1/r - r\"; the file says so, and eval reads it there")
	fs.StringVar(&o.test, "test", "", "`name` of one of the paper's tests, as in-dst, or of polymers, with -particles 300 or 100, fast, medium or slow: its first frames and variables are written, for eval -tests and, as 'boundary 12' of mixing, figure -tests, with the seed that eval has and as many trajectories (-n: "+testCounts()+")")
	fs.IntVar(&o.begin, "begin", 0, "with -test: the `frame` up to which all frames are written, for models that use the frames before their first prediction")
	fs.StringVar(&o.film, "film", "", "polymer with -test: another `file` to write, with the same runs in the form of polymer-video")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the initial positions, or of the velocities and boundaries")
	fs.StringVar(&o.out, "out", "", "`file` to write once all are simulated; an existing file is kept as FILE.bak (default: the system's name and .npz)")
	return o.command(fs, o.run)
}

func (o *simulateOptions) run(ctx context.Context) error {
	spec, err := specOf(o.experiment, "laptop", nil)
	if err != nil {
		return err
	}
	sys, err := systems.Find(spec.System)
	if err != nil {
		return err
	}
	if sys, err = o.forced(sys); err != nil {
		return err
	}
	if o.test != "" {
		return o.writeTest(ctx, sys)
	}
	if o.given["begin"] {
		return fmt.Errorf("-begin works only with -test; leave it out, since all frames are written")
	}
	if o.given["film"] {
		return fmt.Errorf("-film works only with -test; leave it out, since films are drawn of beads as they are read")
	}
	src, err := o.source(sys)
	if err != nil {
		return err
	}
	if !o.given["out"] {
		o.out = spec.System + ".npz"
	}
	if err := o.checkEnding(); err != nil {
		return err
	}
	out, err := o.output("-out", o.out)
	if err != nil {
		return err
	}
	if o.video {
		return o.writeFilm(ctx, sys, src, out)
	}
	return o.write(ctx, out, func(w io.Writer, pause work.Pause) error {
		return writeTrajectories(pause, stoppable{ctx, w}, src, sys, len(sys.Variables("")), o.workers)
	})
}

// checkEnding returns an error if the name of the file to write promises another format.
func (o *simulateOptions) checkEnding() error {
	switch ending := strings.ToLower(filepath.Ext(o.out)); {
	case ending == ".gif" && !o.video:
		return fmt.Errorf("-out %s: an animation is written with -video; give it, or choose a name that ends in .npz", o.out)
	case slices.Contains([]string{".npy", ".csv", ".txt", ".dump", ".mp4"}, ending):
		return fmt.Errorf("-out %s: simulate writes .npz, and animations of polymers as .gif; choose such a name", o.out)
	}
	return nil
}

// forced returns a system with the force of the flags. If the force cannot be used with the default
// parameters, forced replaces parameters in the formula by numbers. It replaces every parameter for
// which -params has a single value.
func (o *simulateOptions) forced(sys *system.System) (*system.System, error) {
	params, err := sys.Traits.Parameters.Parse(o.params)
	if err != nil {
		return nil, fmt.Errorf("-params: %w", err)
	}
	if o.given["force"] && strings.TrimSpace(o.force) == "" {
		return nil, errors.New("-force is empty; give a formula of r, a and b, or leave it out for the paper's force")
	}
	with, err := withForce(sys, o.force)
	if err != nil && sys.Forces != nil {
		text, others, failed := sys.Forces.PutIn(o.force, params)
		if failed != nil {
			return nil, err
		}
		if with, err = withForce(sys, text); err == nil {
			o.params, params = others.String(), others
		}
	}
	if err == nil {
		err = checkParams(with, params)
	}
	return with, err
}

// stoppable is a writer that returns an error once its context has ended. Writing a large
// trajectory takes seconds, so it must be possible to stop it.
type stoppable struct {
	ctx context.Context
	io.Writer
}

func (s stoppable) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(b)
}

// writeTest writes trajectories of a test.
func (o *simulateOptions) writeTest(ctx context.Context, sys *system.System) error {
	has := []string(nil)
	if len(sys.Sets) > 1 {
		has = []string{"fixed"}
	} else if sys.Sized {
		has = []string{"particles"}
	}
	for _, flag := range physics {
		if o.given[flag] && !slices.Contains(has, flag) {
			return fmt.Errorf("-%s and -test contradict each other: a test has its own; leave one of them out", flag)
		}
	}
	if err := o.checkEnding(); err != nil {
		return err
	}
	if sys.Tests == nil {
		return fmt.Errorf("the system %s has no tests; leave -test out", sys.Name)
	}
	tests := sys.Tests(o.particles)
	if sys.Pictured != nil {
		tests = append(tests, sys.Pictured()...)
	}
	var names []string
	for _, t := range tests {
		names = append(names, t.Name)
	}
	i := slices.Index(names, o.test)
	if i < 0 {
		what := "the system " + sys.Traits.Name
		if sys.Sized {
			what += fmt.Sprintf(" of %d particles", o.particles)
		}
		return fmt.Errorf("%s has no test %s; it has %s", what, setting.Quote(o.test), strings.Join(names, ", "))
	}
	if !o.given["seed"] {
		o.seed = measure.TestSeed
	}
	if !o.given["n"] {
		o.n = sys.Motion().Trajectories(testCount)
	}
	if o.fixed && !tests[i].Fixed {
		return fmt.Errorf("the sets of %s differ in size from the training sets; leave -fixed out", o.test)
	}
	if !o.given["out"] {
		o.out = testFile(o.test, o.fixed)
	}
	out, err := o.output("-out", o.out)
	if err != nil {
		return err
	}
	src := tests[i].Source(system.Choice{Seed: o.seed, Count: o.n, Fixed: o.fixed})
	var film *filmed
	if o.given["film"] {
		if film, err = o.newFilm(sys, src); err != nil {
			return err
		}
		src = film
	}
	var s *excerpt.Starts
	err = o.write(ctx, out, func(w io.Writer, pause work.Pause) error {
		if s, err = excerpt.Collect(pause, src, o.begin, o.n, o.workers); err != nil {
			return err
		}
		return s.Write(w)
	})
	if err != nil || film == nil {
		return err
	}
	return film.to.Write(s.With(film.macro).Write)
}

// filmed is a source of trajectories and of the macroscopic variables of their films, which are measured when
// the trajectories are read. The file of -film contains these variables.
type filmed struct {
	system.Joint
	of    *system.System // the system that learns from films
	to    *output.File   // file of -film
	macro [][]float64    // macroscopic variables of every film (T, M)
}

// newFilm returns the source that measures the variables for -film.
func (o *simulateOptions) newFilm(sys *system.System, src system.Source) (*filmed, error) {
	joint, ok := src.(system.Joint)
	if sys.Pictures == nil || sys.Pictures.Film == nil || !ok {
		return nil, fmt.Errorf("no model learns from films of the system %s; leave -film out", sys.Name)
	}
	to, err := o.output("-film", o.film)
	return &filmed{joint, sys.Pictures.Film(), to, make([][]float64, src.Shape().Trajectories)}, err
}

// MakeTogether implements system.Joint.
func (f *filmed) MakeTogether(of []*system.Trajectory, first int, pause work.Pause) error {
	err := f.Joint.MakeTogether(of, first, pause)
	for k := 0; err == nil && k < len(of); k++ {
		film := *of[k]
		film.Macro = nil
		err = f.of.Finish(&film, f.of.Dim, "")
		f.macro[first+k] = film.Macro
	}
	return err
}

// testFile returns the name of a test's file.
func testFile(test string, fixed bool) string {
	if fixed {
		test += "-fixed"
	}
	return test + ".npz"
}

// physics lists the flags that describe a simulation. Each system accepts some of them.
var physics = []string{"particles", "components", "steps", "boundary", "height", "fixed", "wide", "video", "params", "force"}

// source returns the trajectories to simulate. It returns an error if a flag describes a simulation but the
// system does not accept it.
func (o *simulateOptions) source(sys *system.System) (system.Source, error) {
	params, err := sys.Parameters.Parse(o.params)
	if err != nil {
		return nil, fmt.Errorf("-params: %w", err)
	}
	if sys.Simulated == nil {
		return nil, fmt.Errorf("the sets of the system %s are drawn as they are needed; simulate writes trajectories of particles", sys.Name)
	}
	choice := system.Choice{Purpose: system.Show, Seed: o.seed, Count: o.n, Params: params}
	table, begin := setting.Table(nil), func() (system.Source, error) { return sys.Simulated(choice), nil }
	if sys.Flags != nil {
		table, begin = sys.Flags(&choice)
	}
	has := table.Names()
	if sys.Parameters != nil {
		has = append(has, "params")
	}
	if sys.Forces != nil {
		has = append(has, "force")
	}
	if sys.Pictures != nil {
		has = append(has, "video")
	}
	for _, flag := range physics {
		if !o.given[flag] {
			continue
		}
		if !slices.Contains(has, flag) {
			return nil, meansNothing(flag, sys.Name)
		}
		if f := table.Find(flag); f != nil {
			if err := f.Set(o.fs.Lookup(flag).Value.String()); err != nil {
				return nil, fmt.Errorf("-%w", err)
			}
		}
	}
	return begin()
}

// write writes the file of -out while the simulation runs. The function `simulate` writes its
// results to w.
func (o *simulateOptions) write(ctx context.Context, to *output.File, simulate func(w io.Writer, pause work.Pause) error) error {
	began := time.Now()
	bar := newProgress(o.stderr, "simulating", "trajectory", 0, o.n)
	err := to.Write(func(w io.Writer) error { return simulate(w, bar.pause(ctx)) })
	bar.finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped; %s was not written", o.out)
	}
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	_, err = fmt.Fprintf(o.stderr, "simulated %s in %.1f s (%.3g/s); wrote %s\n", setting.Count(o.n, "trajectory", "trajectories"), seconds, float64(o.n)/seconds, o.out)
	return err
}

// writeTrajectories writes an archive while the simulation runs. Trajectories that finish
// before their turn are kept in memory. If all particles are of one kind, their types are 0.
func writeTrajectories(pause work.Pause, w io.Writer, src system.Source, sys *system.System, variables, workers int) error {
	s := src.Shape()
	archive := data.NewArchive(w)
	rows, err := archive.Rows(system.TrajectoriesArray, []int{s.Trajectories, s.Frames, s.Particles, s.Dim})
	if err != nil {
		return err
	}
	var macro []float64
	var types []int64
	var params [][]float64
	err = inOrder(pause, src, workers, func(t *system.Trajectory) error {
		macro, params = append(macro, t.Macro...), append(params, slices.Clone(t.Params))
		for _, v := range t.Species {
			if len(sys.Sets) == 1 {
				v = 0
			}
			types = append(types, int64(v))
		}
		return rows.Write(t.Points)
	})
	if err != nil {
		return err
	}
	if err := archive.Array(system.TypesArray, data.NewArray([]int{s.Trajectories, s.Particles}, types)); err != nil {
		return err
	}
	if err := archive.Array(system.MacroArray, data.NewArray([]int{s.Trajectories, s.Frames, variables}, macro)); err != nil {
		return err
	}
	if err := sys.Parameters.Write(archive, params); err != nil {
		return err
	}
	if err := sys.WriteForce(archive, sys.Force); err != nil {
		return err
	}
	return archive.Close()
}

// inOrder passes the trajectories of a source, in their order, to the function `each`.
// Trajectories that finish before their turn are kept in memory.
func inOrder(pause work.Pause, src system.Source, workers int, each func(*system.Trajectory) error) error {
	var mu sync.Mutex
	early := make(map[int]*system.Trajectory)
	next := 0
	return system.Each(pause, src, src.Shape().Trajectories, workers, func(i int, t *system.Trajectory) error {
		mu.Lock()
		defer mu.Unlock()
		if i != next {
			early[i] = t.Clone()
			return nil
		}
		for ; t != nil; t = early[next] {
			if err := each(t); err != nil {
				return err
			}
			delete(early, next)
			next++
		}
		return nil
	})
}
