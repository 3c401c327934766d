package cmd

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/serve/output"
)

// subcommand holds the options common to all computing subcommands. The options of each
// subcommand embed it.
type subcommand struct {
	workers int
	plain   bool            // whether -plain is given
	given   map[string]bool // the flags on the command line
	bounds  []func() error  // checks of the flags that are numbers
	outs    []*output.File  // files to write
	stderr  io.Writer
}

// flags returns the flag set of the named subcommand, with -workers.
func (o *subcommand) flags(name string, stderr io.Writer, workers int) *flag.FlagSet {
	o.stderr = stderr
	fs := newFlags(name)
	o.count(fs, &o.workers, "workers", workers, 1, 1024, "goroutines that share the work; no result depends on it")
	return fs
}

// count adds a flag for a whole number with its smallest and largest value.
func (o *subcommand) count(fs *flag.FlagSet, n *int, name string, standard, least, most int, usage string) {
	fs.IntVar(n, name, standard, usage)
	o.bounds = append(o.bounds, func() error { return within(name, *n, least, most) })
}

// output returns the file to write that a flag names. The file is closed when the subcommand ends.
func (o *subcommand) output(flag, path string, inputs ...output.Input) (*output.File, error) {
	for _, other := range o.outs {
		if other.Names(path) {
			return nil, fmt.Errorf("%s and %s are the same file %s; give one of them another name", other.Flag, flag, path)
		}
	}
	f, err := output.New(flag, path, inputs...)
	if err != nil {
		return nil, err
	}
	f.Say = o.say
	o.outs = append(o.outs, f)
	return f, nil
}

func (o *subcommand) say(line string) { fmt.Fprintln(o.stderr, line) }

// closed closes the files to write. It returns err, or the first error of closing.
func (o *subcommand) closed(err error) error {
	for _, f := range o.outs {
		if failed := f.Close(); err == nil {
			err = failed
		}
	}
	return err
}

// command returns the subcommand, which calls the function `run` after it has read the flags.
func (o *subcommand) command(fs *flag.FlagSet, run func(context.Context) error) *ffcli.Command {
	return o.withArguments(fs, func(ctx context.Context, args []string) error {
		if err := noArgs(args); err != nil {
			return err
		}
		return run(ctx)
	})
}

// withArguments is like command, for a subcommand with arguments after its flags.
func (o *subcommand) withArguments(fs *flag.FlagSet, run func(context.Context, []string) error) *ffcli.Command {
	return newCommand(fs, func(ctx context.Context, args []string) error {
		for _, check := range o.bounds {
			if err := check(); err != nil {
				return err
			}
		}
		o.given = make(map[string]bool)
		fs.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
		o.plain = fs.Lookup(plainName).Value.String() == "true"
		return o.closed(run(ctx, args))
	})
}

// refuse returns an error if the command line has one of the given flags, which the experiment
// does not use.
func (o *subcommand) refuse(experiment string, flags ...string) error {
	for _, f := range flags {
		if o.given[f] {
			return meansNothing(f, experiment)
		}
	}
	return nil
}

func meansNothing(flag, experiment string) error {
	return fmt.Errorf("-%s means nothing to the experiment %s; leave it out", flag, experiment)
}

// within returns an error if a flag's number is outside its range.
func within(flag string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("-%s %d; use %d to %d", flag, n, least, most)
	}
	return nil
}

// texts contains the help of each subcommand: the usage, a line that describes the subcommand,
// an empty line and the details.
//
//go:embed help
var texts embed.FS

// newCommand returns the subcommand for a flag set, with its texts.
func newCommand(fs *flag.FlagSet, exec func(context.Context, []string) error) *ffcli.Command {
	name := strings.TrimPrefix(fs.Name(), "macroscope ")
	text, err := texts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // the subcommand has no text
	}
	usage, rest, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	short, long, _ := strings.Cut(rest, "\n\n")
	return &ffcli.Command{
		Name: name, ShortUsage: usage, ShortHelp: short, LongHelp: strings.Replace(long, "{methods}", methodsHelp(), 1), FlagSet: fs,
		Exec: func(ctx context.Context, args []string) error {
			if len(args) == 1 && readsModel(fs) {
				args = nil
				if err := fs.Set(modelName, fs.Arg(0)); err != nil {
					return err
				}
			}
			return exec(ctx, args)
		},
	}
}

// modelName is the name of the flag -model. In a subcommand with this flag, a file without a flag, before or after
// the flags, is the model.
const modelName = "model"

// readsModel reports whether a subcommand reads a model that its flags have not named so far.
func readsModel(fs *flag.FlagSet) bool {
	reads := fs.Lookup(modelName) != nil
	fs.Visit(func(f *flag.Flag) { reads = reads && f.Name != modelName })
	return reads
}
