package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/interp"
)

func Example() {
	f, err := Parse("tanh(a·(1−r)) + b", "r", "a", "b")
	fmt.Println(f, err)
	fmt.Printf("%.4f\n", f.At([]float64{0.5, 4, 0.1}))
	_, err = Parse("2r", "r")
	fmt.Println(err)
	// Output:
	// tanh(a*(1-r))+b <nil>
	// 1.0640
	// between 2 and "r" an operator is missing, as the * in 2*r
}

// TestCurve checks that a curve equals gonum's interp.FritschButland.
func TestCurve(t *testing.T) {
	for _, y := range [][]float64{{1, -1}, {0, 0.5, 0.4}, {3, 1, 0.5, 0.4, 0.4, -2, -2.5, 1}, {0, 0, 1, 0, 0}, {1e20, -1e20, 1}} {
		const end = 2.5
		text := fmt.Sprintf("curve(r, %g", end)
		var xs []float64
		for i, v := range y {
			text += fmt.Sprintf(", %g", v)
			xs = append(xs, end*float64(i)/float64(len(y)-1))
		}
		f, err := Parse(text+")", "r")
		if err != nil {
			t.Fatal(err)
		}
		var want interp.FritschButland
		if err := want.Fit(xs, y); err != nil {
			t.Fatal(err)
		}
		for k := -20; k < 140; k++ {
			r := end * float64(k) / 120
			if got, want := f.At([]float64{r}), want.Predict(r); !(math.Abs(got-want) <= 1e-13*(1+slices.Max(y))) {
				t.Errorf("%s at %g is %g, want %g", text, r, got, want)
			}
		}
		again, err := Parse(f.String(), "r")
		if err != nil || again.String() != f.String() {
			t.Errorf("%s became %s, %v", f, again, err)
		}
		if allocs := testing.AllocsPerRun(10, func() { f.At(xs[:1]) }); allocs > 0 {
			t.Errorf("%v allocations", allocs)
		}
	}
	for bad, says := range map[string]string{
		"curve": "a bracket", "curve(r,2,1)": "2 to 40 numbers", "curve(r,-2,1,1)": "2 to 40", "curve(r,2,1,a)": "2 to 40", "curve(r,2,1,1": "before the end a bracket",
		"curve(r,1e999,1,1)": "is no number", "curve(r,2" + strings.Repeat(",1", 41) + ")": "2 to 40", "curve(r,2,1 1)": "bracket",
	} {
		if _, err := Parse(bad, "r", "a"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", bad, err, says)
		}
	}
}

func TestWith(t *testing.T) {
	for text, want := range map[string]string{"a*exp(-r)+b^2": "6*exp(-r)+(-0.25)^2", "abs(a)-2e-3*r": "abs(6)-2e-3*r", "1-b": "1-(-0.25)", "if(r<=a,b,pi)": "if(r<=6,(-0.25),pi)"} {
		f, err := Parse(text, "r", "a", "b")
		if err != nil {
			t.Fatal(err)
		}
		values := []float64{math.NaN(), 6, -0.25}
		with, err := Parse(f.With(values), "r", "a", "b")
		if err != nil || with.String() != want {
			t.Fatalf("%s became %s, want %s; %v", text, with, want, err)
		}
		if values[0] = 1.5; with.At(values) != f.At(values) || with.Uses(1) || with.Uses(2) {
			t.Errorf("%s is %g, and %s is %g", with, with.At(values), f, f.At(values))
		}
	}
}

