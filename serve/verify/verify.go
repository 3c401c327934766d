// Package verify recomputes reference cases: NumPy archives of inputs and of
// what an independent program made of them.
//
// A case's kind is recognised by the arrays it holds, so a folder with other
// values, sizes and file names in the same form is verified as well. Every
// kind is computed in float64 and, where programs run in float32, in that too.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"macroscope/model/file/data"
)

// Tolerances of the relative error. Float64 differs from the references by
// the order of summation alone; float32 carries 24 bits through networks and
// sums of hundreds of terms.
const (
	Tolerance64 = 1e-9
	Tolerance32 = 1e-4
)

// Case is an archive's arrays by name.
type Case map[string]*data.Array

// kind recomputes the cases that hold all of its arrays.
type kind struct {
	name  string
	needs []string
	run   func(Case) ([]Result, error)
}

var kinds = []kind{
	{"spline", []string{"widths", "heights", "derivatives", "bound", "x", "y", "logdet"}, runSpline},
	{"deepset", []string{"points", "counts", "w0", "b0", "w1", "b1", "w2", "b2", "w3", "b3", "z"}, runDeepSet},
	{"set_transformer", []string{"points", "counts", "heads", "in_w", "isab0_inducing", "isab0_a1_q_w", "isab0_ff0_b", "pma_seed", "pma_ff1_b", "out_w", "out_b", "z"}, runSetTransformer},
	{"target", []string{"particles", "eps", "x", "log_q"}, runTarget},
	{"onsager", []string{"x", "alpha", "gamma", "pot_w0", "pot_b0", "pot_w1", "pot_b1", "diss_w0", "diss_b0", "diss_w1", "diss_b1",
		"cons_w0", "cons_b0", "cons_w1", "cons_b1", "potential", "grad_potential", "drift"}, runOnsager},
	{"onsager_resnet", []string{"x", "rate", "loss", "beta", "min_d", "trunk0_w", "trunk0_b", "matrix_w", "matrix_b", "pot_w", "pot_b", "pot_in_w", "pot_in_b",
		"force_w", "force_b", "potential", "grad_potential", "drift"}, runResNet},
	{"sde", []string{"z0", "z1", "dt", "drift_w0", "drift_b0", "drift_w1", "drift_b1", "drift_w2", "drift_b2",
		"diff_w0", "diff_b0", "diff_w1", "diff_b1", "diff_w2", "diff_b2", "drift", "diffusion", "rk4", "nll"}, runSDE},
	{"interacting", []string{"frames", "frame_index", "velocity0", "energy", "dt", "a", "b"}, runInteracting},
	{"mre", []string{"pred", "true", "per_trajectory", "mre"}, runMRE},
	{"lj", []string{"positions", "types", "forces", "potential", "cutoff", "ratios"}, runLJ},
	{"mmd", []string{"pred", "true", "per_step", "mmd"}, runMMD},
	{"chamfer", []string{"a", "b", "chamfer"}, runChamfer},
	{"autoencoders", []string{"x", "x_next", "permutation", "dt", "zbar", "zbar_next", "aug_loss", "aeinve_loss", "aeinvecd_loss", "inve_ode_loss", "inve_sde_loss"}, runAutoencoders},
	{"cnn", []string{"x", "z", "conv0_w", "conv0_b", "enc_w", "enc_b", "dec_w", "dec_b", "deconv0_w", "deconv0_b"}, runCNN},
	{"vit", []string{"x", "z", "heads", "patch", "embed_w", "embed_b", "cls", "pos", "dec_pos", "enc0_ff0_b", "to_z_w", "from_z_w", "pixels_w"}, runViT},
	{"polymer_bd", []string{"exact", "trimer", "start_n20_init"}, runPolymer},
	{"polymer_image", []string{"beads", "images"}, runVideo},
	{"flow_matching", []string{"x0", "x1", "t", "which", "z", "sigma", "steps", "points", "points_z", "log_density", "loss",
		"v0_w", "v0_b", "v1_w", "v1_b", "v2_w", "v2_b"}, runMatching},
}

