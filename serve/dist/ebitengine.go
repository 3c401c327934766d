package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// The build compiles the picture's program with an edited copy of Ebitengine. The copy lacks parts
// that the page does not need: dumps of images, log lines, virtual machines, and shaders in texels.
// The original makes the source of its nine shaders with text/template when it starts. Templates
// call methods by name, so the linker would keep every exported method of every type. The copy
// contains the nine finished sources instead. The edits save a visitor 0.8 of 2.4 MB.

// edit replaces a part of a file with the text `with`. The part begins with the text `from` and
// ends just before the text `upTo`. If upTo is empty, the part consists only of the text `from`. If
// upTo is endOfFile, the part extends to the end of the file. If `from` is empty, the text `with`
// is appended to the file. Otherwise the file must contain the text `from` exactly once, so that
// another version of Ebitengine is not edited wrongly.
type edit struct{ from, upTo, with string }

const endOfFile = "\x00"

func without(text string) edit { return edit{from: text} }

const inModule = "\t\"github.com/hajimehoshi/ebiten/v2/internal/"

// ebitengineEdits are the edits of each file.
var ebitengineEdits = map[string][]edit{
	// This code finds the caller of a function by go/build, for debugging.
	"internal/debug/caller.go": {
		without("\t\"go/build\"\n"),
		{from: "\t\tpkg, err := build.Default.Import(", upTo: "\t})\n"},
		without("\t\"path/filepath\"\n"),
		{from: "\tif ebitengineFileDir ==", upTo: endOfFile, with: "\treturn \"\", 0, CallerTypeNone\n}\n"},
		without("\t\"path\"\n"), without("\t\"runtime\"\n"), without("\t\"strings\"\n"),
	},
	// These log lines are never read.
	"internal/thread/thread.go": {
		without("\t\"fmt\"\n"), without("\t\"log/slog\"\n"), without("\n" + inModule + "debug\"\n"),
		{from: "\tif !slog.Default()", upTo: endOfFile, with: "}\n"},
	},
	"internal/atlas/gpuresources.go": {
		without("\t\"log/slog\"\n"),
		{with: "\ntype silent struct{}\n\nfunc (silent) Debug(string, ...any) {}\nfunc (silent) Error(string, ...any) {}\n\nvar slog silent\n"},
	},
	// Support for virtual machines, which uses encoding/gob.
	"internal/ui/ui_other.go": {without("\tvmguest.MarkGuest(false)\n"), without(inModule + "vmguest\"\n")},
	// This code writes images to PNG and ZIP files.
	"internal/graphicscommand/image.go": {
		{from: "\tif err := png.Encode(", upTo: "\treturn nil\n}\n\nfunc LogImagesInfo"}, without(inModule + "png\"\n"),
	},
	"internal/graphicscommand/image_js.go": {
		without("\t\"archive/zip\"\n"),
		{from: "\tbuf := &bytes.Buffer{}\n\tzw :=", upTo: endOfFile, with: "\treturn \"\", nil\n}\n"},
	},
	// This code clears the screen before every picture, which is useless because pictures cover
	// the whole screen.
	"internal/graphicsdriver/opengl/graphics.go": {
		{from: "func (g *Graphics) NeedsClearingScreen() bool {\n\treturn true\n", with: "func (g *Graphics) NeedsClearingScreen() bool {\n\treturn false\n"},
	},
	// Support for shaders in texels, which uses go/printer.
	"internal/legacyshader/legacyshader.go": {
		{from: "\t\tsrc, err = convertToPixels(fragmentSrc)\n\t\tif err != nil {\n\t\t\treturn nil, 0, err\n\t\t}\n", with: "\t\treturn nil, 0, fmt.Errorf(\"legacyshader: a shader in texels\")\n"},
	},
}

// ebitengineShaders lists the files that make shader sources with templates.
var ebitengineShaders = []string{"internal/builtinshader/shader.go", "internal/colormshader/shader.go"}

