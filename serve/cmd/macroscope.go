// Package cmd is macroscope's command line. It has one file per subcommand, and files with
// common code.
package cmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/compute/kernel"
	"macroscope/model/lab/catalogue"
	"macroscope/model/setting"
	"macroscope/serve/embedded"
	"macroscope/serve/httpd"
	"macroscope/serve/reproduce"
	"macroscope/sim/simd"
)

// Main runs the process's command line.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), ending()...)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if os.Getenv(reproduce.Supervised) != "" {
		ctx = untilEnd(ctx, os.Stdin)
	}
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, syscall.EPIPE): // the reader has closed the pipe, as head does
		os.Exit(1)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "macroscope: stopped")
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "macroscope:", setting.Plain(err.Error()))
		os.Exit(1)
	}
}

// untilEnd returns a context that ends when a reader ends. If the program does not stop then, it is ended.
func untilEnd(ctx context.Context, in io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		io.Copy(io.Discard, in)
		cancel()
		time.Sleep(reproduce.Patience)
		os.Exit(1)
	}()
	return ctx
}

// run runs a command line. It returns an error if a subcommand could not write its results.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if form := os.Getenv(simd.Initial); form != "" {
		restore, err := kernel.Use(form) // only to learn whether the form exists
		if err != nil {
			return fmt.Errorf("%s: %w", simd.Initial, err)
		}
		restore()
	}
	results, stderr := &checked{to: plainWriter{stdout}}, io.Writer(plainWriter{stderr})
	command := root(results, stderr)
	if err := readFlags(command, args, stderr); err != nil {
		return err
	}
	err := command.Run(ctx)
	if results.err != nil {
		return fmt.Errorf("the results could not be written: %w", results.err)
	}
	return err
}

// plainWriter writes texts, which may contain names from files, as setting.Plain returns them. Each call of
// Write gets whole characters.
type plainWriter struct{ io.Writer }

// Write implements io.Writer.
func (w plainWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, setting.Plain(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// checked is a writer that remembers its first error.
type checked struct {
	to  io.Writer
	err error
}

// Write implements io.Writer.
func (c *checked) Write(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.to.Write(b)
	c.err = err
	return n, err
}

func root(stdout, stderr io.Writer) *ffcli.Command {
	fs := newFlags("")
	addr := fs.String("addr", httpd.DefaultAddr, "address to serve the lab at, host:port")
	dir := fs.String("dir", "", "folder of the built lab (default: dist here or next to the program; if there is none, the lab in the program, which only a released program has)")
	open := fs.Bool("open", false, "open the lab in the browser of this machine")
	embed := fs.String("embed", "", "origins whose pages may show the lab in a frame, such as https://school.example, with spaces between; * is all (default: none)")
	return &ffcli.Command{
		ShortUsage: "macroscope [-open] [-addr HOST:PORT] [-dir FOLDER] [-embed ORIGINS]\n  macroscope SUBCOMMAND [flags]",
		LongHelp:   "Without a subcommand, macroscope serves the built lab: open the address that it prints.",
		FlagSet:    fs,
		Subcommands: []*ffcli.Command{
			simulateCommand(stderr), encodeCommand(stderr), calibrateCommand(stderr), describeCommand(stdout, stderr), trainCommand(stderr), exportCommand(stderr), evalCommand(stdout, stderr),
			figureCommand(stderr), sweepCommand(stdout, stderr), reproduceCommand(stdout, stderr), verifyCommand(stdout), benchCommand(stdout), versionCommand(stdout),
		},
		Exec: func(ctx context.Context, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("there is no subcommand %q; macroscope -h lists them", args[0])
			}
			handler, err := httpd.New(*dir, embedded.Lab, strings.Fields(*embed)...)
			if err != nil {
				return err
			}
			var ready func(url string)
			if *open {
				ready = func(url string) { openBrowser(url, stderr) }
			}
			return httpd.Run(ctx, *addr, handler, stderr, ready)
		},
	}
}

// newFlags returns the flag set of a subcommand. If the name is "", it returns the flag set of
// macroscope itself. readFlags reports the errors of the flag set.
func newFlags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(strings.TrimSpace("macroscope "+name), flag.ContinueOnError)
	fs.Var(new(plain), plainName, "compute without SIMD: the same bits on every amd64 machine and in the page with ?plain in its address, several times slower")
	return fs
}

// plainName is the name of the flag -plain.
const plainName = "plain"

// plain is the value of the flag -plain.
type plain bool

// IsBoolFlag allows -plain without a value.
func (*plain) IsBoolFlag() bool { return true }

// String implements flag.Value.
func (p *plain) String() string { return strconv.FormatBool(bool(*p)) }

// Set implements flag.Value. It switches SIMD off if the flag is on.
func (p *plain) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if *p = plain(on); on {
		catalogue.Plain()
	}
	return err
}

// noArgs returns an error if there are arguments after the flags. Nearly always such an
// argument is a flag without its dash.
func noArgs(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is not a flag; flags begin with a dash and -h lists them", args[0])
	}
	return nil
}
