package reproduce

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"macroscope/serve/figure"
)

// Render writes a table from the results in the folder: Markdown to be read, a
// CSV with every figure, and a figure where there is one.
func (t *Table) Render(dir, command string) error {
	d := folder(dir)
	if err := os.MkdirAll(d.path("paper"), 0o755); err != nil {
		return err
	}
	records := [][]string{{"row", "column", "published", "mean", "sd", "trainings", "values"}}
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\n%s; mean ± standard deviation over trainings with other seeds.\n\n", t.Title, t.Measure)
	head := append([]string{""}, t.Columns...)
	head = append(head, "trainings", "seconds each")
	fmt.Fprintf(&text, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	series := make([]figure.Series, len(t.Columns))
	for i, name := range t.Columns {
		series[i].Name = name
	}
	for _, row := range t.Rows {
		cells := []string{row.Name}
		for i, c := range row.Cells {
			values, err := c.values(d)
			if err != nil {
				return err
			}
			shown, mean, sd := show(c.Text, values)
			cells = append(cells, shown)
			record := []string{row.Name, t.Columns[i], c.Text, "", "", fmt.Sprint(len(values)), ""}
			if len(values) > 0 {
				record[3], record[4] = fmt.Sprintf("%.6g", mean), fmt.Sprintf("%.6g", sd)
				var all []string
				for _, v := range values {
					all = append(all, fmt.Sprintf("%.9g", v))
				}
				record[6] = strings.Join(all, " ")
			} else if _, err := fmt.Sscan(c.Text, &mean); err != nil {
				records = append(records, record)
				continue
			}
			records = append(records, record)
			series[i].Add(row.At, mean, sd)
		}
		trainings, seconds := t.spent(d, row)
		cells = append(cells, trainings, seconds)
		fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintf(&text, "\nMade by `%s`", command)
	if commits := t.programs(d); len(commits) > 0 {
		fmt.Fprintf(&text, " with the program of %s", strings.Join(commits, ", "))
	}
	fmt.Fprintf(&text, ".\n")
	if err := os.WriteFile(d.path(t.file()+".md"), []byte(text.String()), 0o644); err != nil {
		return err
	}
	f, err := os.Create(d.path(t.file() + ".csv"))
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	w.WriteAll(records) // whose error Error returns
	if err := w.Error(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil || t.Over == "" {
		return err
	}
	for _, ending := range []string{".png", ".svg"} {
		if err := figure.Sweep(d.path(t.file()+ending), t.Over, t.Measure, series); err != nil {
			return err
		}
	}
	return nil
}

// show returns a cell as text, and the mean and the standard deviation of its
// values, 0 of one.
func show(text string, values []float64) (shown string, mean, sd float64) {
	switch len(values) {
	case 0:
		if text == "" {
			text = "n/a"
		}
		return text, 0, 0
	case 1:
		return fmt.Sprintf("%.2e", values[0]), values[0], 0
	}
	mean, sd = stat.MeanStdDev(values, nil)
	return fmt.Sprintf("%.2e ± %.0e", mean, sd), mean, sd
}

// values returns a cell's figure in each of its files; none where it is a text or
// where the model cannot be measured.
func (c *Cell) values(d folder) (values []float64, err error) {
	for _, name := range c.Files {
		b, err := os.ReadFile(d.path(name))
		if err != nil {
			return nil, err
		}
		var r struct {
			Tests []map[string]any `json:"tests"`
		}
		single := map[string]any{}
		if err := json.Unmarshal(b, &r); err == nil {
			err = json.Unmarshal(b, &single)
		}
		if err != nil {
			return nil, fmt.Errorf("%s is not what eval prints: %w", name, err)
		}
		of := single
		if c.Set != "" {
			of = nil
			for _, t := range r.Tests {
				if t["set"] == c.Set {
					of = t
				}
			}
		}
		if v, ok := of[c.Figure].(float64); ok {
			values = append(values, v)
		}
	}
	return values, nil
}

// spent returns how many trainings a row has and how long each took.
func (t *Table) spent(d folder, r Row) (trainings, seconds string) {
	total, n := 0.0, 0
	for _, task := range t.tasks {
		if slices.Contains(r.Train, task.Name) {
			if s := d.stamp(task); s != nil {
				total += s.Seconds
				n++
			}
		}
	}
	if n == 0 {
		return "", ""
	}
	return fmt.Sprint(n), time.Duration(total / float64(n) * float64(time.Second)).Round(time.Second).String()
}

// programs returns what made the results.
func (t *Table) programs(d folder) (names []string) {
	for _, task := range t.tasks {
		if s := d.stamp(task); s != nil && s.Program != "" && !slices.Contains(names, s.Program) {
			names = append(names, s.Program)
		}
	}
	return names
}

// Compare returns how many results two folders have in common, and the names of
// those that differ, whatever the time that they took.
func (g *Graph) Compare(a, b string) (same int, differ []string) {
	for _, t := range g.Tasks {
		for _, name := range t.Out {
			if t.Group == "tables" && !strings.HasSuffix(name, ".csv") {
				continue // which say how long it took
			}
			x, err1 := timeless(folder(a).path(name))
			y, err2 := timeless(folder(b).path(name))
			if err1 != nil || err2 != nil || x != y {
				differ = append(differ, name)
				continue
			}
			same++
		}
	}
	return same, differ
}

// timeless returns a file's content without the seconds that eval prints.
func timeless(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".json") {
		return string(b), err
	}
	var o map[string]any
	if err := json.Unmarshal(b, &o); err != nil {
		return "", err
	}
	delete(o, "seconds")
	b, err = json.Marshal(o)
	return string(b), err
}
