package cmd

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
)

// guideCommands returns the commands of the README or of a page of the guide, in order. A
// command is a line of a code block, or code in a sentence. It begins with a program's name, or
// with a subcommand and a flag.
func guideCommands(t *testing.T, page string) (lines []string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	inline := regexp.MustCompile("(?s)`([^`]+)`")
	program := regexp.MustCompile(`^(bin/macroscope |macroscope |make |go test |MACROSCOPE_\w+=|(simulate|encode|calibrate|train|export|eval|figure|sweep|reproduce|verify|bench) -)`)
	for _, part := range strings.Split(string(b), "\n\n") {
		if strings.HasPrefix(part, "    ") {
			for line := range strings.Lines(part) {
				if line = strings.TrimSpace(line); program.MatchString(line) {
					lines = append(lines, line)
				}
			}
			continue
		}
		for _, m := range inline.FindAllStringSubmatch(part, -1) {
			for _, line := range strings.Split(m[1], "; ") {
				if line = strings.Join(strings.Fields(line), " "); program.MatchString(line) && !strings.Contains(line, "…") {
					lines = append(lines, line)
				}
			}
		}
	}
	return lines
}

// shellWords splits a command line into words as a shell does. It leaves out the comment.
func shellWords(line string) (list []string) {
	word, quote, any := "", rune(0), false
	for _, r := range line + " " {
		switch {
		case quote != 0 && r != quote, quote == 0 && !strings.ContainsRune(" '\"#", r), quote == 0 && r == '#' && any:
			word, any = word+string(r), true
		case quote != 0:
			quote = 0
		case r == '#':
			return list
		case r == ' ' && any:
			list, word, any = append(list, word), "", false
		case r != ' ':
			quote, any = r, true
		}
	}
	return list
}

