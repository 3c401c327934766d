package verify

import (
	"fmt"
	"os"
	"testing"
)

const attentionCase = "../../model/net/attention/testdata/set_transformer.npz"

func TestSetTransformer(t *testing.T) {
	results, err := file(t.Context(), attentionCase)
	if err != nil || len(results) != 2 {
		t.Fatalf("results %+v, %v; want one in float64 and one in float32", results, err)
	}
	for _, r := range results {
		if !r.OK() {
			t.Errorf("set_transformer%s: relative error %g, want at most %g", r.Precision, r.MaxRel, r.Tolerance)
		}
	}
	b, err := os.ReadFile(attentionCase)
	if err != nil {
		t.Fatal(err)
	}
	for _, array := range []string{"points", "z", "in_b", "isab0_a1_k_w", "isab1_inducing", "isab1_ff1_b", "pma_seed", "out_w",
		"grad_points", "grad_isab0_a2_q_b", "grad_pma_ln2_b", "z_padded", "grad_padded"} {
		for _, change := range []string{"a value off", "NaN", "a value less"} {
			t.Run(fmt.Sprintf("%s/%s", array, change), func(t *testing.T) {
				if ok, out := verifyChanged(t, b, array, change); ok {
					t.Errorf("it passes:\n%s", out)
				}
			})
		}
	}
}
