// Package verify recomputes reference cases. A case is a NumPy archive with the inputs and the
// results of an independent program.
//
// The kind of a case follows from its arrays, and not from the name of the file. A folder with
// other values, sizes and file names can therefore be verified as well. Every kind is computed in
// float64, and also in float32 if Macroscope itself uses float32 for it. rows.go lists the kinds.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"macroscope/model/file/data"
	"macroscope/serve/input"
)

// Dir verifies every .npz in a folder and writes a line for each comparison:
//
//	verify CASE max_abs max_rel ok|FAIL
//
// In float32 comparisons, CASE ends in .float32. For statistics, max_rel is the largest error
// divided by the error that chance and the time step allow. A line that begins with "unknown" names
// an archive of unknown kind. A line that begins with "left out" lists arrays or parts of arrays
// that no comparison used. The returned error says how many comparisons failed, or that there was
// nothing to verify. After a cancellation it is the error of ctx.
func Dir(ctx context.Context, dir string, out io.Writer) error {
	const give = "give the folder that holds the reference cases"
	entries, err := os.ReadDir(dir)
	if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file; %s, such as %s", dir, give, filepath.Dir(dir))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s; %s", dir, give)
	}
	if err != nil {
		return fmt.Errorf("the folder %s cannot be read: %w", dir, err)
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".npz") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	if len(paths) == 0 {
		return fmt.Errorf("there is no .npz file in %s; %s", dir, give)
	}
	failed, compared := 0, 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".npz")
		results, left, err := recompute(ctx, path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil:
			failed++
			fmt.Fprintf(out, "verify %s NaN NaN FAIL (%v)\n", name, err)
		case results == nil:
			fmt.Fprintf(out, "unknown %s: no kind known here has its arrays\n", name)
		}
		for _, r := range results {
			verdict := "ok"
			if !(r.rel <= r.tolerance) { // a NaN fails too
				verdict = "FAIL"
				failed++
			}
			compared++
			fmt.Fprintf(out, "verify %s%s %.3g %.3g %s\n", name, r.precision, r.abs, r.rel, verdict)
		}
		if len(left) > 0 {
			fmt.Fprintf(out, "left out %s: %s\n", name, strings.Join(left, ", "))
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of the comparisons in %s failed", failed, dir)
	}
	if compared == 0 {
		return fmt.Errorf("%s holds no case of a kind that is known here", dir)
	}
	return nil
}

// recompute verifies one archive. It uses the first entry of the table `rows` that fits the arrays
// in the archive. If no entry fits, it returns no results.
func recompute(ctx context.Context, path string) (results []comparison, left []string, err error) {
	in, size, err := input.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	arrays, err := data.ReadNPZ(in, size)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		if r.fits(arrays) {
			defer func() { // arrays come from outside, and a kernel panics if their shapes are wrong
				switch cause := recover().(type) {
				case nil:
				case problem:
					err = cause.error
				default:
					err = fmt.Errorf("its arrays do not fit together: %v", cause)
				}
			}()
			results, left = r.results(ctx, arrays)
			return results, left, nil
		}
	}
	return nil, nil, nil
}
