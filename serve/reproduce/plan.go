package reproduce

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"macroscope/model/learn/method"
	"macroscope/model/setting"
)

//go:embed tables.txt
var tablesText string

// plans returns the tables that tables.txt describes.
var plans = sync.OnceValues(func() ([]*plan, error) { return parsePlans(tablesText) })

// plan is the description of a table. tables.txt explains the settings.
type plan struct {
	name, title, measure, columns, published, sweep, beside, figure string
	line                                                            int // of the sweep in tables.txt
	rows                                                            []planRow
}

type planRow struct {
	line int // in tables.txt
	training
	zdim         float64 // ẑ dim of a tunable model, or 0
	name, figure string
	sizes        []string // sizes that have the row; empty for all
}

// training describes the trainings of a row: a system, a method, a preset, and changes of the preset.
type training struct {
	method.Spec
	changes []string // changes of the preset, as NAME=VALUE
}

// parseTraining reads SYSTEM/METHOD[@PRESET] and changes. builder.config reports the mistakes.
func parseTraining(text string) training {
	spec, changes, _ := strings.Cut(text, " ")
	return training{method.ParseSpec(spec), strings.Fields(changes)}
}

// at returns an error with the place of a line in tables.txt.
func at(line int, err error) error { return fmt.Errorf("tables.txt:%d: %w", line, err) }

// parsePlans reads descriptions of tables.
func parsePlans(text string) (plans []*plan, err error) {
	p := &plan{}
	for i, line := range strings.Split(text, "\n") {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		settings := setting.Table{
			{Name: "title", Value: &p.title}, {Name: "measure", Value: &p.measure},
			{Name: "columns", Value: &p.columns, Options: setting.Choices("passage")},
			{Name: "published", Value: &p.published, Options: setting.Choices("rows", "column")},
			{Name: "sweep", Value: &p.sweep}, {Name: "beside", Value: &p.beside}, {Name: "figure", Value: &p.figure},
		}
		switch f := settings.Find(key); {
		case key == "" || key[0] == '#':
		case key == "table":
			p = &plan{name: value}
			plans = append(plans, p)
		case f != nil && plans != nil:
			err = f.Set(value)
			p.line = i + 1
		case key == "row" && plans != nil:
			err = p.addRow(i+1, value)
		default:
			err = fmt.Errorf("the line begins with %s; give table, and then %s or row", setting.Quote(key), strings.Join(settings.Names(), ", "))
		}
		if err != nil {
			return nil, at(i+1, err)
		}
	}
	return plans, nil
}

// addRow reads TRAINING | NAME | FIGURE | SIZES.
func (p *plan) addRow(line int, text string) (err error) {
	parts := strings.Split(text, "|")
	for len(parts) < 4 {
		parts = append(parts, "")
	}
	if len(parts) > 4 {
		return fmt.Errorf("the row has %d parts; give at most 4, with | between", len(parts))
	}
	r := planRow{line: line, training: parseTraining(strings.TrimSpace(parts[0])), name: strings.TrimSpace(parts[1]), figure: strings.TrimSpace(parts[2]), sizes: strings.Fields(parts[3])}
	if i := len(r.changes) - 1; i >= 0 && strings.HasPrefix(r.changes[i], "at=") {
		if r.zdim, err = strconv.ParseFloat(r.changes[i][len("at="):], 64); err != nil {
			return fmt.Errorf("%s has no ẑ dim; give at=NUMBER", setting.Quote(r.changes[i]))
		}
		r.changes = r.changes[:i]
	}
	for _, size := range r.sizes {
		if !slices.Contains(sizeNames(), size) {
			return fmt.Errorf("there is no size %s; give some of %s", setting.Quote(size), strings.Join(sizeNames(), ", "))
		}
	}
	p.rows = append(p.rows, r)
	return nil
}

// in returns the rows that the table has in a size. A sweep can have another preset than all sizes; it
// has the rows of the size laptop.
func (p *plan) in(s Size) (of []planRow) {
	name := s.Preset
	if !slices.Contains(sizeNames(), name) {
		name = "laptop"
	}
	for _, r := range p.rows {
		if len(r.sizes) == 0 || slices.Contains(r.sizes, name) {
			of = append(of, r)
		}
	}
	return of
}
