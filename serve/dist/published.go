package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/method"
)

// publishedFolder is the folder with the tables and figures that "macroscope reproduce" publishes.
const publishedFolder = "paper/laptop"

// paperPage is the page of the guide with the paper's tables. It has no Markdown file: paperText
// writes its text.
const paperPage = "paper"

// paperTables contains the tables of README.md in publishedFolder, by their names in "macroscope reproduce -only".
var paperTables = map[string]struct {
	lab   func() lab.Lab // the lab that a row opens
	says  string         // further words above the table
	drawn string         // what the figures show
}{
	"line":             {catalogue.Line, "Less is better.", "Target and learned densities of one set, by ε and ẑ dim"},
	"table 1":          {catalogue.Particles, "MRE is the mean relative error of squares. Less is better.", "Energies of three trajectories, and of one set in three orders, simulated and predicted"},
	"table 2":          {catalogue.Mixing, "MMD is the maximum mean discrepancy between predicted and simulated ratios. Less is better.", "Mixing ratios, simulated and predicted"},
	"sensitivity zdim": {catalogue.Particles, "The table asks how many closure variables are enough. The observable is the energy. Less is better.", "MRE against ẑ dim, with the paper’s values"},
	"sensitivity eps":  {catalogue.Particles, "The table asks how wide a kernel is best. The observable is the energy. Less is better.", "MRE against ε, with the paper’s values"},
	"polymer":          {catalogue.Polymer, "Chains unfold from three starts: fast, medium and slow. The paper has a figure without numbers, so errors of more than a quarter are bold and red. Nearest 0 is best.", "Extension of the chains of each test against time, simulated and predicted"},
	"polymer 300":      {catalogue.Polymer, "Of 20 starts, these are the three with the most frequent unfolding frames nearest the published ones. Errors of more than a quarter are bold and red. Nearest 0 is best.", "Extension of the chains of each test against time, simulated and predicted"},
}

// inputs says for figures of polymers what the model has seen of the chain. The keys are the names of
// files up to the first underscore.
var inputs = map[string]string{
	"polymer": "from labelled beads", "polymer-video": "from video", "polymer-video-150": "from video, with memory",
	"polymer-300": "from labelled beads", "polymer-video-300": "from video", "polymer-video-300-150": "from video, with memory",
}

var (
	tableOnly  = regexp.MustCompile("Made by `[^`]* -only \"([^\"]*)\"`")
	tableLines = regexp.MustCompile(`(?m)(?:^\|.*\n)+`)
	figureFile = regexp.MustCompile(`!\[[^\]]*\]\(([^)]*)\.png\)`)
	rowSetting = regexp.MustCompile(`^(ε|ẑ dim) (?:= )?(\S+)$`)
)

// comparison counts the figures that the paper has too, and lists those in which ours are worse.
type comparison struct {
	figures int
	worse   []string
}