// slimEbitengine writes the edited copy to the given folder, and returns the arguments that
// make the go command use it.
func slimEbitengine(ctx context.Context, work string) ([]string, error) {
	module := ebitengine + "/v2"
	out, err := goTool(ctx, "list", "-f", "{{.Module.Dir}}\n{{.Module.Version}}", module)
	if err != nil {
		return nil, err
	}
	dir, version, _ := strings.Cut(strings.TrimSpace(out), "\n")
	copied, err := filepath.Abs(filepath.Join(work, "ebitengine-"+version))
	if err != nil {
		return nil, err
	}
	if err := copyModule(copied, dir); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(ebitengineEdits)) {
		if err := rewrite(copied, name, func(s string) (string, error) { return edited(s, ebitengineEdits[name]) }); err != nil {
			return nil, err
		}
	}
	for _, name := range ebitengineShaders {
		if err := rewrite(copied, name, unrolled); err != nil {
			return nil, err
		}
	}
	mod := filepath.Join(work, "page.mod")
	for _, f := range [][2]string{{"go.mod", mod}, {"go.sum", filepath.Join(work, "page.sum")}} {
		b, err := os.ReadFile(f[0])
		if err != nil {
			return nil, err
		}
		if f[1] == mod {
			b = fmt.Appendf(b, "\nreplace %s => %s\n", module, relativeFolder(copied))
		}
		if err := os.WriteFile(f[1], b, 0o644); err != nil {
			return nil, err
		}
	}
	return []string{"-modfile=" + mod}, nil
}

// copyModule copies the packages of a module.
func copyModule(to, from string) error {
	skip := map[string]bool{"examples": true, "testdata": true, "cmd": true, "misc": true}
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skip[d.Name()]:
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return writeFile(to, filepath.ToSlash(rel), b)
	})
}

func rewrite(dir, name string, change func(string) (string, error)) error {
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	s, err := change(string(b))
	if err != nil {
		return fmt.Errorf("Ebitengine's %s: %w; ask for the version that dist knows, or teach it this one", name, err)
	}
	return writeFile(dir, name, []byte(s))
}

// edited returns a text with the edits made.
func edited(s string, edits []edit) (string, error) {
	for _, e := range edits {
		switch {
		case e.from == "":
			s += e.with
			continue
		case strings.Count(s, e.from) != 1:
			return "", fmt.Errorf("it must hold %q once", e.from)
		}
		begin := strings.Index(s, e.from)
		end := begin + len(e.from)
		switch {
		case e.upTo == endOfFile:
			end = len(s)
		case e.upTo != "":
			n := strings.Index(s[end:], e.upTo)
			if n < 0 {
				return "", fmt.Errorf("it must hold %q after %q", e.upTo, e.from)
			}
			end += n
		}
		s = s[:begin] + e.with + s[end:]
	}
	return s, nil
}

// relativeFolder returns the path of a folder relative to the working directory, which is the root
// of the module. The program contains this path, and an absolute path would make its bytes depend
// on the folder of the build. A folder outside of the module keeps its path.
func relativeFolder(folder string) string {
	root, err := os.Getwd()
	if err != nil {
		return folder
	}
	relative, err := filepath.Rel(root, folder)
	if err != nil || !filepath.IsLocal(relative) {
		return folder
	}
	return "./" + filepath.ToSlash(relative)
}

// unrolled replaces a file's template by the sources that the template would make.
func unrolled(s string) (string, error) {
	const opens, closes = "template.New(\"tmpl\").Parse(`", "`))"
	_, text, ok := strings.Cut(s, opens)
	text, _, ok2 := strings.Cut(text, closes)
	if !ok || !ok2 {
		return "", fmt.Errorf("it must hold %q and %q", opens, closes)
	}
	tmpl, err := template.New("shader").Parse(text)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	all.WriteString("var sources = [FilterCount][AddressCount]string{\n")
	for filter := range 3 {
		all.WriteString("\t{\n")
		for address := range 3 {
			var one bytes.Buffer
			err := tmpl.Execute(&one, map[string]int{
				"Filter": filter, "FilterNearest": 0, "FilterLinear": 1, "FilterPixelated": 2,
				"Address": address, "AddressUnsafe": 0, "AddressClampToZero": 1, "AddressRepeat": 2,
			})
			if err != nil {
				return "", err
			}
			all.WriteString("\t\t" + strconv.Quote(one.String()) + ",\n")
		}
		all.WriteString("\t},\n")
	}
	all.WriteString("}\n\nfunc ShaderSource(filter Filter, address Address) []byte {\n\tb := []byte(sources[filter][address])\n")
	return edited(s, []edit{
		{from: "import (", upTo: "type Filter int"},
		{from: "var (\n\tshaders", upTo: "\treturn b\n}\n", with: all.String()},
	})
}
