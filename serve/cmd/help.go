package cmd

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/peterbourgon/ff/v3/ffcli"
)

// readFlags reads a command line. If the command line asks for help, readFlags writes the help
// to stderr and returns flag.ErrHelp. After a mistake, the error names the command that lists
// the flags.
func readFlags(root *ffcli.Command, args []string, stderr io.Writer) error {
	reading := root
	for _, c := range append(root.Subcommands, root) {
		// Otherwise package flag would print the complete help for every mistake.
		c.FlagSet.SetOutput(io.Discard)
		c.UsageFunc = func(c *ffcli.Command) string {
			reading = c
			return ""
		}
	}
	err := root.Parse(args)
	if before := root.FlagSet.Lookup(plainName).Value; before.String() == "true" { // macroscope -plain SUBCOMMAND
		for _, c := range root.Subcommands {
			err = cmp.Or(err, c.FlagSet.Set(plainName, before.String()))
		}
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stderr, help(reading))
	case err != nil:
		return fmt.Errorf("%w; %s -h lists the flags", errors.Unwrap(err), reading.FlagSet.Name())
	}
	return err
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
		Name: name, ShortUsage: usage, ShortHelp: short, LongHelp: strings.Replace(long, "{methods}", methodsHelp(), 1), FlagSet: fs, Exec: exec,
	}
}

// help returns the help of a command, with a paragraph for each flag.
func help(c *ffcli.Command) string {
	without := *c
	without.FlagSet = flag.NewFlagSet(c.Name, flag.ContinueOnError)
	var b strings.Builder
	b.WriteString(ffcli.DefaultUsageFunc(&without) + "\nFLAGS\n")
	c.FlagSet.VisitAll(func(f *flag.Flag) {
		name, usage := flag.UnquoteUsage(f)
		if f.DefValue != "" {
			name = f.DefValue
		}
		if is, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && is.IsBoolFlag() {
			name = ""
			if f.DefValue == "true" {
				usage += "; -" + f.Name + "=false does not"
			}
		}
		fmt.Fprintf(&b, "%s\n      %s\n", strings.TrimRight("  -"+f.Name+" "+name, " "), wrapped(usage, 6))
	})
	return b.String()
}

// wrapped breaks a text into lines of at most 100 letters. All lines but the first are
// indented.
func wrapped(text string, indent int) string {
	const width = 100
	var b strings.Builder
	at := indent
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
