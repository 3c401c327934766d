package reproduce

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"macroscope/serve/input"
	"macroscope/serve/output"
)

// publication is a folder to which Publish writes. The folder can have files of other origin, and files
// that were edited since. They are kept under another name.
type publication struct {
	dir     string
	digests map[string]string // SHA-256 of each file that Publish has written, by its name
	say     func(string)
}

func (p *publication) list() string { return filepath.Join(p.dir, "published.json") }

func openPublication(dir string, say func(string)) (*publication, error) {
	p := &publication{dir, make(map[string]string), say}
	b, err := input.Read(p.list(), maxResults)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &p.digests)
	}
	if err != nil {
		return nil, fmt.Errorf("%s does not list what was published: %w; delete it, and files that differ are kept as .bak", p.list(), err)
	}
	return p, nil
}

// put writes a file. Another program may be writing it at the same moment, because several share the work.
func (p *publication) put(name string, b []byte) error {
	path := filepath.Join(p.dir, name)
	f, err := output.New("-publish", path)
	for range 100 {
		if !errors.Is(err, output.ErrLocked) {
			break
		}
		time.Sleep(100 * time.Millisecond)
		f, err = output.New("-publish", path)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	f.Say = p.say
	if before, err := input.Read(path, maxResults); err == nil && p.digests[name] == digest(before) {
		f.GoesOnFrom(path)
	}
	p.digests[name] = digest(b)
	return f.Write(content(b))
}

// close writes down what was published.
func (p *publication) close() error {
	b, err := json.MarshalIndent(p.digests, "", " ")
	if err != nil {
		return err
	}
	return replace(p.list(), append(b, '\n'))
}

func digest(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }
