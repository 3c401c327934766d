package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/learn/describe"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/work"
	"macroscope/serve/input"
)

// ownPreset is the preset of a system of the user's own.
const ownPreset = "browser"

// ownName is the system's name; in the settings, a variable is called own.
const ownName = own.Name

// ownSystem begins the names of settings that describe a system: -set system.NAME=VALUE.
const ownSystem = "system."

// describe finds out from trajectories, from lines beside them and from the command line what their system is.
func (s *settings) describe(path string) (d *describe.System, err error) {
	names, _, err := filesAt(path)
	if err != nil {
		return nil, err
	}
	as, err := s.as()
	if err != nil {
		return nil, err
	}
	src, err := withFile(path, names, as, func(f system.File) (src system.Recorded, err error) {
		beside, err := linesBeside(path)
		if err != nil {
			return nil, err
		}
		d, src, err = describe.File(work.Until(context.Background()), f, append(beside, s.lines...), s.giveParameters, s.workers)
		return src, err
	})
	if err != nil {
		return nil, err
	}
	return d, src.Close()
}

// giveParameters makes all parameters of a system inputs of its dynamics, unless the command line names some of
// them, or none. The others are then no parameters of the system.
func (s *settings) giveParameters(d *own.Spec) {
	const field = "dynamics.params"
	if given := s.change(field); given != nil {
		var names []string
		for part := range strings.SplitSeq(given.value, ",") {
			name, _, _ := strings.Cut(part, ":")
			names = append(names, strings.TrimSpace(name))
		}
		d.Only(names)
		if given.value == "" || given.value == "none" { // a system without parameters has no such setting
			d.Parameters = nil
			s.changes = slices.DeleteFunc(s.changes, func(v change) bool { return slices.Contains(v.fields, field) })
		}
		return
	}
	var names []string
	for _, p := range d.Parameters {
		names = append(names, p.Name)
	}
	if names != nil {
		s.changes = append(s.changes, change{"params", []string{field}, strings.Join(names, ",")})
	}
}

// linesBeside reads the description beside trajectories: the file with the same name and the ending .system, or
// the file system in a folder.
func linesBeside(path string) ([]own.Line, error) {
	file := beside(path, system.LinesFile)
	f, _, err := input.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return own.ReadLines(f, file)
}

// beside returns the path of a file that describes trajectories: in their folder, or with the name of their file,
// without its ending, before a point.
func beside(path, name string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, name)
	}
	for _, packed := range []string{".gz", ".bz2"} {
		path = strings.TrimSuffix(path, packed)
	}
	return strings.TrimSuffix(path, filepath.Ext(path)) + "." + name
}

// describeOptions are the flags of describe.
type describeOptions struct {
	settings
	cost bool
}

func describeCommand(stdout, stderr io.Writer) *ffcli.Command {
	var o describeOptions
	fs := o.flags("describe", stderr, runtime.GOMAXPROCS(0))
	o.reading.register(fs)
	fs.Func("set", "`NAME=VALUE` describes the system, like a line NAME = VALUE; repeat it for other lines", func(text string) error {
		return o.set(ownSystem + strings.TrimPrefix(text, ownSystem))
	})
	fs.BoolVar(&o.cost, "cost", true, "measure what a training would take")
	return o.withArguments(fs, func(ctx context.Context, args []string) error {
		if len(args) != 1 {
			return errors.New("give one file or folder of trajectories, after all flags")
		}
		return o.run(ctx, stdout, args[0])
	})
}

func (o *describeOptions) run(ctx context.Context, stdout io.Writer, path string) error {
	d, err := o.describe(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "# What %s says of its system. Keep these lines as %s, and change what is wrong.\n", filepath.Base(path), beside(path, system.LinesFile))
	for _, text := range append([]string{d.Facts}, d.Reasons...) {
		fmt.Fprintf(stdout, "# %s.\n", setting.Capital(text))
	}
	fmt.Fprint(stdout, d.Text())
	if !o.cost {
		return nil
	}
	sys := d.System()
	src, err := o.reading.open(o.stderr, sys, path, "", nil)
	if err != nil {
		return err
	}
	defer src.Close()
	c, err := method.PresetOf(sys, method.Spec{System: own.Name, Method: method.Untuned, Preset: cmp.Or(d.Preset, ownPreset)})
	if err != nil {
		return err
	}
	live, err := fit.NewLive(c.ForData(src, len(d.Observables)), sys, src, nil, time.Now)
	if err != nil {
		return err
	}
	defer live.Close()
	for live.Measure() && ctx.Err() == nil {
	}
	if left := live.Left(1); ctx.Err() == nil && left == left {
		columns := ""
		if o.columns != "" {
			columns = " -columns " + o.columns
		}
		fmt.Fprintf(stdout, "# A training takes about %s on one core here: train -data %s%s\n", time.Duration(left)*time.Second, path, columns)
	}
	return ctx.Err()
}