// Result is one comparison.
type Result struct {
	Precision      string // "" for float64, ".float32"
	MaxAbs, MaxRel float64
	Tolerance      float64
}

// OK reports whether the comparison holds. A NaN does not.
func (r Result) OK() bool { return r.MaxRel <= r.Tolerance }

// Dir verifies every .npz in a folder and writes a line for each comparison:
//
//	verify CASE max_abs max_rel ok|FAIL
//
// Float32 comparisons have the suffix .float32 on CASE. Of statistics, max_rel is the
// largest share of what chance and the time step allow. Archives of a kind that
// is not known are named in a line that begins "unknown". The error says how
// many comparisons failed, that there was nothing to verify, or it is that of ctx,
// which does not wait for the archive that is being recomputed.
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
		results, err := file(ctx, path)
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
			if !r.OK() {
				verdict = "FAIL"
				failed++
			}
			compared++
			fmt.Fprintf(out, "verify %s%s %.3g %.3g %s\n", name, r.Precision, r.MaxAbs, r.MaxRel, verdict)
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

// file verifies one archive; nil results mean that its kind is not known. Where ctx
// ends it leaves the archive to itself.
func file(ctx context.Context, path string) ([]Result, error) {
	type outcome struct {
		results []Result
		err     error
	}
	ended := make(chan outcome, 1)
	go func() {
		results, err := recompute(path)
		ended <- outcome{results, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case o := <-ended:
		return o.results, o.err
	}
}

func recompute(path string) (results []Result, err error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	arrays, err := data.ReadNPZ(in, info.Size())
	if err != nil {
		return nil, err
	}
	c := Case(arrays)
	for _, k := range kinds {
		if c.has(k.needs) {
			defer func() { // a kernel panics on shapes; here they come from outside
				if r := recover(); r != nil {
					err = fmt.Errorf("its arrays do not fit together: %v", r)
				}
			}()
			return k.run(c)
		}
	}
	return nil, nil
}

func (c Case) has(names []string) bool {
	for _, n := range names {
		if c[n] == nil {
			return false
		}
	}
	return true
}

// values returns an array's values in float64.
func (c Case) values(name string) []float64 { return c[name].Float64s() }

// scalar returns the single value of an array.
func (c Case) scalar(name string) (float64, error) {
	v := c.values(name)
	if len(v) != 1 {
		return 0, fmt.Errorf("%s holds %d values and should hold one", name, len(v))
	}
	return v[0], nil
}

// comparison gathers the largest errors over several arrays.
type comparison struct {
	abs, rel float64
	// floor is the share of an array's largest element that an element's
	// relative error is taken against at least.
	floor float64
}

// In float64 an element that is zero by cancellation has no digits of its own.
// In float32 the inputs themselves are rounded, by up to 2^-24 of the largest,
// and steep bins magnify that: errors are relative to the array.
const floor64, floor32 = 1e-3, 1

// add compares got with want.
func (c *comparison) add(got, want []float64) {
	if len(got) != len(want) {
		c.abs, c.rel = math.NaN(), math.NaN()
		return
	}
	largest := 0.0
	for _, w := range want {
		largest = math.Max(largest, math.Abs(w))
	}
	for i, w := range want {
		d := math.Abs(got[i] - w)
		if math.IsInf(w, 0) && got[i] == w {
			d = 0
		}
		c.abs = worse(c.abs, d)
		if d != 0 {
			c.rel = worse(c.rel, d/math.Max(math.Abs(w), c.floor*largest))
		}
	}
}

// addIf compares got with the case's array of that name, if it has one.
func (c *comparison) addIf(from Case, name string, got []float64) {
	if from[name] != nil {
		c.add(got, from.values(name))
	}
}

// worse returns the larger of two errors, and NaN before any number.
func worse(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return math.Max(a, b)
}

func (c *comparison) result64() Result { return Result{"", c.abs, c.rel, Tolerance64} }
func (c *comparison) result32() Result { return Result{".float32", c.abs, c.rel, Tolerance32} }
