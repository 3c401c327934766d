package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"html"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"macroscope/model/lab/session"
)

// bundle is the content of the page's files, by slash-separated name.
type bundle map[string][]byte

// names returns the names of the files in alphabetical order.
func (b bundle) names() []string { return slices.Sorted(maps.Keys(b)) }

// collect reads the folder of assets, without files that are for developers only.
func collect(assets string) (bundle, error) {
	b := bundle{}
	fsys := os.DirFS(assets)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && !shipped(d.Name()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.Type().IsRegular():
			b[name], err = fs.ReadFile(fsys, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the assets cannot be read: %w", err)
	}
	return b, nil
}

// shipped reports whether a file or folder of the assets is part of the page.
func shipped(elem string) bool {
	if strings.HasPrefix(elem, ".") || strings.HasPrefix(elem, "test_") || elem == "__pycache__" || elem == "testdata" || elem == "figures" || elem == "texts" {
		return false
	}
	ext := path.Ext(elem)
	return ext != ".go" && ext != ".md"
}

const (
	pageFile      = "index.html"
	serviceWorker = "sw.js"
	versionLine   = `const VERSION = "dev";`
	filesLine     = `const FILES = {};`
)

// sizeMark in the page is replaced by the sizes of the programs. The progress bar needs them,
// because a compressing host does not send them. sumMark is replaced by their CRC-32. modelMark is replaced by the first model of
// each lab, and bundleMark by the bundle's version, which the page compares with that of the offline copy.
const (
	bundleMark = `data-version=""`
	sizeMark   = `data-sizes="{}"`
	sumMark    = `data-sums="{}"`
	modelMark  = `data-models="{}"`
)

// announce writes the bundle's version into the page, and maps: the sizes of the programs, their sums, and the first
// model of each lab.
func (b bundle) announce(list session.List, version string) error {
	sizes, sums := map[string]int{}, map[string]uint32{}
	for _, p := range programs {
		sizes[p[1]], sums[p[1]] = len(b[p[1]]), crc32.ChecksumIEEE(b[p[1]])
	}
	b[pageFile] = bytes.Replace(b[pageFile], []byte(bundleMark), fmt.Appendf(nil, "data-version=%q", version), 1)
	models := map[string]string{}
	for _, l := range list {
		models[l.Link()] = session.New(l).Wants()
	}
	for mark, value := range map[string]any{sizeMark: sizes, sumMark: sums, modelMark: models} {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(mark, "=")
		b[pageFile] = bytes.Replace(b[pageFile], []byte(mark), fmt.Appendf(nil, "%s='%s'", name, text), 1)
	}
	return nil
}

// scripts matches the elements of the page that load a module. early.js is no module: it must also run where a digest
// cannot be checked, from a file or in a sandbox, to say why the lab does not start there.
var scripts = regexp.MustCompile(`<(?:script type="module" src|link rel="modulepreload" href)="([^"]+)"`)

// seal writes the digests of the page's modules into the page, so a browser runs none that is cut or
// damaged. Call it when the scripts are complete.
func (b bundle) seal() {
	b[pageFile] = scripts.ReplaceAllFunc(b[pageFile], func(tag []byte) []byte {
		sum := sha256.Sum256(b[string(scripts.FindSubmatch(tag)[1])])
		return fmt.Appendf(tag[:len(tag):len(tag)], ` integrity="sha256-%s"`, base64.StdEncoding.EncodeToString(sum[:]))
	})
}

// versionMark in the page is replaced by the version.
const versionMark = `<span id="version">development version</span>`

// name writes the version into the page's Help.
func (b bundle) name(version string) error {
	if bytes.Count(b[pageFile], []byte(versionMark)) != 1 {
		return fmt.Errorf("%s of the assets must contain %s once, to be replaced", pageFile, versionMark)
	}
	b[pageFile] = bytes.Replace(b[pageFile], []byte(versionMark), fmt.Appendf(nil, `<span id="version">%s</span>`, html.EscapeString(version)), 1)
	return nil
}

// stamp writes the bundle's version and the digests of the files to keep offline into the service
// worker. The names are relative to the page. Call it when all other files are complete.
func (b bundle) stamp(version string) error {
	source := string(b[serviceWorker])
	for _, line := range []string{versionLine, filesLine} {
		if strings.Count(source, line) != 1 {
			return fmt.Errorf("%s of the assets must hold the line %s once, to be replaced", serviceWorker, line)
		}
	}
	files := map[string]string{"./": digest(b[pageFile])} // the other address of index.html
	for name, body := range b {
		if offline(name) {
			files[name] = digest(body)
		}
	}
	list, err := json.Marshal(files)
	if err != nil {
		return err
	}
	source = strings.Replace(source, versionLine, fmt.Sprintf("const VERSION = %q;", version), 1)
	source = strings.Replace(source, filesLine, fmt.Sprintf("const FILES = %s;", list), 1)
	b[serviceWorker] = []byte(source)
	return nil
}

// digest returns the beginning of a file's SHA-256, as the service worker compares it. Six bytes tell
// files of two versions apart, and damaged files; they are no protection from forgers.
func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.StdEncoding.EncodeToString(sum[:6])
}

// version returns a hash that depends only on the content, not on the place or the method of the
// build.
func (b bundle) version() string {
	h := sha256.New()
	for _, name := range b.names() {
		fmt.Fprintf(h, "%s %x\n", name, sha256.Sum256(b[name]))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// write writes the bundle and its compressed forms to a folder. It replaces the old folder
// after all files are complete, and only if the old folder is an earlier bundle. It keeps
// released programs in the folder.
func write(out string, b bundle, forms forms) error {
	out = filepath.Clean(out)
	old, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q cannot be replaced by the lab: %w", out, err)
	}
	if len(old) > 0 && !isBundle(out) && !(len(old) == 1 && old[0].Name() == releases) {
		return fmt.Errorf("%q is not an earlier lab and is left alone: remove it, or choose another folder with -out", out)
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(out), ".dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	for name, body := range b {
		if err := writeFile(fresh, name, body); err != nil {
			return err
		}
		for suffix, small := range forms[name] {
			if err := writeFile(fresh, name+suffix, small); err != nil {
				return err
			}
		}
	}
	// The released programs in the old folder are kept, because they take minutes to build.
	if err := os.Rename(filepath.Join(out, releases), filepath.Join(fresh, releases)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.Rename(fresh, out)
}

// releases is the folder of released programs in the folder of the lab. The server does not serve
// it.
const releases = "release"

func isBundle(dir string) bool {
	for _, name := range []string{pageFile, serviceWorker} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// writeFile leaves an equal file as it is, because a compiler may be reading it.
func writeFile(dir, name string, body []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if b, err := os.ReadFile(file); err == nil && bytes.Equal(b, body) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, body, 0o644)
}
