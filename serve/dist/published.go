package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/method"
)

// publishedFolder is the folder with the tables and figures that "macroscope reproduce" publishes.
const publishedFolder = "paper/laptop"

// indexFile is the file in which the page finds the list of all published tables and figures. It
// contains a value of type published as JSON.
const indexFile = publishedFolder + "/index.json"

// published is the content of indexFile.
type published struct {
	// Methods maps the names of table rows to methods. A row of ours is named by the method's
	// title. A row of the paper has the name that the paper uses.
	Methods map[string]string `json:"methods"`
	// Rows contains the rows of the paper's tables, even of tables that have not been reproduced.
	// Each key is the name of a table, such as "table 1", as in "macroscope reproduce -only".
	Rows map[string][]row `json:"rows"`
	// Shipped lists each lab's methods with a model on the page. The default method is first. The
	// key "film" has the methods for the polymers' film.
	Shipped map[string][]string `json:"shipped"`
	// Order contains sentences for each table. The first sentence says when two methods count as
	// equal. The others say which methods are best, and which pairs are not in the paper's order.
	Order map[string][]string `json:"order"`
	// Figures contains the published figures, by table, with the same keys as Rows.
	Figures map[string][]drawing `json:"figures"`
}

// row is a table row from the paper. Its cells are the results for in-dst, diff-init and diff-N.
type row struct {
	Name  string    `json:"name"`
	Cells [3]string `json:"cells"`
}

// drawing is a figure in PNG format.
type drawing struct {
	File   string `json:"file"`
	Width  int    `json:"width"` // width in pixels
	Height int    `json:"height"`
}

var (
	tableOnly  = regexp.MustCompile("Made by `[^`]* -only \"([^\"]*)\"`")
	tableOrder = regexp.MustCompile(`\n(Order of the methods.*)\n\n((?:- .*\n)+)`)
	figureFile = regexp.MustCompile(`\]\(([^)]*\.png)\)`)
)

// addPublished writes indexFile from the files in publishedFolder. It removes the files that the
// page does not show: figures in SVG format, and the JSON files of sweeps. The page takes the
// results of sweeps from assets/sweeps.
func (b bundle) addPublished(assets fs.FS) error {
	index := published{Methods: map[string]string{}, Rows: map[string][]row{}, Shipped: map[string][]string{"film": methodsOf(catalogue.Filmed())}, Order: map[string][]string{}, Figures: map[string][]drawing{}}
	for table, system := range map[string]string{"table 1": "particles", "table 2": "mixing"} {
		for _, of := range method.PublishedRows(system) {
			index.Methods[of.Name] = of.Method
			index.Rows[table] = append(index.Rows[table], row{of.Name, of.Cells})
		}
	}
	for _, m := range method.Methods() {
		index.Methods[m.Title] = m.Name
	}
	for _, l := range catalogue.All() {
		for _, m := range l.Methods() {
			index.Shipped[l.Link()] = append(index.Shipped[l.Link()], m.Name)
		}
	}
	page, err := fs.ReadFile(assets, publishedFolder+"/README.md")
	if err != nil {
		return err
	}
	for _, section := range strings.Split(string(page), "\n## ") {
		table := tableOnly.FindStringSubmatch(section)
		if table == nil {
			continue
		}
		if m := tableOrder.FindStringSubmatch(section); m != nil {
			index.Order[table[1]] = append([]string{m[1]}, strings.Split(strings.TrimPrefix(strings.TrimSpace(m[2]), "- "), "\n- ")...)
		}
		for _, m := range figureFile.FindAllStringSubmatch(section, -1) {
			c, err := png.DecodeConfig(bytes.NewReader(b[publishedFolder+"/"+m[1]]))
			if err != nil {
				return fmt.Errorf("the published figure %s: %w", m[1], err)
			}
			index.Figures[table[1]] = append(index.Figures[table[1]], drawing{m[1], c.Width, c.Height})
		}
	}
	for _, name := range b.names() {
		if ext := path.Ext(name); path.Dir(name) == publishedFolder && (ext == ".svg" || ext == ".json") {
			delete(b, name)
		}
	}
	b[indexFile], err = json.Marshal(index)
	return err
}

// methodsOf returns the methods of models, without repetitions.
func methodsOf(models []lab.Model) (methods []string) {
	for _, m := range models {
		if !slices.Contains(methods, m.Method) {
			methods = append(methods, m.Method)
		}
	}
	return methods
}
