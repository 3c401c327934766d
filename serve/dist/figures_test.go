package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// recorded contains the published records of one table. Each key names the row, the column and the
// measure, such as "AE-Aug/in-dst/mre".
type recorded map[string]record

type record struct {
	mean, sd  float64
	values    []float64 // one value per training, by seed
	published string
}

// readRows returns the rows below the heading of a CSV file in the assets.
func readRows(t *testing.T, file string) [][]string {
	t.Helper()
	f, err := os.Open("../../assets/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

func readRecords(t *testing.T, table string) recorded {
	t.Helper()
	all := make(recorded)
	for _, l := range readRows(t, publishedFolder+"/"+table+".csv") {
		r := record{published: l[3]}
		r.mean, _ = strconv.ParseFloat(l[4], 64)
		r.sd, _ = strconv.ParseFloat(l[5], 64)
		for v := range strings.FieldsSeq(l[7]) {
			x, _ := strconv.ParseFloat(v, 64)
			r.values = append(r.values, x)
		}
		all[l[0]+"/"+l[1]+"/"+l[2]] = r
	}
	return all
}

// printed matches a number in a table, with a true minus sign or a hyphen.
var printed = regexp.MustCompile(`[−+-]?\d+(?:\.\d+)?(?:e-?\d+)?`)

// agrees reports whether a number in a table is v, rounded to the number's digits.
func agrees(text string, v float64) bool {
	text = strings.NewReplacer("−", "-", "+", "").Replace(text)
	got, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.Atoi(exponent)
	unit := math.Pow(10, float64(power-len(decimals)))
	return math.Abs(got-v) <= 0.5001*unit
}

// tableRow is a row of a Markdown table, together with the last heading above the table.
type tableRow struct {
	heading string
	cells   []string
}

func tableRows(t *testing.T, page string) (rows []tableRow) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	heading := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "**", ""))
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading, _, _ = strings.Cut(h, ":")
		}
		if strings.HasPrefix(line, "|") {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, tableRow{heading, cells})
		}
	}
	return rows
}