func TestValues(t *testing.T) {
	const r, a = 1.5, -2.25
	for text, want := range map[string]float64{
		"1+2*3-4/8": 6.5, "-r^2": -r * r, "2^3^2": 512, "2^-2": 0.25, "(1+r)*a": 2.5 * a, "r - 1 - 1": -0.5, "8/2/2": 2, "-r*2": -3, "--r": 1.5, "+r": 1.5,
		"r²": 2.25, "r**3": r * r * r, "2·r × r": 4.5, "1e-3*r": 0.0015, ".5": 0.5, "pi": math.Pi,
		"sqrt(r)": math.Sqrt(r), "exp(a)": math.Exp(a), "log(r)": math.Log(r), "sin(r)+cos(a)": math.Sin(r) + math.Cos(a), "tanh(a)": math.Tanh(a), "sinh(a)": math.Sinh(a), "sinh(r/3)": math.Sinh(0.5),
		"cosh(a)": math.Cosh(a), "abs(a)": 2.25, "sign(a)": -1, "step(r)+2*step(a)": 1, "min(r, a)": a, "max(r, a)": r, "r^0.3": math.Pow(r, 0.3), "r^a": math.Pow(r, a), "a^3": a * a * a, "a^0": 1,
		"r < 2": 1, "r > 2": 0, "r <= 1.5": 1, "r>=1.6": 0, "if(r<1, sqrt(-1), 7)": 7, "if(r>1, 3, log(-1))": 3, "2*(r>1)": 2, "exp(-800)": 0, "1/0": math.Inf(1), "exp(1000)": math.Inf(1), "log(0)": math.Inf(-1),
	} {
		f, err := Parse(text, "r", "a")
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := f.At([]float64{r, a}); got != want && !(math.Abs(got-want) <= 4e-16*math.Abs(want)) {
			t.Errorf("%s = %.17g, want %.17g", text, got, want)
		}
	}
	for _, text := range []string{"sqrt(a)", "log(a)", "a^0.5", "0/0", "step(0/0)"} {
		if f, err := Parse(text, "r", "a"); err != nil || !math.IsNaN(f.At([]float64{r, a})) {
			t.Errorf("%s is a number: %v", text, err)
		}
	}
	for x := -30.0; x < 30; x += 0.0137 { // compare with package math
		for _, c := range []struct{ got, want float64 }{{exp(x), math.Exp(x)}, {log(exp(x)), x}, {tanh(x), math.Tanh(x)}, {sinh(x), math.Sinh(x)}, {cosh(x), math.Cosh(x)}, {log(x * x), math.Log(x * x)}, {pow(x*x, 1.3), math.Pow(x*x, 1.3)}} {
			if !(math.Abs(c.got-c.want) <= 3e-14*math.Max(math.Abs(c.want), 0.01)) {
				t.Fatalf("at %g: %.17g, want %.17g", x, c.got, c.want)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for text, says := range map[string]string{
		"": "before the end", "1+": "before the end", "tanh(": "before the end", "tanh(r": "“)”", "r)": "too many", "2r": "operator is missing", "r a": "operator", "q+1": "functions sqrt", "tanh r": "tanh(r)",
		"min(r)": "of 2 values", "sqrt(r,r)": "of 1 value", "()": "before \")\"", "r; r": "\";\"", "r\x00": "cannot be read", "1e999": "no number", "r = 1": "\"=\"", "if(r<1,2)": "of 3 values", "*r": "before \"*\"",
		strings.Repeat("r+", 150) + "r": "301 letters", strings.Repeat("(r+", 40) + "r" + strings.Repeat(")", 40): "too deeply", "0x": "", "r < a < 2": "",
	} {
		_, err := Parse(text, "r", "a")
		switch {
		case err == nil && text == "r < a < 2": // compares the value of a comparison, 0 or 1, with 2
		case err == nil:
			t.Errorf("%q was read", text)
		case !strings.Contains(err.Error(), says):
			t.Errorf("%q: %v; want %q in it", text, err, says)
		}
	}
	f, err := Parse(strings.Repeat("(", 90)+"r"+strings.Repeat(")", 90), "r", "a")
	if err != nil || !f.Uses(0) || f.Uses(1) || f.At([]float64{3, 1}) != 3 {
		t.Errorf("90 brackets: %v", err)
	}
	if n := testing.AllocsPerRun(10, func() { f.At([]float64{3, 1}) }); n != 0 {
		t.Errorf("a value allocates %v times", n)
	}
}

// FuzzParse checks that any text is either parsed or rejected. Evaluating a formula must not
// panic, and its String must parse as the same formula.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"tanh(a*(1-r)) + b", "if(r<1, 2, -r^2^b)", "-\xe32", "min(r, max(a, -b))", "((", "1e5e", "r**²", "<=="} {
		f.Add(text)
	}
	names := []string{"r", "a", "b"}
	values := []float64{1.25, 4, 0.1}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text, names...)
		if err != nil {
			return
		}
		b, err := Parse(a.String(), names...)
		if err != nil {
			t.Fatalf("%q was read and %q not: %v", text, a, err)
		}
		if x, y := a.At(values), b.At(values); x != y && (x == x || y == y) {
			t.Fatalf("%q is %g and %q %g", text, x, b, y)
		}
	})
}
