package verify

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/data"
)

// The cases that the packages under test keep for themselves serve here too.
var odeCases = map[string]string{
	"onsager": "../../model/net/dynamics/testdata/onsager.npz", "sde": "../../model/net/dynamics/testdata/sde.npz",
	"onsager_resnet": "../../model/net/dynamics/testdata/onsager_resnet.npz",
	"autoencoders":   "testdata/autoencoders.npz", "flow_matching": "testdata/flow_matching.npz",
	"mre": "../../model/net/metric/testdata/mre.npz", "interacting_n7": "../../sim/particle/testdata/interacting_n7.npz",
}

func TestODEKinds(t *testing.T) {
	for name, path := range odeCases {
		results, err := file(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want := []string{"", ".float32"}
		if name == "mre" {
			want = want[:1]
		}
		if len(results) != len(want) {
			t.Errorf("%s: %d results, want %d", name, len(results), len(want))
			continue
		}
		for i, r := range results {
			if r.Precision != want[i] || !r.OK() {
				t.Errorf("%s%s: relative error %g, want at most %g", name, r.Precision, r.MaxRel, r.Tolerance)
			}
		}
	}
}

// TestODEKindsNoticeChanges checks that no array of a case can be wrong
// unnoticed: a value off by 1e-4 of the largest, or not a number, fails, and a
// missing row is an error or a failure.
func TestODEKindsNoticeChanges(t *testing.T) {
	for name, arrays := range map[string][]string{
		"onsager": {"x", "alpha", "gamma", "diss_w1", "cons_w0", "potential", "grad_potential", "drift"},
		"onsager_resnet": {"x", "rate", "loss", "beta", "min_d", "trunk0_w", "trunk2_b", "matrix_w", "pot_w", "pot_in_b", "force_w", "potential", "grad_potential", "drift",
			"grad_trunk0_w", "grad_trunk1_w", "grad_trunk2_b", "grad_matrix_w", "grad_pot_w", "grad_pot_in_w", "grad_force_b", "grad_x"},
		"sde": {"z0", "z1", "dt", "drift_w0", "drift_b2", "diff_w1", "diff_b2", "drift", "diffusion", "rk4", "nll",
			"grad_drift_w0", "grad_drift_w2", "grad_diff_w0", "grad_diff_w1", "grad_diff_w2"},
		"autoencoders": {"x", "x_next", "zbar", "zbar_next", "dt", "aug_enc0_w", "aug_dec3_b", "aug_loss", "aug_grad_enc1_w", "aeinve_phi1_w", "aeinve_loss",
			"aeinve_grad_rho1_b", "aeinvecd_dec3_b", "aeinvecd_loss", "aeinvecd_grad_phi0_w", "inve_ode_loss", "inve_ode_drift2_b", "inve_ode_grad_phi0_w",
			"inve_sde_loss", "inve_sde_diff1_w", "inve_sde_grad_phi0_w", "inve_sde_grad_diff2_w"},
		"flow_matching":  {"x0", "x1", "t", "z", "points", "points_z", "log_density", "loss", "v0_w", "v1_b", "v2_w", "grad_v0_w", "grad_v2_b", "grad_z"},
		"mre":            {"pred", "true", "per_trajectory", "mre"},
		"interacting_n7": {"frames", "velocity0", "energy", "dt", "a", "b"},
	} {
		b, err := os.ReadFile(odeCases[name])
		if err != nil {
			t.Fatal(err)
		}
		for _, array := range arrays {
			for _, change := range []string{"a value off", "NaN", "a value less"} {
				t.Run(fmt.Sprintf("%s/%s/%s", name, array, change), func(t *testing.T) {
					if ok, out := verifyChanged(t, b, array, change); ok {
						t.Errorf("it passes:\n%s", out)
					}
				})
			}
		}
	}
}

// verifyChanged verifies the case in b with one array changed.
func verifyChanged(t *testing.T, b []byte, array, change string) (ok bool, out string) {
	t.Helper()
	c, err := data.ReadNPZ(strings.NewReader(string(b)), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	values, shape := append([]float64(nil), c[array].Float64s()...), c[array].Shape
	switch change {
	case "a value off":
		values[len(values)/2] += 1e-4 * slices.Max(values)
	case "NaN":
		values[len(values)/2] = math.NaN()
	case "a value less":
		values = values[1:]
		shape = []int{len(values)}
	}
	c[array] = data.NewArray(shape, values)
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