// TestFigures compares the measured numbers in the guide and the README with recorded numbers,
// rounded to the printed digits. Rows of methods that "macroscope reproduce" trains are compared
// with its published records. All other numbers are compared with assets/guide/measured.csv, which
// also has the command or the settings that gave each number.
func TestFigures(t *testing.T) {
	compared := make(map[string]bool) // table rows that have been compared with published records, as "page: row"
	line, first, second := readRecords(t, "line"), readRecords(t, "table-1"), readRecords(t, "table-2")
	dims, short := readRecords(t, "sensitivity-zdim"), readRecords(t, "polymer")
	checked := 0
	// check compares the numbers of a cell with recorded numbers, in their order.
	check := func(page, row, cell string, want ...float64) {
		t.Helper()
		compared[page+": "+row] = true
		numbers := printed.FindAllString(cell, -1)
		if len(numbers) != len(want) {
			t.Errorf("%s, %s: %q has %d numbers, want %v", page, row, cell, len(numbers), want)
			return
		}
		for i, n := range numbers {
			if checked++; !agrees(n, want[i]) {
				t.Errorf("%s, %s: %q says %s, and the record %.6g", page, row, cell, n, want[i])
			}
		}
	}
	spread := func(page, row, cell string, r recorded, key string) {
		t.Helper()
		v, ok := r[key]
		if cell != "n/a" || ok {
			check(page, row, cell, v.mean, v.sd)
		}
	}

	methods := map[string]string{ // method and measure in the records, by the name of the row in the guide
		"Macroscope, AE-Aug": "AE-Aug/mre", "Macroscope, AE-InvE": "AE-InvE/mre", "Macroscope, AE-InvE-CD": "AE-InvE-CD/mre", "Macroscope, InvE": "InvE/mre",
		"Macroscope, laptop (5 min), mean": "deep set and flow/mre", "Macroscope, laptop, median": "deep set and flow/median", "Macroscope, laptop, maximum": "deep set and flow/max",
		"Macroscope, laptop, OnsagerNet, mean": "deep set and flow, OnsagerNet/mre", "Macroscope, laptop, OnsagerNet, median": "deep set and flow, OnsagerNet/median",
		"Macroscope, laptop, residual OnsagerNet, mean": "deep set and flow, residual OnsagerNet/mre",
		"Macroscope, laptop, Set Transformer, mean":     "Set Transformer and flow/mre", "Macroscope, laptop, flow matching, mean": "flow matching/mre",
		"Macroscope, wide (1 to 4 clusters), mean": "deep set and flow, trained on 1 to 4 clusters/mre", "Macroscope, wide (1 to 4 clusters), median": "deep set and flow, trained on 1 to 4 clusters/median",
	}
	mixing := map[string]string{
		"deep set and flow": "deep set and flow", "the same, with the share": "deep set and flow, with the share of species 1 as a variable",
		"deep set and flow, OnsagerNet": "deep set and flow, OnsagerNet", "deep set and flow, residual OnsagerNet": "deep set and flow, residual OnsagerNet",
		"Set Transformer and flow": "Set Transformer and flow", "flow matching": "flow matching",
		"AE-Aug": "AE-Aug", "AE-InvE": "AE-InvE", "AE-InvE-CD": "AE-InvE-CD", "InvE": "InvE",
	}
	chains := map[string]string{
		"labelled beads, deep set and flow": "deep set and flow, from labelled beads", "labelled beads, AE-InvE-CD": "AE-InvE-CD, from labelled beads",
		"labelled beads, AE-Aug":          "AE-Aug, from labelled beads",
		"labelled beads, CNN of pictures": "CNN, from labelled beads", "labelled beads, ViT of pictures": "ViT, from labelled beads",
		"pixels of the film, deep set and flow": "deep set and flow, from video", "the film, AE-InvE-CD": "AE-InvE-CD, from video",
		"the film, CNN": "CNN, from video", "the film, ViT": "ViT, from video", "the film with memory, from frame 150": "deep set and flow with memory, from video", "with memory": "deep set and flow with memory, from video",
	}
	tests, speeds := []string{"in-dst", "diff-init", "diff-N"}, []string{"fast", "medium", "slow"}
	coverage, chain := false, ""
	of, next := short, short
	const guide, readme = "results.md", "README.md"
	for _, row := range tableRows(t, "../../assets/guide/results.md") {
		name, cells := row.cells[0], row.cells[1:]
		switch row.heading {
		case "line":
			if strings.HasPrefix(name, "ε = ") {
				for i, dim := range []string{"1", "2", "4", "8"} {
					spread(guide, name, cells[i], line, name+", ẑ dim = "+dim+"/KL/kl")
				}
			}
		case "particles":
			method, figure, _ := strings.Cut(methods[name], "/")
			for i, test := range tests {
				if figure != "" {
					spread(guide, name, cells[i], first, method+"/"+test+"/"+figure)
				}
				if v, ok := first[name+" (published)/"+test+"/"]; ok && len(cells) == 3 && (strings.HasPrefix(name, "paper") || !strings.Contains(cells[0], ",")) {
					if compared[guide+": "+name] = true; cells[i] != v.published {
						t.Errorf("%s, %s: %s, and the paper has %s", guide, name, cells[i], v.published)
					}
				}
				if kind, ok := strings.CutPrefix(name, "Macroscope, browser"); ok {
					_, kind, _ = strings.Cut(kind, ", ")
					spread(guide, name, cells[i], dims, "ẑ dim = 8/"+test+"/"+map[string]string{"mean": "mre", "median": "median", "maximum": "max"}[kind])
				}
			}
		case "mixing":
			if len(cells) == 3 && strings.HasPrefix(name, "coverage of") {
				coverage = true
			}
			method, ok := mixing[name]
			if !ok || len(cells) < 3 {
				continue
			}
			for i, test := range tests {
				spread(guide, name, cells[i], second, method+"/"+test+"/"+map[bool]string{false: "mmd", true: "coverage"}[coverage])
			}
		case "polymer":
			if strings.HasPrefix(name, "mean unfolding") {
				of, next = next, readRecords(t, "polymer-300")
			}
			called, seed, one := strings.Cut(strings.TrimSuffix(name, ", three seeds"), ", seed ")
			if called != "the same" {
				chain = chains[called]
			}
			if chain == "" || len(cells) != 4 || called == "the same" && !one {
				continue
			}
			at := func(figure string) []float64 {
				r := of[chain+figure]
				switch k, err := strconv.Atoi(seed); {
				case err == nil:
					return []float64{r.values[k-1]}
				case len(r.values) == 1 || !strings.Contains(figure, "share"):
					return []float64{r.mean}
				}
				return []float64{r.mean, r.sd}
			}
			for i, speed := range speeds {
				want := at("/" + speed + ", error/passage_share")
				for k := range want {
					want[k] *= 100
				}
				check(guide, name, cells[i], append(want, at("/"+speed+", KS/ks")...)...)
			}
			check(guide, name, cells[3], at("/slow, error/mmd")...)
		}
	}

	const tuning = "tuning.md"
	for _, row := range tableRows(t, "../../assets/guide/"+tuning) {
		of, ok := map[string]string{"separate, mean": "in-dst", "one model, mean": "in-dst, one model for all rows"}[row.cells[0]]
		for i, cell := range row.cells[1:] {
			if ok {
				check(tuning, row.cells[0], cell, dims["ẑ dim = "+strconv.Itoa(i+1)+"/"+of+"/mre"].mean)
			}
		}
	}

	for _, row := range tableRows(t, "../../README.md") {
		name, cells := row.cells[0], row.cells[1:]
		switch {
		case strings.HasPrefix(name, "line, "):
			check(readme, name, strings.TrimSuffix(cells[0], " nats"), line["ε = 0.1, ẑ dim = 8/KL/kl"].mean)
		case strings.HasPrefix(name, "particles: MRE"):
			test := "in-dst"
			for _, other := range tests {
				if strings.HasSuffix(name, other) {
					test = other
				}
			}
			spread(readme, name, cells[0], first, "deep set and flow/"+test+"/mre")
			if p := first["paper, DeepSet (published)/"+test+"/"]; cells[1] != p.published {
				t.Errorf("%s: the paper has %s, not %s", name, p.published, cells[1])
			}
		case strings.HasPrefix(name, "mixing: MMD of the ratios"):
			check(readme, name, cells[0], second["deep set and flow/in-dst/mmd"].mean)
		case strings.HasPrefix(name, "mixing: MMD, diff-init"):
			check(readme, name, cells[0], second["deep set and flow/diff-init/mmd"].mean, second["deep set and flow/diff-N/mmd"].mean)
		case strings.HasPrefix(name, "polymers"):
			var want []float64
			for _, speed := range speeds {
				r := short["deep set and flow, from labelled beads/"+speed+", error/passage_share"]
				want = append(want, 100*r.mean, 100*r.sd)
			}
			check(readme, name, cells[0], want...)
		}
	}
	if checked < 250 {
		t.Errorf("compared %d figures, want more: have rows been renamed?", checked)
	}
	t.Logf("%d figures", checked)
	checkMeasured(t, compared)
}