// TestGuideCommands checks every command of the README and of the guide. Its subcommand, flags,
// make targets and tests must exist. The test also runs every complete command unchanged, in a
// folder that at first contains only the assets. A command runs as soon as its input files exist,
// and is stopped if it runs for more than a moment. The commands of results.md are not run. They
// made the records and take minutes to hours.
func TestGuideCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates and trains for seconds")
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asProgram, itsOwn) // the commands sweep and reproduce then start this test program
	slurm := t.TempDir()        // stand-ins for the programs of Slurm
	for name, text := range map[string]string{"sbatch": "echo 1", "squeue": ""} {
		if err := os.WriteFile(filepath.Join(slurm, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", slurm+string(filepath.ListSeparator)+os.Getenv("PATH"))
	pages, err := filepath.Glob(filepath.Join(module, "assets", "guide", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no guide: %v", err)
	}
	makefile, err := os.ReadFile(filepath.Join(module, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, page := range append([]string{filepath.Join(module, "README.md")}, pages...) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Symlink(filepath.Join(module, "assets"), filepath.Join(dir, "assets")); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			var waiting [][]string
			lines := guideCommands(t, page)
			for i, line := range lines {
				if slices.Contains(lines[:i], line) {
					continue
				}
				count++
				args := shellWords(line)
				for strings.Contains(args[0], "=") {
					args = args[1:]
				}
				switch name := args[0]; {
				case name == "make":
					for _, target := range args[1:] {
						if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).Match(makefile) {
							t.Errorf("%s: the Makefile has no target %s", line, target)
						}
					}
				case name == "go":
					goTestExists(t, module, line, args)
				case parsed(t, line, args) && filepath.Base(page) != "results.md":
					waiting = append(waiting, args[1:])
				}
			}
			for len(waiting) > 0 {
				left := slices.DeleteFunc(slices.Clone(waiting), func(args []string) bool {
					return len(missing(args)) == 0 && carriedOut(t, args)
				})
				if len(left) == len(waiting) {
					t.Fatalf("macroscope %s: no command makes %s", strings.Join(left[0], " "), missing(left[0]))
				}
				waiting = left
			}
		})
	}
	if count < 40 {
		t.Errorf("found %d commands", count)
	}
}

// TestGuideHasAllMethods checks the guide's table of methods.
func TestGuideHasAllMethods(t *testing.T) {
	text, err := os.ReadFile("../../assets/guide/command-line.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range method.Methods() {
		if row := regexp.MustCompile("(?m)^\\|.*`" + m.Name + "`.*\\|"); !row.Match(text) {
			t.Errorf("the table of methods in assets/guide/command-line.md lacks the method %s", m.Name)
		}
	}
}

// goTestExists checks that the packages of a go test command have the tests and benchmarks
// that it names.
func goTestExists(t *testing.T, module, line string, args []string) {
	t.Helper()
	var text []byte
	for _, a := range args {
		if strings.HasPrefix(a, "./") {
			files, _ := filepath.Glob(filepath.Join(module, a, "*_test.go"))
			for _, f := range files {
				b, _ := os.ReadFile(f)
				text = append(text, b...)
			}
		}
	}
	if len(text) == 0 {
		t.Errorf("%s: no package with tests", line)
	}
	for i, a := range args[:len(args)-1] {
		name := args[i+1]
		if a != "-run" && a != "-bench" || name == "^$" || name == "xxx" {
			continue
		}
		if !regexp.MustCompile(`func \w*(?:` + name + `)`).Match(text) {
			t.Errorf("%s: there is no function %s", line, name)
		}
	}
}

// parsed checks that a command line has a subcommand and flags of macroscope, and reports
// whether the command is complete and can run. A sentence may name only some of the flags, or a
// flag without its value. A command that starts a server is not run, because it does not end. A
// command with FOLDER, which stands for the reader's own folder, is not run either.
func parsed(t *testing.T, line string, args []string) (whole bool) {
	t.Helper()
	whole = args[0] == "bin/macroscope"
	if strings.HasSuffix(args[0], "macroscope") {
		args = args[1:]
	}
	of := root(io.Discard, io.Discard)
	sub := slices.ContainsFunc(of.Subcommands, func(c *ffcli.Command) bool { return c.Name == args[0] })
	if !sub && !strings.HasPrefix(args[0], "-") {
		t.Errorf("%s: there is no subcommand %s", line, args[0])
		return false
	}
	err := readFlags(of, args, io.Discard)
	if err != nil && !whole && strings.Contains(err.Error(), "needs an argument") {
		err = readFlags(root(io.Discard, io.Discard), append(slices.Clone(args), "1"), io.Discard)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		t.Errorf("%s: %v", line, err)
	}
	return whole && sub && err == nil && !slices.Contains(args, "FOLDER")
}

// missing returns the input files of a command that do not exist.
func missing(args []string) (names []string) {
	args = modelFirst(root(io.Discard, io.Discard), args)
	for i, a := range args[:len(args)-1] {
		if slices.Contains([]string{"-model", "-data", "-codes", "-resume"}, a) {
			if _, err := os.Stat(args[i+1]); err != nil {
				names = append(names, args[i+1])
			}
		}
	}
	return names
}

// moment is the time after which a command is stopped.
const moment = 150 * time.Millisecond

// carriedOut runs a command until it ends or a moment has passed. If the command has not
// written its output by then, carriedOut writes a small one: an untrained model, or a few
// trajectories.
func carriedOut(t *testing.T, args []string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), moment)
	defer cancel()
	err := run(ctx, args, io.Discard, io.Discard)
	if err != nil && ctx.Err() == nil {
		t.Errorf("macroscope %s: %v", strings.Join(args, " "), err)
	}
	at := slices.Index(args, "-out") + 1
	if at == 0 {
		return true
	}
	if _, err := os.Stat(args[at]); err == nil {
		return true
	}
	switch args[0] {
	case "train":
		c := parse(t, args[1:]...)
		config, own, err := c.config(c.data)
		if err != nil {
			t.Fatal(err)
		}
		if own != nil {
			own.Close()
		}
		sys, err := systems.Find(config.Spec.System)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := errors.Join(ckpt.Encode(&b, model.New(config, sys).Checkpoint()), os.WriteFile(args[at], b.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	case "encode":
		mustRun(t, with(with(args, "-n", "3"), "-validation", "1")...)
	case "simulate":
		if strings.HasSuffix(args[at], ".npz") {
			mustRun(t, with(args, "-n", "3")...)
		}
	}
	return true
}