// paperText writes the Markdown text of paperPage. It takes the sections of README.md in publishedFolder, and puts
// the paper's figures into columns next to ours.
func paperText(assets fs.FS) ([]byte, error) {
	readme, err := fs.ReadFile(assets, publishedFolder+"/README.md")
	if err != nil {
		return nil, err
	}
	var all comparison
	sections := strings.Split(string(readme), "\n## ")[1:]
	for i, section := range sections {
		made, lines := tableOnly.FindStringSubmatch(section), tableLines.FindStringIndex(section)
		if made == nil || lines == nil || paperTables[made[1]].lab == nil {
			return nil, fmt.Errorf("the section %.40q of the published README.md has no table of paperTables", section)
		}
		table, file := paperTables[made[1]], publishedFolder+"/"+strings.ReplaceAll(made[1], " ", "-")+".csv"
		source, err := fs.ReadFile(assets, file)
		if err != nil {
			return nil, err
		}
		records, err := csv.NewReader(bytes.NewReader(source)).ReadAll()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		title, _, _ := strings.Cut(section, "\n")
		section = fmt.Sprintf("%s %s [All numbers](../%s).\n\n%s%s", strings.TrimSpace(section[:lines[0]]), table.says, file, all.table(title, section[lines[0]:lines[1]], records, table.lab()), section[lines[1]:])
		sections[i] = figureFile.ReplaceAllStringFunc(section, func(s string) string {
			name := figureFile.FindStringSubmatch(s)[1]
			of, variant, _ := strings.Cut(name, "__")
			first, _, _ := strings.Cut(of, "_")
			caption := table.drawn
			if variant = cmp.Or(strings.ReplaceAll(variant, "_", " "), inputs[first]); variant != "" {
				caption += " (" + variant + ")"
			}
			return fmt.Sprintf("![%s](../%s/%s.png)", caption, publishedFolder, name)
		})
	}
	worse := "none."
	if len(all.worse) > 0 {
		worse = fmt.Sprintf("%d:\n\n- %s", len(all.worse), strings.Join(all.worse, "\n- "))
	}
	return fmt.Appendf(nil, `# The paper’s tables and ours

Each table has our figures with preset laptop, the paper’s figures next to them, and the command that
computes ours. A dash means that the paper gives no figure. Open sets the lab to a row’s settings, with
the shipped model of the row’s method. If there is none, Open loads the lab’s default model.

Tests: in-dst starts like the training runs, diff-init starts differently, diff-N has another number of
particles.

Of %d figures that the paper has too, ours are worse in %s

## %s`, all.figures, worse, strings.Join(sections, "\n## ")), nil
}

// table returns a table of README.md with the paper's figures in columns of their own, and a link to the lab
// in each row. records are those of its CSV file.
func (c *comparison) table(title, text string, records [][]string, l lab.Lab) string {
	const published = " (published)"
	figures := map[[2]string]struct{ measure, paper, mean string }{} // by row and column
	beside := map[string]string{}                                    // the paper's column by ours
	for _, r := range slices.Backward(records[1:]) {                 // the first record of a cell is the mean; further measures follow
		figures[[2]string{r[0], r[1]}] = struct{ measure, paper, mean string }{r[2], r[3], r[4]}
		if r[2] != "" && r[3] != "" {
			beside[r[1]] = "paper, " + r[1]
		}
	}
	var head []string
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		if i == 0 {
			if head = cells; len(beside) == 0 {
				beside[head[len(head)-3]] = "paper" // after the last of our columns; the numbers and times of trainings follow
			}
		}
		row := cells[0]
		if strings.HasSuffix(row, published) {
			continue
		}
		if i > 1 {
			cells[0] += " [Open](" + localLab + rowLink(&l, row) + ")"
		}
		var line []string
		for k, cell := range cells {
			column := head[k]
			if strings.HasSuffix(column, published) {
				continue
			}
			of := figures[[2]string{row, column}]
			paper := cmp.Or(of.paper, figures[[2]string{row + published, column}].paper)
			mean, _ := strconv.ParseFloat(of.mean, 64)
			theirs, _ := strconv.ParseFloat(paper, 64)
			both := mean != 0 && theirs != 0
			if both {
				c.figures++
			}
			switch {
			case both && mean > theirs:
				c.worse = append(c.worse, fmt.Sprintf("%s: %s, %s: %s", title, row, column, cell))
				cell = "**" + cell + ", falls short**"
			case of.measure == "passage_share" && math.Abs(mean) > 0.25:
				cell = "**" + cell + "**"
			}
			line = append(line, cell)
			if name := beside[column]; name != "" {
				line = append(line, [...]string{name, "---", cmp.Or(paper, "–")}[min(i, 2)])
			}
		}
		fmt.Fprintf(&out, "| %s |\n", strings.Join(line, " | "))
	}
	return strings.NewReplacer("| ---", "| ---", "| -", "| −", "| **-", "| **−", "e-0", "e-", " %", "\u00a0%").Replace(out.String())
}