// figure matches a measured number in a text: a power of ten, decimals, a percentage, or an
// error.
var figure = regexp.MustCompile(`± \d+(?:\.\d+)?(?:e-?\d+)?|[−+-]?\d+(?:\.\d+)?e-?\d+|[−+-]?\d+\.\d+|[−+-]?\d+ (?:±|%)`)

// The regular expression `setting` matches parts of a text with numbers that are not measured. Such
// parts are code, link targets, chosen values, section numbers and version numbers.
var setting = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|(?:ε|ẑ dim|\\b[abT]|rate|seed|[Ss]ections?|arXiv)(?: of| at| is| =)? ?[0-9.]+(?:e-?\\d+)?(?:(?:…| to | and |, )[0-9.]+)*|\\b[0-9.]+…[0-9.]+|\\(4\\.\\d|\\| 4\\.\\d|\\(1\\.27\\.4")

// passage is a row of a table or a paragraph of a page, with its figures.
type passage struct{ page, at, figures string }

// passages lists the passages of a page that contain figures, without the table rows in `skip`. The
// field `at` of a passage is the heading of its section, followed by a row's first cell or a
// paragraph's first words.
func passages(t *testing.T, page string, skip map[string]bool) (list []passage) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	name, heading := filepath.Base(page), ""
	add := func(at, words string) {
		found := figure.FindAllString(setting.ReplaceAllString(strings.ReplaceAll(words, "\n", " "), " "), -1)
		if len(found) == 0 {
			return
		}
		for i := range found {
			found[i] = strings.Trim(found[i], " ±%")
		}
		list = append(list, passage{name, heading + ": " + at, strings.Join(found, " ")})
	}
	for block := range strings.SplitSeq(strings.ReplaceAll(string(text), "**", ""), "\n\n") {
		block = strings.TrimPrefix(block, "\n")
		switch {
		case strings.HasPrefix(block, "#"):
			heading, _, _ = strings.Cut(strings.TrimSpace(strings.TrimLeft(block, "#")), ":")
		case strings.HasPrefix(block, "    "), strings.HasPrefix(block, "!["):
		case strings.HasPrefix(block, "|"):
			for row := range strings.Lines(block) {
				first, rest, _ := strings.Cut(strings.Trim(row, "| \n"), "|")
				if first = strings.TrimSpace(first); !skip[name+": "+first] {
					add(first, rest)
				}
			}
		default:
			words := strings.Fields(block)
			add(strings.Join(words[:min(5, len(words))], " "), block)
		}
	}
	return list
}

// checkMeasured checks that measured.csv has the figures of every passage that is not in
// `compared`, and of no other passage.
func checkMeasured(t *testing.T, compared map[string]bool) {
	t.Helper()
	left := make(map[passage]int)
	for _, r := range readRows(t, "guide/measured.csv") {
		if left[passage{r[0], r[1], r[2]}]++; r[3] == "" {
			t.Errorf("measured.csv: %s, %s: no command", r[0], r[1])
		}
	}
	for _, page := range append([]string{"../../README.md"}, guideFiles(t)...) {
		for _, p := range passages(t, page, compared) {
			if left[p]--; left[p] < 0 {
				t.Errorf("measured.csv has no record of\n%s,%q,%s,", p.page, p.at, p.figures)
			}
		}
	}
	for p, n := range left {
		if n > 0 {
			t.Errorf("measured.csv has a record that no page has:\n%s,%q,%s,", p.page, p.at, p.figures)
		}
	}
}
