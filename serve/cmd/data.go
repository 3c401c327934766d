package cmd

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"macroscope/model/file/bundle"
	"macroscope/model/file/frames"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/serve/input"
)

// reading holds the flags that say how to read the trajectories of -data.
type reading struct {
	columns, outliers string
	dt                float64
	starts            bool // see system.Reading.Starts
}

// readingFlags are the names of these flags.
var readingFlags = []string{"columns", "outliers", "dt"}

func (r *reading) register(fs *flag.FlagSet) {
	fs.StringVar(&r.columns, "columns", "", "columns of -data with the coordinates, as x,y,vx,vy (default: those named x, y and z)")
	fs.StringVar(&r.outliers, "outliers", "refuse", "what to do with a trajectory of -data in which a coordinate is not finite or absurdly far from all others: refuse, leave-out or keep")
	fs.Float64Var(&r.dt, "dt", 0, "time between two frames of -data (default: what the files say)")
}

// as returns the flags' values.
func (r *reading) as() (as system.Reading, err error) {
	for name := range strings.SplitSeq(r.columns, ",") {
		if name = strings.TrimSpace(name); name != "" {
			as.Columns = append(as.Columns, name)
		}
	}
	switch {
	case len(as.Columns) > frames.MaxAxes:
		return as, fmt.Errorf("-columns names %d columns; use %d at most", len(as.Columns), frames.MaxAxes)
	case r.dt < 0 || r.dt-r.dt != 0:
		return as, fmt.Errorf("-dt %g; use a number above 0", r.dt)
	}
	as.Interval, as.Starts, as.Empty = r.dt, r.starts, true
	i := slices.Index([]string{frames.Refuse: "refuse", frames.LeaveOut: "leave-out", frames.Keep: "keep"}, r.outliers)
	if i < 0 {
		return as, fmt.Errorf("-outliers %s; use refuse, leave-out or keep", r.outliers)
	}
	as.Outliers = frames.Bad(i)
	return as, nil
}

// recorded contains the user's own trajectories and their open file.
type recorded struct {
	system.Recorded
	file io.Closer
}

// Close closes the file and the trajectories.
func (r recorded) Close() error {
	defer r.file.Close()
	return r.Recorded.Close()
}

// open opens the user's own trajectories: a file, a folder of files, or the trajectories in a bundle.
// It prints a line that says what was read and what was not used. c is the configuration of the model
// for which they are read, or nil if there is none yet.
func (r *reading) open(stderr io.Writer, sys *system.System, path, observable string, c *method.Config) (system.Recorded, error) {
	as, err := r.as()
	if err != nil {
		return nil, err
	}
	if c != nil {
		as = c.Data.Reading(as, c.Dim())
	}
	names, left, err := filesAt(path)
	if err != nil {
		return nil, err
	}
	src, err := openFiles(sys, path, names, observable, as)
	if err != nil {
		return nil, err
	}
	said := src.Facts()
	if sys.Described != nil { // these describe it
		left = slices.DeleteFunc(left, func(name string) bool { return name == system.LinesFile || name == system.ObservablesFile })
	}
	if len(left) > 0 {
		said.Remarks = append(said.Remarks, system.NotRead(left))
	}
	_, err = fmt.Fprintf(stderr, "%s: %s\n", path, said.InWords(src.Shape()))
	return src, err
}

