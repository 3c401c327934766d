package system

import (
	"bytes"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/data"
)

var offered = Parameters{
	{Name: "a", Symbol: "a", Usual: 4, Low: 0.1, High: 1000, From: 2, To: 10},
	{Name: "e12", Symbol: "ε of A with B", Unit: "kT", Usual: 0.7, Low: 0, High: 20, From: 0.3, To: 1},
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"": "none", "none": "none", "a": "a:2:10", "a,e12": "a:2:10,e12:0.3:1", "e12:0.5:0.6, a:6": "e12:0.5:0.6,a:6", "a:0.1:1000": "a:0.1:1000",
	} {
		r, err := offered.Parse(text)
		if err != nil || r.String() != want {
			t.Errorf("%q is read as %s, %v; want %s", text, r, err, want)
			continue
		}
		if again, err := offered.Parse(r.String()); err != nil || !slices.Equal(again, r) {
			t.Errorf("%s is read as %v, %v", r, again, err)
		}
	}
	for text, says := range map[string]string{
		"c": `no parameter "c"; use a, e12`, "a,a": "twice", "a:1:2:3": "no range of a; use a:2:10", "a:x": `cannot be "x": give a number from 0.1 to 1000`,
		"a:0:5": "from 0.1 to 1000", "a:2:NaN": "from 0.1", "a:5:3": "from 5 down to 3", "a,": `no parameter ""`,
	} {
		if r, err := offered.Parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v; want %q", text, r, err, says)
		}
	}
	if _, err := (Parameters)(nil).Parse("a"); err == nil || !strings.Contains(err.Error(), "no parameters") {
		t.Errorf("a system without parameters: %v", err)
	}
}

// TestDraw checks that values are uniform in their ranges: mean and variance within five
// standard errors. The test fails by chance once in 400 000 times.
func TestDraw(t *testing.T) {
	if offered.Draw(nil, 1, 2) != nil {
		t.Error("something is drawn without ranges")
	}
	r, _ := offered.Parse("e12")
	const count = 4000
	var sum, squares float64
	for i := range count {
		v := offered.Draw(r, 7, i)
		if v[0] != 4 || v[1] < 0.3 || v[1] > 1 {
			t.Fatalf("trajectory %d has %v", i, v)
		}
		u := (v[1] - 0.3) / 0.7
		sum, squares = sum+u/count, squares+(u-0.5)*(u-0.5)/count
	}
	if math.Abs(sum-0.5) > 5/math.Sqrt(12*count) || math.Abs(squares-1./12) > 5/math.Sqrt(180*count) {
		t.Errorf("mean %g and variance %g of uniform numbers", sum, squares)
	}
	if a, b := offered.Draw(r, 7, 3), offered.Draw(r, 7, 3); !slices.Equal(a, b) || slices.Equal(a, offered.Draw(r, 8, 3)) {
		t.Error("the seed and the number do not decide")
	}
	if v := offered.Draw(Ranges{{"a", 6, 6}}, 1, 1); !slices.Equal(v, []float64{6, 0.7}) {
		t.Errorf("one value becomes %v", v)
	}
}

func TestOutside(t *testing.T) {
	r, _ := offered.Parse("a")
	for _, tc := range []struct {
		ranges          Ranges
		values          []float64
		outside, within string
	}{
		{nil, nil, "", ""}, {r, nil, "", ""}, {r, []float64{10, 0.7}, "", ""},
		{nil, []float64{6, 0.7}, "a = 6", "a = 4"},
		{r, []float64{12, 0.7}, "a = 12", "a 2…10"},
		{r, []float64{1, 0.2}, "a = 1, ε of A with B = 0.2", "a 2…10, ε of A with B = 0.7 kT"},
	} {
		if is, must := offered.Outside(tc.ranges, tc.values); is != tc.outside || must != tc.within {
			t.Errorf("%v of %v: %q, not within %q; want %q, %q", tc.values, tc.ranges, is, must, tc.outside, tc.within)
		}
	}
}

// TestFile writes parameters to an archive and reads them, and rejects invalid arrays.
func TestFile(t *testing.T) {
	var b bytes.Buffer
	archive := data.NewArchive(&b)
	of := [][]float64{{6, 0.7}, {2, 0.4}}
	for _, write := range []func() error{
		func() error { return archive.Array("trajectories", data.NewArray([]int{2, 3}, make([]float32, 6))) },
		func() error { return offered.Write(archive, [][]float64{nil, {4, 0.7}}) }, // all are defaults, so no array is written
		func() error { return offered.Write(archive, of) },
		archive.Close,
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	file := bytes.NewReader(b.Bytes())
	got, others, err := offered.read(file, file.Size(), []string{"a", "e12", "trajectories"}, 2)
	if err != nil || !reflect.DeepEqual(got, of) || !slices.Equal(others, []string{"trajectories"}) {
		t.Errorf("%v became %v, beside %v, %v", of, got, others, err)
	}
	write := func(arrays map[string]*data.Array) (*bytes.Reader, []string) {
		var b bytes.Buffer
		if err := data.WriteNPZ(&b, arrays); err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(b.Bytes()), slices.Sorted(maps.Keys(arrays))
	}
	file, names := write(map[string]*data.Array{"a": data.NewArray([]int{2}, []int64{3, 5})})
	if got, _, err := offered.read(file, file.Size(), names, 2); err != nil || !reflect.DeepEqual(got, [][]float64{{3, 0.7}, {5, 0.7}}) {
		t.Errorf("one parameter is read as %v, %v", got, err)
	}
	file, names = write(map[string]*data.Array{"a": data.NewArray([]int{2, 3}, make([]float64, 6))})
	if got, others, err := offered.read(file, file.Size(), names, 2); err != nil || got != nil || !slices.Contains(others, "a") {
		t.Errorf("an array that is no parameter: %v, %v, %v", got, others, err)
	}
	for says, a := range map[string]*data.Array{
		"3 numbers, and there are 2 trajectories": data.NewArray([]int{3}, []float64{3, 4, 5}),
		"trajectory 1 is 0; use numbers from 0.1": data.NewArray([]int{2}, []float64{3, 0}),
		"trajectory 0 is NaN":                     data.NewArray([]int{2}, []float64{math.NaN(), 0}),
	} {
		file, names := write(map[string]*data.Array{"a": a})
		if _, _, err := offered.read(file, file.Size(), names, 2); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}
