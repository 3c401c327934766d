package httpd

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"golang.org/x/sync/errgroup"
)

const indexName = "index.html"

// releaseName is the folder of the released programs. It lies in the lab's folder, but is no part
// of the lab.
const releaseName = "release"

// Limits of the folder that is kept in memory. They are far above the size of the lab, and
// exclude folders that are not the lab.
const (
	maxBytes = 512 << 20
	maxNames = 20_000
)

// file is a file of the bundle, with the forms in which it can be sent.
type file struct {
	forms       []form // sorted by size, the smallest first
	contentType string
	cache       string
}

// form is one encoding of a file.
type form struct {
	coding string // "br", "gzip" or "identity"
	etag   string // strong ETag; each form has its own
	body   []byte
}

// codings lists, for the suffix of a precompressed file, its content coding and how it is decompressed.
var codings = []struct {
	suffix, coding string
	open           func(io.Reader) (io.Reader, error)
}{
	{".br", "br", func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }},
	{".gz", "gzip", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
}

// dropStale removes the compressed forms that do not contain their file, because the file was replaced
// since, or the form is damaged.
func dropStale(raw map[string][]byte) {
	var stale []string
	var mu sync.Mutex
	var all errgroup.Group
	for name, body := range raw {
		for _, c := range codings {
			small, ok := raw[name+c.suffix]
			if !ok {
				continue
			}
			all.Go(func() error {
				r, err := c.open(bytes.NewReader(small))
				if err == nil {
					err = same(r, body)
				}
				if err != nil {
					mu.Lock()
					defer mu.Unlock()
					stale = append(stale, name+c.suffix)
				}
				return nil
			})
		}
	}
	all.Wait()
	for _, name := range stale {
		delete(raw, name)
	}
}

var errDiffers = errors.New("it has other content")

// same returns an error if a reader gives other bytes than body.
func same(r io.Reader, body []byte) error {
	part := make([]byte, 1<<16)
	for {
		n, err := r.Read(part)
		if !bytes.HasPrefix(body, part[:n]) {
			return errDiffers
		}
		body = body[n:]
		switch {
		case errors.Is(err, io.EOF) && len(body) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return errDiffers
		case err != nil:
			return err
		}
	}
}

// read reads the folder `root`. It omits links, dotfiles, released programs, and names that do not
// occur in URLs of the lab. os.Root prevents access to files outside of `root`, even if the folder
// changes during the reading.
func read(root string) (map[string]*file, error) {
	dir, err := os.OpenRoot(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w (there is no folder %q)", ErrNotBuilt, root)
	}
	if err != nil {
		return nil, fmt.Errorf("the folder %q cannot be served: %w", root, err)
	}
	defer dir.Close()

	if info, err := dir.Lstat(indexName); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w (%q holds no %s)", ErrNotBuilt, root, indexName)
	}
	raw := map[string][]byte{}
	fsys := dir.FS()
	names, room := 0, int64(maxBytes)
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		names++
		switch {
		case err != nil:
			return err
		case names > maxNames:
			return fmt.Errorf("it holds more than %d names; give the folder that make build writes, dist", maxNames)
		case name == ".":
			return nil
		case name == releaseName || !plainName(d.Name()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		raw[name], err = readUpTo(fsys, name, room)
		room -= int64(len(raw[name]))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the folder %q cannot be read: %w", root, err)
	}

	dropStale(raw)
	return filesOf(raw), nil
}

// filesOf joins the files of a lab with their compressed forms. The keys of `raw` are
// slash-separated names.
func filesOf(raw map[string][]byte) map[string]*file {
	files := map[string]*file{}
	for name, body := range raw {
		if compressedForm(raw, name) {
			continue
		}
		sum := sha256.Sum256(body)
		tag := hex.EncodeToString(sum[:12])
		f := &file{contentType: contentType(name), cache: cacheControl(name)}
		for _, c := range codings {
			if small, ok := raw[name+c.suffix]; ok && len(small) < len(body) {
				f.forms = append(f.forms, form{c.coding, `"` + tag + "-" + c.coding + `"`, small})
			}
		}
		f.forms = append(f.forms, form{"identity", `"` + tag + `"`, body})
		slices.SortStableFunc(f.forms, func(a, b form) int { return cmp.Compare(len(a.body), len(b.body)) })
		files[name] = f
	}
	return files
}

// readUpTo reads a file, or returns an error if it has more bytes than `room`.
func readUpTo(fsys fs.FS, name string, room int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tooMuch := fmt.Errorf("it holds more than %d MiB; give the folder that make build writes, dist", maxBytes>>20)
	if info, err := f.Stat(); err != nil || info.Size() > room {
		return nil, cmp.Or(err, tooMuch)
	}
	b, err := io.ReadAll(io.LimitReader(f, room+1)) // the file may have become longer
	if err == nil && int64(len(b)) > room {
		err = tooMuch
	}
	return b, err
}

// compressedForm reports whether the named file is a compressed form of another file in `raw`.
func compressedForm(raw map[string][]byte, name string) bool {
	for _, c := range codings {
		if base, ok := strings.CutSuffix(name, c.suffix); ok && raw[base] != nil {
			return true
		}
	}
	return false
}

// plainName reports whether a part of a path may be served. It rejects backslash and colon,
// which have a meaning in Windows paths, and names that are not UTF-8, which fs.FS cannot open.
func plainName(elem string) bool {
	if strings.HasPrefix(elem, ".") || !utf8.ValidString(elem) {
		return false
	}
	return !strings.ContainsFunc(elem, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '\\' || r == ':'
	})
}

// hashed matches names that contain a hash of the content, such as app.5e0d3c1b.wasm. Files
// with such names never change.
var hashed = regexp.MustCompile(`[.-][0-9a-f]{8,64}\.[a-z0-9]+$`)

// cacheControl lets browsers keep files with hashed names for ever. For other files a browser
// must ask the server each time, so files of two builds never mix. For an unchanged file the
// answer is an empty 304.
func cacheControl(name string) string {
	if hashed.MatchString(path.Base(name)) {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// contentType has its own table, because the tables of operating systems differ and may be
// wrong. Browsers compile wasm while loading only if its type is application/wasm.
func contentType(name string) string {
	if t, ok := contentTypes[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return "application/octet-stream"
}

var contentTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".csv":         "text/csv; charset=utf-8",
	".gif":         "image/gif",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".ipynb":       "application/x-ipynb+json",
	".jpeg":        "image/jpeg",
	".jpg":         "image/jpeg",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".map":         "application/json",
	".md":          "text/markdown; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".otf":         "font/otf",
	".png":         "image/png",
	".py":          "text/x-python; charset=utf-8",
	".svg":         "image/svg+xml",
	".ttf":         "font/ttf",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".webp":        "image/webp",
	".woff":        "font/woff",
	".woff2":       "font/woff2",
	".xml":         "application/xml",
}