// openFor opens the trajectories that a model is to predict, and prints what it should be known of
// them besides. All commands that apply a model to data open them here.
func (r *reading) openFor(stderr io.Writer, m *model.Model, sys *system.System, path, observable string) (system.Recorded, error) {
	src, err := r.open(stderr, sys, path, observable, &m.Config)
	if err != nil {
		return nil, err
	}
	remarks, err := m.Fits(src, r.starts)
	if err != nil {
		src.Close()
		if apart := new(model.Apart); errors.As(err, &apart) {
			err = fmt.Errorf("%w; -dt %g says that they are, whatever the file says", err, apart.Model)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, text := range remarks {
		fmt.Fprintf(stderr, "%s: %s\n", path, text)
	}
	return src, nil
}

// sayTrained reports whether trajectories trained a model, and says so. `what` is a consequence for the
// command, or "".
func sayTrained(ctx context.Context, stderr io.Writer, m *model.Model, src system.Recorded, path, what string) (trained bool, err error) {
	if trained, err = m.Data.TrainedOn(work.Until(ctx), src); trained {
		tellTrained(stderr, path, what)
	}
	return trained, err
}

func tellTrained(stderr io.Writer, path, what string) {
	fmt.Fprintf(stderr, "%s trained the model%s\n", path, what)
}

// needsData returns an error if a model can only be applied to the user's own trajectories: no test
// contains its observable.
func needsData(c *method.Config) error {
	if c.Data.Recorded && (c.Data.Observable != "" || c.Traits.Description != nil) {
		return errors.New("the model was trained on data of your own; give trajectories to predict with -data")
	}
	return nil
}

func openFiles(sys *system.System, path string, names []string, observable string, as system.Reading) (system.Recorded, error) {
	return withFile(path, names, as, func(f system.File) (system.Recorded, error) { return sys.Open(f, observable) })
}

// withFile opens the files with these names, or the file in a bundle, and passes them to a function that opens
// their trajectories.
func withFile(path string, names []string, as system.Reading, open func(system.File) (system.Recorded, error)) (system.Recorded, error) {
	b, err := readBundle(names[0])
	if err != nil {
		return nil, err
	}
	if b != nil {
		return openBundled(b, path, as, open)
	}
	file, size, err := input.Open(names[0])
	if err != nil {
		return nil, err
	}
	of := system.File{
		Name: names[0], Bytes: file, Size: size, More: names[1:], As: as,
		Open: func(name string) (io.ReadCloser, error) {
			file, _, err := input.Open(name)
			return file, err
		},
		OpenNumPy: func(name string) (system.File, io.Closer, error) {
			file, size, err := input.Open(name)
			return system.File{Name: name, Bytes: file, Size: size}, file, err
		},
	}
	if table := beside(path, system.ObservablesFile); exists(table) {
		of.BesideName, of.Beside = table, func() (io.ReadCloser, error) { return of.Open(table) }
	}
	src, err := open(of)
	if err != nil {
		file.Close()
		if len(names) > 1 && strings.Contains(err.Error(), filepath.Dir(names[0])) { // the error names the file
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", names[0], err)
	}
	return recorded{src, file}, nil
}

// exists reports whether there is a file with this path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// openBundled opens the trajectories in a bundle.
func openBundled(b *bundle.Bundle, path string, as system.Reading, open func(system.File) (system.Recorded, error)) (system.Recorded, error) {
	if b.Data == nil {
		return nil, fmt.Errorf("%s: the bundle holds no trajectories of your own", path)
	}
	f, _, err := system.File{Name: b.DataName, Bytes: bytes.NewReader(b.Data), Size: int64(len(b.Data)), As: as}.Divided()
	var src system.Recorded
	if err == nil {
		src, err = open(f)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: its file %q: %w", path, b.DataName, err)
	}
	return src, nil
}

// filesAt returns the path itself if the path is a file. For a folder, it returns the paths of all
// files in the folder, including links to files, but no hidden files. `left` names what else the
// folder contains: other folders, and files that are certainly no data, such as logs and scripts.
func filesAt(path string) (names, left []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot open the trajectories: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") {
			info, err := os.Stat(filepath.Join(path, name)) // follows a link
			if err != nil {
				return nil, nil, fmt.Errorf("cannot open the trajectories: %w", err)
			}
			if !info.Mode().IsRegular() {
				name += "/"
			}
		}
		names = append(names, name)
	}
	if names, left, err = system.InFolder(path, names); err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		if left != nil {
			return nil, nil, fmt.Errorf("the folder %s holds no file of trajectories, but %s; give one folder with all files", path, strings.Join(left, ", "))
		}
		return nil, nil, fmt.Errorf("the folder %s holds no file of trajectories; give one that does", path)
	}
	for i, name := range names {
		names[i] = filepath.Join(path, name)
	}
	return names, left, nil
}

// hasParams reports whether trajectories have values of their parameters.
func hasParams(own system.Recorded) (bool, error) {
	var t system.Trajectory
	err := own.Raw(&t, 0)
	return t.Params != nil, err
}
