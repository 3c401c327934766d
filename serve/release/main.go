// Command release makes the files that people without Go download: for each operating system a
// program that contains the lab, and the lab for any static host. Run it in the root of the
// repository:
//
//	go run ./serve/release -out dist/release
//
// The same commit gives the same bytes in any folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// largest is the largest size in bytes of an archive with a program.
const largest = 25_000_000

// config holds the options of a release.
type config struct {
	out     string    // folder to write
	work    string    // folder for files that the next run can reuse
	version string    // version of the release
	date    time.Time // date of all files in the archives
	targets []target
	fast    bool // whether the lab is compressed only by gzip, and sizes are not checked
}

func main() {
	out := flag.String("out", filepath.Join("dist", "release"), "`folder` to write")
	work := flag.String("work", filepath.Join("bin", "work"), "`folder` for binaries and compressed forms that the next run can use again")
	only := flag.String("only", "", "`systems` to build for, such as linux/amd64, with spaces between (default: all)")
	fast := flag.Bool("fast", false, "compress the lab with gzip alone, in seconds, and do not check the size of archives")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := func() error {
		c := config{out: *out, work: *work, fast: *fast}
		var err error
		if c.version, err = git(ctx, "describe", "--tags", "--always", "--dirty"); err != nil {
			return err
		}
		if c.date, err = commitDate(ctx); err != nil {
			return err
		}
		if c.targets, err = parseTargets(*only); err != nil {
			return err
		}
		return run(ctx, c, os.Stdout)
	}()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run makes a release. The folder c.out is replaced once all files are complete.
func run(ctx context.Context, c config, out io.Writer) error {
	if err := os.MkdirAll(filepath.Dir(c.out), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(c.out), ".release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	fmt.Fprintln(out, "release: the lab")
	lab, err := buildLab(ctx, c)
	if err != nil {
		return err
	}
	if err := embed(lab, c.date); err != nil {
		return err
	}
	if err := c.pack(ctx, fresh, lab, out); err != nil {
		return err
	}
	if err := replace(c.out, fresh); err != nil {
		return err
	}
	return report(out, c.out)
}

// pack writes all files of the release to the folder `dir`. `lab` is the folder of the built
// lab.
func (c config) pack(ctx context.Context, dir, lab string, out io.Writer) error {
	name := "macroscope-" + c.version
	web, err := folder(lab, name+"-web")
	if err != nil {
		return err
	}
	if err := writeZip(filepath.Join(dir, name+"-web.zip"), web, c.date); err != nil {
		return err
	}
	for _, t := range c.targets {
		fmt.Fprintf(out, "release: the program for %s\n", t)
		program, err := t.build(ctx, c)
		if err != nil {
			return err
		}
		files, err := programFiles(t, program, lab, name+"-"+t.os+"-"+t.arch)
		if err != nil {
			return err
		}
		archive := filepath.Join(dir, name+"-"+t.os+"-"+t.arch+t.archive())
		if err := t.write(archive, files, c.date); err != nil {
			return err
		}
		if info, err := os.Stat(archive); err != nil {
			return err
		} else if !c.fast && info.Size() > largest {
			return fmt.Errorf("%s has %.1f MB, above the limit of %.1f MB", filepath.Base(archive), float64(info.Size())/1e6, largest/1e6)
		}
	}
	fmt.Fprintln(out, "release: the list of parts")
	if err := listParts(ctx, filepath.Join(dir, "macroscope-"+c.version+".cdx.json")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "VERSION"), []byte(c.version+"\n"), 0o644); err != nil {
		return err
	}
	return writeSums(dir)
}

// replace moves a new release to the place of an earlier release.
func replace(out, fresh string) error {
	old, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(old) > 0 {
		if _, err := os.Stat(filepath.Join(out, sumsFile)); err != nil {
			return fmt.Errorf("%q is not an earlier release and is left alone: remove it, or choose another folder with -out", out)
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.Rename(fresh, out)
}

// report writes a table of the release's files with their sizes.
func report(out io.Writer, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "MB\t  file")
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%.2f\t  %s\n", float64(info.Size())/1e6, f.Name())
	}
	return w.Flush()
}

// commitDate returns the date for the files of the archives. The date is the environment variable
// SOURCE_DATE_EPOCH, in seconds since 1970. Without this variable, the date is from the commit.
func commitDate(ctx context.Context) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = git(ctx, "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, err
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH %q is no number of seconds", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := command(ctx, nil, "git", args...)
	return strings.TrimSpace(out), err
}
