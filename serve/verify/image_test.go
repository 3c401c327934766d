package verify

import (
	"fmt"
	"os"
	"testing"
)

// TestPictures recomputes both autoencoders of pictures, and wants every change of
// what they are made of or compared with to be seen.
func TestPictures(t *testing.T) {
	for name, arrays := range map[string][]string{
		"cnn": {"x", "z", "y", "loss", "conv1_w", "conv1_b", "enc_b", "deconv0_b", "deconv1_w", "deconv2_b", "grad_conv1_b", "grad_enc_b", "grad_deconv0_w", "grad_x"},
		"vit": {
			"x", "z", "y", "loss", "embed_w", "cls", "pos", "dec_pos", "enc0_a_k_w", "enc1_ln2_g", "dec0_ff1_b", "enc_ln_b", "to_z_w", "from_z_b", "pixels_w",
			"grad_cls", "grad_enc0_ln1_g", "grad_dec_pos", "grad_pixels_b", "grad_x",
		},
	} {
		path := "../../model/net/image/testdata/" + name + ".npz"
		results, err := file(t.Context(), path)
		if err != nil || len(results) != 2 {
			t.Fatalf("%s: results %+v, %v; want one in float64 and one in float32", name, results, err)
		}
		for _, r := range results {
			if !r.OK() {
				t.Errorf("%s%s: relative error %g, want at most %g", name, r.Precision, r.MaxRel, r.Tolerance)
			}
		}
		b, err := os.ReadFile(path)
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
