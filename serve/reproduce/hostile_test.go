package reproduce

import (
	"os"
	"strings"
	"testing"
)

// TestHostileRecords checks that a folder of records from an untrusted source gives an error or
// nothing, and never the result of a task.
func TestHostileRecords(t *testing.T) {
	task := &Task{Name: "a", Args: []string{"eval"}, Out: []string{"results/a.json"}, Stdout: true, Record: true}
	g, err := NewGraph([]*Task{task})
	if err != nil {
		t.Fatal(err)
	}
	key := g.Key(task)
	for name, text := range map[string]string{
		"no JSON": "{", "another type": "[1]\n", "a number for a name": `{"name":1}` + "\n", "deep": strings.Repeat("[", 100_000) + "\n", "long": `{"name":"` + strings.Repeat("x", 2<<20) + `"}` + "\n",
		"another key": `{"name":"a","key":"0","result":{}}` + "\n", "another task": `{"name":"../../b","key":"` + key + `","result":{}}` + "\n", "no file": `{"name":"a","key":"` + key + `"}` + "\n", "nothing": "\n",
	} {
		from, dir := t.TempDir(), t.TempDir()
		if err := os.WriteFile(recordsIn(from), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		taken, err := g.Adopt(dir, from)
		if taken != 0 || err != nil && (strings.ContainsRune(err.Error(), '\n') || len(err.Error()) > 300) {
			t.Errorf("%s: %d taken, %v", name, taken, err)
		}
		if _, err := os.Stat(g.in(dir).path(task.Out[0])); err == nil {
			t.Errorf("%s: a result was written", name)
		}
	}
}
