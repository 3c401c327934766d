package verify

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/data"
)

// read returns the arrays of a case from some package's testdata folder.
func read(t *testing.T, name string) map[string]*data.Array {
	t.Helper()
	var path string
	err := filepath.WalkDir("../..", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == name+".npz" && filepath.Base(filepath.Dir(p)) == "testdata" {
			path = p
			return fs.SkipAll
		}
		return err
	})
	if err != nil || path == "" {
		t.Fatalf("there is no testdata/%s.npz (%v)", name, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := data.ReadNPZ(strings.NewReader(string(b)), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// verified verifies a folder that contains only the case c.
func verified(t *testing.T, c map[string]*data.Array) (ok bool, out string) {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "case.npz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := data.WriteNPZ(f, c); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	err = Dir(t.Context(), dir, &text)
	return err == nil, text.String()
}

// changed returns a copy of a case with one array changed.
func changed(c map[string]*data.Array, name string, change func(v []float64) []float64) map[string]*data.Array {
	copied := map[string]*data.Array{}
	for n, a := range c {
		copied[n] = a
	}
	shape, before := c[name].Shape, c[name].Float64s()
	v := change(slices.Clone(before))
	if len(v) != len(before) {
		shape = []int{len(v)}
	}
	copied[name] = data.NewArray(shape, v)
	return copied
}

// TestRowsNoticeChanges checks that each case passes, and that it fails if one of the listed
// arrays is wrong: if a value is off by 1e-4 of the largest value, is NaN, or is missing.
func TestRowsNoticeChanges(t *testing.T) {
	changes := map[string]func(v []float64) []float64{
		"a value off":  func(v []float64) []float64 { v[len(v)/2] += 1e-4 * slices.Max(v); return v },
		"NaN":          func(v []float64) []float64 { v[len(v)/2] = math.NaN(); return v },
		"a value less": func(v []float64) []float64 { return v[1:] },
	}
	unseen := map[string]bool{
		"lj/cutoff/a value off":           true, // no pair is that close to the cutoff
		"polymer_image/beads/a value off": true, // such a small change of a bead may change no pixel
	}
	for name, arrays := range map[string]string{
		"spline_K16":        "widths heights derivatives bound x y logdet x_back grad_x grad_widths grad_heights grad_derivatives",
		"deepset":           "points counts w0 b1 w2 b3 z grad_w0 grad_b0 grad_w3 grad_b3",
		"set_transformer":   "points z in_b isab0_a1_k_w isab1_inducing isab1_ff1_b pma_seed out_w grad_points grad_isab0_a2_q_b grad_pma_ln2_b z_padded grad_padded",
		"target_d2_eps0.05": "particles eps x log_q",
		"cnn":               "x z y loss conv1_w conv1_b enc_b deconv0_b deconv1_w deconv2_b grad_conv1_b grad_enc_b grad_deconv0_w grad_x",
		"vit": "x z y loss embed_w cls pos dec_pos enc0_a_k_w enc1_ln2_g dec0_ff1_b enc_ln_b to_z_w from_z_b pixels_w " +
			"grad_cls grad_enc0_ln1_g grad_dec_pos grad_pixels_b grad_x",
		"lj":            "positions types forces potential cutoff ratios",
		"mmd":           "pred true per_step mmd",
		"mre":           "pred true per_trajectory mre",
		"chamfer":       "a b chamfer",
		"polymer_image": "images pixels span extension counts beads",
		"onsager":       "x alpha gamma diss_w1 cons_w0 potential grad_potential drift",
		"onsager_resnet": "x rate loss beta min_d trunk0_w trunk2_b matrix_w pot_w pot_in_b force_w potential grad_potential drift " +
			"grad_trunk0_w grad_trunk1_w grad_trunk2_b grad_matrix_w grad_pot_w grad_pot_in_w grad_force_b grad_x",
		"sde": "z0 z1 dt drift_w0 drift_b2 diff_w1 diff_b2 drift diffusion rk4 nll grad_drift_w0 grad_drift_w2 grad_diff_w0 grad_diff_w1 grad_diff_w2",
		"autoencoders": "x x_next permutation zbar zbar_next dt aug_enc0_w aug_dec3_b aug_loss aug_grad_enc1_w aeinve_phi1_w aeinve_loss " +
			"aeinve_grad_rho1_b aeinvecd_dec3_b aeinvecd_loss aeinvecd_grad_phi0_w inve_ode_loss inve_ode_drift2_b inve_ode_grad_phi0_w " +
			"inve_sde_loss inve_sde_diff1_w inve_sde_grad_phi0_w inve_sde_grad_diff2_w",
		"flow_matching":  "x0 x1 t which z points points_z log_density loss v0_w v1_b v2_w grad_v0_w grad_v2_b grad_z",
		"interacting_n7": "frames frame_index velocity0 energy dt a b",
	} {
		t.Run(name, func(t *testing.T) {
			c := read(t, name)
			ok, out := verified(t, c)
			lines, single := strings.Count(out, "verify case"), strings.Count(out, ".float32")
			if float64Alone := name == "mmd" || name == "mre"; !ok || float64Alone && lines != 1 || !float64Alone && (lines != 2 || single != 1) {
				t.Fatalf("it says:\n%s", out)
			}
			for _, array := range strings.Fields(arrays) {
				for what, change := range changes {
					if ok, out := verified(t, changed(c, array, change)); ok && !unseen[name+"/"+array+"/"+what] {
						t.Errorf("%s with %s passes:\n%s", array, what, out)
					}
				}
			}
		})
	}
}

// TestResultsAlone verifies cases with a single result. The case passes if the result is right, and
// fails if the result is wrong. A case without results must not pass.
func TestResultsAlone(t *testing.T) {
	for name, results := range map[string]string{
		"spline_K16": "y", "deepset": "z grad_w0 grad_b3", "set_transformer": "z grad_points grad_isab0_a2_q_b", "onsager": "potential grad_potential drift",
		"onsager_resnet": "loss potential grad_potential drift grad_x grad_force_b", "sde": "drift diffusion rk4 nll grad_diff_w2", "interacting_n7": "frames",
		"mre": "per_trajectory mre", "mmd": "per_step mmd", "lj": "forces potential ratios", "flow_matching": "log_density loss grad_z grad_v2_b",
		"autoencoders": "aug_loss aeinve_loss aeinvecd_loss inve_ode_loss inve_sde_loss",
	} {
		c := read(t, name)
		alone := func(keep string) map[string]*data.Array {
			kept := maps.Clone(c)
			maps.DeleteFunc(kept, func(array string, _ *data.Array) bool {
				return array != keep && (slices.Contains(strings.Fields(results), array) || strings.Contains(array, "grad_") || slices.Contains([]string{"logdet", "x_back", "velocity0", "energy", "z_padded"}, array))
			})
			return kept
		}
		for _, keep := range strings.Fields(results) {
			if ok, out := verified(t, alone(keep)); !ok || strings.Count(out, "verify case ") == 0 {
				t.Errorf("%s with %s alone says:\n%s", name, keep, out)
			}
			if name == "spline_K16" || name == "interacting_n7" {
				continue // this result is also an input
			}
			if ok, out := verified(t, changed(alone(keep), keep, func(v []float64) []float64 { v[len(v)/2] += 1e-3 * max(1, slices.Max(v)); return v })); ok {
				t.Errorf("%s with a wrong %s alone passes:\n%s", name, keep, out)
			}
		}
		if name != "spline_K16" && name != "interacting_n7" {
			if ok, out := verified(t, alone("")); ok || strings.Contains(out, "ok") {
				t.Errorf("%s without results says:\n%s", name, out)
			}
		}
	}
}

var long = flag.Bool("long", false, "recompute all statistics of chains that verify recomputes")

// TestChains recomputes statistics of short chains. Changed statistics must fail. Without -long the
// test uses only a few statistics of each kind, because the tests of package polymer use all of
// them.
func TestChains(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of steps")
	}
	c := read(t, "polymer_bd")
	if !*long {
		var exact []float64
		for row := range slices.Chunk(c["exact"].Float64s(), 14) {
			if beads, rate := row[1], row[4]; beads == 20 && (rate == 0 || rate == 1) {
				exact = append(exact, row...)
			}
		}
		c["exact"] = data.NewArray([]int{len(exact) / 14, 14}, exact)
		c["trimer"] = data.NewArray([]int{2, 6}, c["trimer"].Float64s()[:12])
		maps.DeleteFunc(c, func(name string, _ *data.Array) bool {
			return strings.HasPrefix(name, "start_n50_") || strings.HasPrefix(name, "start_n300_")
		})
	}
	if ok, out := verified(t, c); !ok {
		t.Errorf("it says:\n%s", out)
	}
	// The case now contains only the arrays of one start, under another name. They must still be
	// verified. No check uses the array start_*_n, so it must be reported as left out.
	other := map[string]*data.Array{}
	for name, a := range c {
		if rest, ok := strings.CutPrefix(name, "start_n20_"); ok {
			other["start_n32_"+rest] = a
		}
	}
	if ok, out := verified(t, other); !ok || !strings.Contains(out, "left out case: start_n32_n") {
		t.Errorf("a start alone says:\n%s", out)
	}
	for array, change := range map[string]func(v []float64) []float64{
		"trimer": func(v []float64) []float64 { v[4] *= 1.1; return v },
		"start_n20_mean": func(v []float64) []float64 {
			for i := range v {
				v[i] *= 1.03
			}
			return v
		},
	} {
		part := map[string]*data.Array{} // some of the arrays of a case
		for name, a := range c {
			if strings.HasPrefix(name, strings.TrimSuffix(array, "mean")) {
				part[name] = a
			}
		}
		if ok, out := verified(t, changed(part, array, change)); ok {
			t.Errorf("%s with another value passes:\n%s", array, out)
		}
	}
}

// TestArraysThatDoNotFit checks that arrays of unusable shapes and values give readable errors.
func TestArraysThatDoNotFit(t *testing.T) {
	for _, tc := range []struct {
		name, array string
		shape       []int
		values      []float64
		want        string
	}{
		{"mmd", "true", []int{2, 3}, make([]float64, 6), "true has the shape [2 3] and should have (m,t,d)"},
		{"deepset", "counts", []int{2}, []float64{300, 40}, "counts adds up to 340 and there are 343 particles"},
		{"sde", "drift_w2", []int{2}, []float64{1, 2}, "drift_w2 holds 2 values and should hold 48"},
		{"flow_matching", "which", []int{48}, slices.Repeat([]float64{4}, 48), "which holds 4 and should hold 0 to 3"},
		{"target_d2_eps0.05", "eps", []int{2}, []float64{1, 2}, "eps holds 2 values and should hold one"},
	} {
		c := read(t, tc.name)
		c[tc.array] = data.NewArray(tc.shape, tc.values)
		if _, out := verified(t, c); !strings.HasPrefix(out, "verify case NaN NaN FAIL (") || !strings.Contains(out, tc.want) {
			t.Errorf("%s of another %s: %q, want %q", tc.name, tc.array, out, tc.want)
		}
	}
}

func ExampleDir() {
	fmt.Println(Dir(context.Background(), "testdata/no such folder", os.Stdout))
	// Output: there is no folder testdata/no such folder; give the folder that holds the reference cases
}