// rowLink returns the part after the lab's address that opens the settings in the name of a table's row. If the
// lab ships no model of the row's method, it names the lab's default method.
func rowLink(l *lab.Lab, row string) string {
	key, link := "method", "#lab="+l.Link()
	var shipped []string
	for _, m := range l.Methods() {
		shipped = append(shipped, m.Name)
	}
	if l.Link() == "polymer" {
		link += "&start=hairpin&beside=second"
	}
	if strings.HasSuffix(row, ", from video") {
		key, shipped = "film", nil
		for _, m := range catalogue.Filmed() {
			shipped = append(shipped, m.Method)
		}
	}
	var of method.Method // the longest title at the beginning of the name
	for _, m := range method.Methods() {
		if strings.HasPrefix(row+",", m.Title+",") && len(m.Title) > len(of.Title) {
			of = m
		}
	}
	if of.Name != "" {
		if !slices.Contains(shipped, of.Name) {
			of.Name = shipped[0]
		}
		link += "&" + key + "=" + of.Name
	}
	for part := range strings.SplitSeq(row, ", ") {
		m := rowSetting.FindStringSubmatch(part)
		switch {
		case part == "OnsagerNet":
			link += "&g=onsager"
		case part == "residual OnsagerNet":
			link += "&g=onsager-resnet"
		case m != nil && m[1] == "ε":
			link += "&eps=" + m[2]
		case m != nil:
			link += "&zdim=" + m[2]
		}
	}
	return link
}

var (
	sectionHead = regexp.MustCompile(`<h2 id="([^"]*)">(.*?)</h2>`)
	ownTable    = regexp.MustCompile(`(?s)(<h2 [^>]*>(.*?)</h2>.*?<table>)`)
	firstCell   = regexp.MustCompile(`<tr>\n<td>(.+)</td>`)
	ownPicture  = regexp.MustCompile(`<p>(<a href="[^"]*"><img [^>]*alt="([^"]*)"[^>]*></a>)</p>`)
)

// completePaper adds to the HTML of paperPage what Markdown has no form for: the list of contents, captions, heads
// of rows, and the list of all runs. It removes the published files that no page shows.
func (b bundle) completePaper(text template.HTML) (template.HTML, error) {
	var contents, runs strings.Builder
	for _, m := range sectionHead.FindAllStringSubmatch(string(text), -1) {
		fmt.Fprintf(&contents, "<li><a href=\"#%s\">%s</a></li>\n", m[1], m[2])
	}
	n := 0
	for line := range bytes.Lines(b[publishedFolder+"/records.jsonl"]) {
		var run struct {
			Name     string
			Commands []string
		}
		if err := json.Unmarshal(line, &run); err != nil {
			return "", fmt.Errorf("records.jsonl: %w", err)
		}
		n++
		fmt.Fprintf(&runs, "<li>%s", html.EscapeString(run.Name))
		for _, command := range run.Commands {
			fmt.Fprintf(&runs, " <code>%s</code>", html.EscapeString(command))
		}
		runs.WriteString("</li>\n")
	}
	for _, name := range b.names() {
		if ext := path.Ext(name); path.Dir(name) == publishedFolder && (ext == ".svg" || ext == ".json") {
			delete(b, name)
		}
	}
	body := ownTable.ReplaceAllString(string(text), "$1\n<caption>$2</caption>")
	body = firstCell.ReplaceAllString(body, "<tr>\n<th scope=\"row\">$1</th>")
	body = strings.ReplaceAll(body, "<strong>", `<strong class="short">`)
	body = ownPicture.ReplaceAllString(body, "<figure>$1<figcaption>$2</figcaption></figure>")
	body = strings.Replace(body, "<h2", "<ul aria-label=\"Contents\">\n"+contents.String()+"</ul>\n<h2", 1)
	return template.HTML(fmt.Sprintf("%s<details><summary>What was run: %d</summary>\n<p><a href=\"../%s/records.jsonl\">The results of each run</a></p>\n<ul>\n%s</ul>\n</details>\n", body, n, publishedFolder, runs.String())), nil
}
