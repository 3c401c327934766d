package main

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session/doc"
)

// TestPaperPage checks the guide's page with the paper's tables. The page must have every published table with all
// of our rows and all of the paper's figures, every published picture, and links that the labs understand.
func TestPaperPage(t *testing.T) {
	assets := filepath.Join("..", "..", "assets")
	b, err := collect(assets)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.addGuide(os.DirFS(assets)); err != nil {
		t.Fatal(err)
	}
	page := strings.NewReplacer("<span>", "", "</span>", "", "\u00a0", " ").Replace(string(b["guide/paper.html"]))
	contents, _, _ := strings.Cut(page, "<h2")
	row := regexp.MustCompile(`<tr>\n<th scope="row">(.*) <a href="\.\./index\.html#([^"]*)">Open</a></th>\n((?:<td>.*</td>\n)+)</tr>`)
	head := regexp.MustCompile(`(?s)<caption>(.*)</caption>\n<thead>\n<tr>\n<td></td>\n((?:<th scope="col">[^<]*</th>\n)+)</tr>`)
	sections, tables := strings.Split(page, "<h2 ")[1:], 0
	for name := range b {
		if path.Dir(name) != publishedFolder {
			continue
		}
		switch path.Ext(name) {
		case ".png":
			if !regexp.MustCompile(`<figure><a href="\.\./` + name + `"><img src="\.\./` + name + `" alt="[^"]{20,}" width="\d{3,}" height="\d{3,}" loading="lazy"></a><figcaption>[^<]{20,}</figcaption></figure>`).MatchString(page) {
				t.Errorf("the page does not show %s with a caption", name)
			}
		case ".csv":
			tables++
			i := slices.IndexFunc(sections, func(s string) bool { return strings.Contains(s, `<a href="../`+name+`">`) })
			if i < 0 {
				t.Errorf("no section of the page has %s", name)
				continue
			}
			title := head.FindStringSubmatch(sections[i])
			if title == nil || !strings.Contains(sections[i], ">"+title[1]+"</h2>") || !strings.Contains(contents, `">`+title[1]+"</a></li>") {
				t.Errorf("%s: its table has no heads, or another caption than its section and the contents: %q", name, title)
				continue
			}
			columns := strings.Split(strings.NewReplacer(`<th scope="col">`, "", "</th>", "").Replace(title[2]), "\n")
			got := map[string][]string{}
			for _, m := range row.FindAllStringSubmatch(sections[i], -1) {
				got[m[1]] = strings.Split(strings.NewReplacer("<td>", "", "</td>", "", `<strong class="short">`, "", "</strong>", "").Replace(m[3]), "\n")
			}
			checkPaperTable(t, name, columns, got)
		case ".svg", ".json":
			t.Errorf("%s comes along, which no page shows", name)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(assets, publishedFolder, "*.csv")); tables != len(files) || tables == 0 || tables != len(sections) {
		t.Errorf("%d files with tables, %d of them in the bundle, %d sections", len(files), tables, len(sections))
	}
	labs := map[string]lab.Lab{}
	for _, l := range catalogue.All() {
		labs[l.Link()] = l
	}
	links := row.FindAllStringSubmatch(page, -1)
	for _, m := range links {
		fragment := html.UnescapeString(m[2])
		query, err := url.ParseQuery(fragment)
		l, ok := labs[query.Get("lab")]
		if err != nil || !ok {
			t.Errorf("%s opens no lab: %s", m[1], fragment)
		} else if _, err := doc.Read(&l, fragment); err != nil {
			t.Errorf("%s: %s: %v", m[1], fragment, err)
		}
	}
	if n := strings.Count(page, "<tr>") - strings.Count(page, "<thead>"); len(links) != n || n < 60 {
		t.Errorf("%d of %d rows have a head and a link", len(links), n)
	}
	if runs := bytes.Count(b[publishedFolder+"/records.jsonl"], []byte("\n")); !strings.Contains(page, fmt.Sprintf("What was run: %d<", runs)) || strings.Count(page, "<code>macroscope train ") < runs {
		t.Errorf("the page does not list %d runs", runs)
	}
	for _, says := range []string{"in-dst: “Set Transformer and flow” is best.", "“deep set and flow” and “AE-InvE”;", "equal within the spread of seeds if"} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}

// checkPaperTable compares a table of the page with its CSV file. got contains the cells of each row without its
// head.
func checkPaperTable(t *testing.T, name string, columns []string, got map[string][]string) {
	t.Helper()
	if !slices.ContainsFunc(columns, func(c string) bool { return strings.HasPrefix(c, "paper") }) {
		t.Errorf("%s: the columns %q are without the paper", name, columns)
	}
	rows, seen, figures := map[string]bool{}, map[string]bool{}, ""
	for row, cells := range got {
		if figures += "|" + strings.Join(cells, "|"); len(cells) != len(columns) {
			t.Errorf("%s, %s: %d cells, want %d", name, row, len(cells), len(columns))
		}
	}
	for _, r := range readRows(t, name) {
		row, inRow := strings.CutSuffix(strings.ReplaceAll(r[0], "e-0", "e-"), " (published)")
		column, inColumn := strings.CutSuffix(r[1], " (published)")
		cell := func(column string) string {
			if k := slices.Index(columns, column); k >= 0 && k < len(got[row]) {
				return got[row][k]
			}
			return ""
		}
		if r[3] != "" && (!strings.Contains(figures, "|"+r[3]+"|") || got[row] != nil && cell("paper, "+column) != r[3]) {
			t.Errorf("%s: %s, %s: the page has %q for the paper, want %s", name, r[0], r[1], cell("paper, "+column), r[3])
		}
		if inRow || inColumn || seen[row+"/"+column] {
			continue
		}
		rows[row], seen[row+"/"+column] = true, true
		mean, err := strconv.ParseFloat(r[4], 64)
		if r[2] == "passage_share" {
			mean *= 100
		}
		if ours := cell(column); err != nil && ours != "n/a" || err == nil && !agrees(printed.FindString(ours), mean) {
			t.Errorf("%s: %s, %s: the page has %q, want %s", name, row, column, ours, r[4])
		}
	}
	if len(got) != len(rows) {
		t.Errorf("%s: the page has %d rows, want %d", name, len(got), len(rows))
	}
}

// TestPaperTable checks a table with a figure that is worse than the paper's.
func TestPaperTable(t *testing.T) {
	records := [][]string{
		{"row", "column", "figure", "published", "mean", "sd"},
		{"AE-Aug (published)", "in-dst", "", "1.25e-3", "", ""},
		{"AE-Aug", "in-dst", "mre", "1.25e-3", "2.5e-3", "0"},
		{"AE-Aug", "in-dst", "max", "", "1", "0"},
		{"flow matching", "in-dst", "mre", "", "1e-5", "0"},
	}
	var c comparison
	got := c.table("T", "|  | in-dst | trainings | core seconds each |\n|---|---|---|---|\n| AE-Aug (published) | 1.25e-3 |  |  |\n| AE-Aug | 2.50e-03 (× 2) | 1 | 9 |\n| flow matching | 1.00e-05 | 1 | 9 |\n", records, catalogue.Particles())
	want := "|  | in-dst | paper, in-dst | trainings | core seconds each |\n| --- | --- | --- | --- | --- |\n" +
		"| AE-Aug [Open](http://localhost:8080/#lab=particles&method=ae-aug) | **2.50e-3 (× 2), falls short** | 1.25e-3 | 1 | 9 |\n" +
		"| flow matching [Open](http://localhost:8080/#lab=particles&method=flow-matching) | 1.00e-5 | – | 1 | 9 |\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if c.figures != 1 || len(c.worse) != 1 || !strings.HasPrefix(c.worse[0], "T: AE-Aug, in-dst: 2.50e-03") {
		t.Errorf("counted %d figures, worse %q", c.figures, c.worse)
	}
}

