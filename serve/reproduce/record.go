package reproduce

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"macroscope/serve/input"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// record contains a result and everything that produced it. The result is a measurement of a model,
// or a figure. Records are kept longer than the data and models of a reproduction.
type record struct {
	Name     string          `json:"name"`
	Key      string          `json:"key"` // the key of the work, see Graph.Key
	Commands []string        `json:"commands"`
	Result   json.RawMessage `json:"result,omitempty"` // nil: the result is a file next to the records
	spent
}

// maxResults is the largest number of bytes in a file of results that is read.
const maxResults = 64 << 20

// readRecords reads a file of records, one per line. If the file is missing, there are no
// records.
func readRecords(path string) (records []record, err error) {
	b, err := input.Read(path, maxResults)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: line %d is not a record: %w", path, n, err)
		}
		records = append(records, r)
	}
	return records, lines.Err()
}

// Adopt takes results and figures from a folder to which Publish has written. It takes the result
// of every task with a record of the same work. These tasks are not run again. Tasks that only make
// inputs of these tasks are not run either.
func (g *Graph) Adopt(dir, from string) (taken int, err error) {
	records, err := readRecords(recordsIn(from))
	if err != nil {
		return 0, err
	}
	d := g.in(dir)
	if err := d.prepare(); err != nil {
		return 0, err
	}
	for _, r := range records {
		t := g.Find(r.Name)
		if t == nil || !t.Record || g.Key(t) != r.Key || d.done(t) {
			continue
		}
		content := append([]byte(r.Result), '\n')
		if r.Result == nil {
			if content, err = input.Read(filepath.Join(from, filepath.Base(t.Out[0])), maxResults); err != nil {
				continue // the figure is missing; its task will draw it again
			}
		}
		to := d.path(t.Out[0])
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return taken, err
		}
		if err := r.spent.write(d.spentPath(t)); err != nil {
			return taken, err
		}
		if err := replace(to, content); err != nil {
			return taken, err
		}
		taken++
	}
	return taken, nil
}

// keep adds the finished results to the records of a publication. A result replaces an older record
// with the same name and another key.
func (d folder) keep(to *publication) error {
	records, err := readRecords(recordsIn(to.dir))
	if err != nil {
		return err
	}
	at := make(map[string]int) // indices of the records by name
	for i, r := range records {
		at[r.Name] = i
	}
	for _, t := range d.Tasks {
		if !t.Record || !d.done(t) {
			continue
		}
		content, err := input.Read(d.path(t.Out[0]), maxResults)
		if err != nil {
			return err
		}
		if !t.Stdout {
			if err := to.put(filepath.Base(t.Out[0]), content); err != nil {
				return err
			}
		}
		i, ok := at[t.Name]
		if ok && records[i].Key == d.Key(t) {
			continue
		}
		r := record{Name: t.Name, Key: d.Key(t)}
		if s := readSpent(d.spentPath(t)); s != nil {
			r.spent = *s
		}
		if t.Stdout {
			if _, err := readResults(content); err != nil {
				return damaged(d.path(t.Out[0]), err)
			}
			r.Result = bytes.TrimSpace(content)
		}
		for _, n := range slices.Concat(d.Needs(t), []*Task{t}) {
			r.Commands = append(r.Commands, "macroscope "+strings.Join(n.Args, " "))
		}
		if ok {
			records[i] = r
		} else {
			records = append(records, r)
		}
	}
	slices.SortFunc(records, func(a, b record) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	for _, r := range records {
		line, err := json.Marshal(&r)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return replace(recordsIn(to.dir), b.Bytes())
}

// recordsIn returns the file of records in a folder to which Publish writes.
func recordsIn(folder string) string { return filepath.Join(folder, "records.jsonl") }
