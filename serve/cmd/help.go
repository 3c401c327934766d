package cmd

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/setting"
)

// A value of type once is the value of a flag that a command line may contain only one time.
// Package flag would use the last value and ignore the others.
type once struct {
	flag.Value
	given, twice bool
}

// Set implements flag.Value.
func (o *once) Set(text string) error {
	if o.twice = o.given; o.twice {
		return nil // readFlags reports the repeated flag
	}
	o.given = true
	text, err := decimal(o.Value, text)
	if err != nil {
		return err
	}
	return o.Value.Set(text)
}

// decimal returns the text of a flag's number in the form that package flag reads in the same way as
// setting.Field does. To package flag, 010 is 8.
func decimal(v flag.Value, text string) (string, error) {
	of, ok := v.(flag.Getter)
	if !ok {
		return text, nil
	}
	switch of.Get().(type) {
	case int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return "", fmt.Errorf("give a whole number%s", setting.InDecimal(text))
		}
		return strconv.Itoa(n), nil
	case uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return "", fmt.Errorf("give a whole number%s from 0 to %d", setting.InDecimal(text), uint64(math.MaxUint64))
		}
		return strconv.FormatUint(n, 10), nil
	case float64:
		if _, err := setting.Float(text); err != nil {
			return "", fmt.Errorf("give a number%s", setting.InDecimal(text))
		}
	}
	return text, nil
}

// IsBoolFlag reports whether the flag needs no value.
func (o *once) IsBoolFlag() bool {
	is, ok := o.Value.(interface{ IsBoolFlag() bool })
	return ok && is.IsBoolFlag()
}

// readFlags reads a command line. If the command line asks for help, readFlags writes the help
// to stderr and returns flag.ErrHelp. After a mistake, the error names the command that lists
// the flags.
func readFlags(root *ffcli.Command, args []string, stderr io.Writer) error {
	reading := root
	for _, c := range append(root.Subcommands, root) {
		c.FlagSet.VisitAll(func(f *flag.Flag) {
			if f.Name != "set" && f.Name != "over" { // -set and -over may be repeated for different fields
				f.Value = &once{Value: f.Value}
			}
		})
		// Otherwise package flag would print the complete help for every mistake.
		c.FlagSet.SetOutput(io.Discard)
		c.UsageFunc = func(c *ffcli.Command) string {
			reading = c
			return ""
		}
	}
	err := root.Parse(modelFirst(root, args))
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
	for _, c := range append(root.Subcommands, root) {
		c.FlagSet.Visit(func(f *flag.Flag) {
			if o, ok := f.Value.(*once); ok && o.twice && err == nil {
				err = fmt.Errorf("-%s is given twice; give it once", f.Name)
			}
		})
	}
	return err
}

// modelFirst puts -model before a file that follows the name of a subcommand, see modelName.
func modelFirst(root *ffcli.Command, args []string) []string {
	if len(args) < 2 || args[1] == "" || args[1][0] == '-' {
		return args
	}
	for _, c := range root.Subcommands {
		if c.Name == args[0] && readsModel(c.FlagSet) {
			return slices.Insert(slices.Clone(args), 1, "-"+modelName)
		}
	}
	return args
}

// help returns the help of a command, with a paragraph for each flag.
func help(c *ffcli.Command) string {
	without := *c
	without.FlagSet = flag.NewFlagSet(c.Name, flag.ContinueOnError)
	var b strings.Builder
	b.WriteString(ffcli.DefaultUsageFunc(&without) + "\nFLAGS\n")
	c.FlagSet.VisitAll(func(f *flag.Flag) {
		if o, ok := f.Value.(*once); ok {
			f.Value = o.Value // package flag knows its own types
		}
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