// TestRowLink checks the settings that links of table rows contain.
func TestRowLink(t *testing.T) {
	line, particles, polymer := catalogue.Line(), catalogue.Particles(), catalogue.Polymer()
	for row, tc := range map[string]struct {
		lab  *lab.Lab
		want string
	}{
		"ε = 0.03, ẑ dim = 4":                                                      {&line, "#lab=demo&eps=0.03&zdim=4"},
		"Set Transformer and flow, ε = 0.1, ẑ dim = 8":                             {&line, "#lab=demo&method=flow-st&eps=0.1&zdim=8"},
		"deep set and flow, residual OnsagerNet":                                   {&particles, "#lab=particles&method=flow&g=onsager-resnet"},
		"deep set and flow, for every ε and ẑ dim, ẑ dim 2":                        {&particles, "#lab=particles&method=flow-tunable&zdim=2"},
		"deep set and flow with memory, from video":                                {&polymer, "#lab=polymer&start=hairpin&beside=second&film=flow-memory"},
		"AE-InvE-CD, from labelled beads":                                          {&polymer, "#lab=polymer&start=hairpin&beside=second&method=flow"},
		"AE-InvE-CD, from video":                                                   {&polymer, "#lab=polymer&start=hairpin&beside=second&film=flow"},
		"deep set and flow, trained on 1 to 4 clusters":                            {&particles, "#lab=particles&method=flow"},
		"deep set and flow, with the share of species 1 as a variable, OnsagerNet": {&particles, "#lab=particles&method=flow&g=onsager"},
	} {
		if got := rowLink(tc.lab, row); got != tc.want {
			t.Errorf("%s: got %s, want %s", row, got, tc.want)
		}
	}
}
