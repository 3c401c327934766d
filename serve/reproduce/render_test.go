package reproduce

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"macroscope/model/learn/model"
)

// TestTimes checks that a factor near 1 is printed so that one can see whether it is above or
// below 1.
func TestTimes(t *testing.T) {
	for v, want := range map[float64]string{1.018: "1.02", 0.964: "0.964", 0.25: "0.25", 3.81: "3.8", 12.6: "13"} {
		if got := times(v); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}

// TestOrder compares methods with one another and with the paper's order.
func TestOrder(t *testing.T) {
	of := func(method string, published, mean, sd float64) standing {
		return standing{method, published, model.Spread{Trainings: 3, Mean: mean, SD: sd}}
	}
	a := of("A", 1, 10, 1)
	for _, tc := range []struct {
		others []standing
		want   string
	}{
		{[]standing{of("B", 2, 20, 1)}, "A is best."},
		{[]standing{of("B", 2, 11, 1)}, "A and B are best, equal within the spread of seeds. Ranked in the paper, equal here within the spread of seeds: A and B."},
		{[]standing{of("B", 2, 9, 1), of("C", 0, 11.4, 0.1)}, "B and A are best, equal within the spread of seeds. Ranked in the paper, equal here within the spread of seeds: A and B."},
		{[]standing{of("B", 2, 8, 1)}, "B is best. In the opposite order to the paper’s: B before A."},
		{[]standing{of("B", 1, 8, 1), of("C", 0, 20, 30)}, "B and C are best, equal within the spread of seeds."},
		{[]standing{of("B", 2, 30, 4), of("C", 3, 29, 4), of("D", 4, 5, 0)}, "D is best. Ranked in the paper, equal here within the spread of seeds: B and C. In the opposite order to the paper’s: D before A; D before C; D before B."},
	} {
		if got := orderOf(append([]standing{a}, tc.others...)); got != tc.want {
			t.Errorf("%v:\n%s\nwant\n%s", tc.others, got, tc.want)
		}
	}
}

// TestPublishedAgain publishes a page and tables from the records in the assets. They must equal
// the published page and tables in the assets. The page's pictures are not compared. A picture is
// missing from the new page if the records contain no picture of the same models.
func TestPublishedAgain(t *testing.T) {
	const assets = "../../assets/paper/laptop"
	size := Sizes()[slices.IndexFunc(Sizes(), func(s Size) bool { return s.Preset == "laptop" })]
	tables, err := Tables(systems, size, "-workers", "1")
	if err != nil {
		t.Fatal(err)
	}
	g := graph(t, Tasks(tables, nil)...)
	dir, to := t.TempDir(), t.TempDir()
	if err := os.CopyFS(to, os.DirFS(assets)); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Adopt(dir, to); err != nil {
		t.Fatal(err)
	}
	if err := g.Publish(tables, dir, to, "The paper’s tables and figures, preset laptop", "macroscope reproduce -preset laptop -seeds 3", func(line string) { t.Error(line) }); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(assets, "*.[cjm]*")) // .csv, .json, .jsonl and .md
	if len(files) < 10 {
		t.Fatalf("compares %q", files)
	}
	picture := regexp.MustCompile(`!\[.*\n\n`)
	for _, path := range files {
		got, want := read(t, filepath.Join(to, filepath.Base(path))), read(t, path)
		if picture.ReplaceAllString(got+"\n", "") != picture.ReplaceAllString(want+"\n", "") {
			t.Errorf("%s is published with other content:\n%.2000s", path, got)
		}
	}
}
