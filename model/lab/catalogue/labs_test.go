package catalogue_test

import (
	"fmt"
	"os"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
)

// TestShippedFiles checks that every file that a lab names is in the bundle.
func TestShippedFiles(t *testing.T) {
	var files []string
	for _, lab := range catalogue.All() {
		files = append(files, lab.Codes)
		for _, m := range lab.Shipped {
			files = append(files, m.File)
		}
	}
	for _, name := range files {
		if name == "" {
			continue
		}
		if _, err := os.Stat("../../../assets/" + name); err != nil {
			t.Error(err)
		}
	}
}

// TestNearest checks in every lab that the settings of each shipped model select that
// model, and that the model's file agrees with the list.
func TestNearest(t *testing.T) {
	for _, tc := range []struct {
		eps  float64
		zdim int
		want string
	}{
		{0.1, 8, "eps0.1-z8"}, {0.3, 8, "eps0.3-z8"}, {0.2, 4, "eps0.3-z4"}, {0.17, 4, "eps0.1-z4"}, {1e-8, 1, "eps0.03-z1"}, {1, 16, "eps0.3-z8"}, {0.1, 3, "eps0.1-z4"}, {0.04, 6, "eps0.03-z8"},
	} {
		line := catalogue.Line()
		if m, ok := line.Nearest(lab.Model{Method: "flow", Eps: tc.eps, ZDim: tc.zdim}); !ok || m.File != "models/demo-"+tc.want+".safetensors" {
			t.Errorf("for ε = %g and ẑ of %d %s is chosen, want %s", tc.eps, tc.zdim, m.File, tc.want)
		}
	}
	particles := catalogue.Particles()
	for _, tc := range []struct {
		eps  float64
		zdim int
		want string
	}{
		{0.1, 1, "eps0.01-z1"}, {0.1, 3, "eps0.01-z3"}, {0.01, 8, "laptop"}, {0.02, 16, "laptop"}, {0.1, 8, "eps0.1-z8"}, {0.002, 8, "eps0.001-z8"}, {2e-5, 8, "eps1e-05-z8"}, {1e-8, 8, "eps1e-08-z8"},
	} {
		if m, ok := particles.Nearest(lab.Model{Method: "flow", Eps: tc.eps, ZDim: tc.zdim}); !ok || m.File != "models/particles-"+tc.want+".safetensors" {
			t.Errorf("for particles with ε = %g and ẑ of %d %s is chosen, want %s", tc.eps, tc.zdim, m.File, tc.want)
		}
	}
	for _, l := range catalogue.All() {
		for _, m := range l.Shipped {
			file, err := os.Open("../../../assets/" + m.File)
			if err != nil {
				t.Fatal(err)
			}
			f, err := ckpt.Decode(file)
			file.Close()
			if err != nil {
				t.Fatal(err)
			}
			model, err := l.Systems().Open(f)
			if err != nil {
				t.Fatal(err)
			}
			if c := &model.Config; c.Decoder.Density() && c.Eps() != m.Eps || c.ZDim() != m.ZDim || c.Spec.Method != m.Method || c.Dynamics.Params.Names() != m.Params {
				t.Errorf("%s is of %s, ε = %g, ẑ of %d and the parameters %s, want %+v", m.File, c.Spec, c.Eps(), c.ZDim(), c.Dynamics.Params, m)
			}
			if got, _ := l.Nearest(lab.Model{Method: m.Method, Eps: 0.1, ZDim: 5, Params: m.Params}); got.Params != m.Params {
				t.Errorf("%+v is chosen for the parameters of %+v", got, m)
			}
		}
		for eps := 0.001; eps < 1 && len(l.Shipped) > 0; eps *= 3 {
			if m, ok := l.Nearest(lab.Model{Method: "flow", Eps: eps, ZDim: 5}); !ok || m.File == "" {
				t.Errorf("%s has no model near ε = %g", l.Link(), eps)
			}
		}
	}
	if _, ok := new(lab.Lab).Nearest(lab.Model{Method: "flow", Eps: 0.1, ZDim: 8}); ok {
		t.Error("a lab without models has a nearest one")
	}
}

func Example() {
	for _, l := range []lab.Lab{catalogue.Line(), catalogue.Mixing()} {
		m, _ := l.Nearest(lab.Model{Method: "flow", Eps: 0.1, ZDim: 8})
		fmt.Println(l.Link(), m.File)
	}
	// Output:
	// demo models/demo-eps0.1-z8.safetensors
	// mixing models/mixing-eps0.1-z4.safetensors
}
