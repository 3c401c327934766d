package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"path"
	"regexp"
	"strings"

	"github.com/dop251/goja"

	"macroscope/model/lab"
	"macroscope/model/lab/session"
	"macroscope/model/wire"
)

// The page displays its panel before any program has loaded. To make this possible, prerender runs
// the page's own scripts in an interpreter with a small document. It writes the resulting HTML of
// the first lab's panel into the page. When the worker starts, the scripts build the same HTML
// again, with its event handlers.

//go:embed document.js
var documentScript string

const (
	panelScript = "shell/panel.js"
	styleFile   = "style.css"
)

// addLinks writes links to all labs into the page.
func (b bundle) addLinks(list session.List) error {
	var links strings.Builder
	for _, l := range list {
		fmt.Fprintf(&links, "<a href=\"#lab=%s\">%s</a>", l.Link(), html.EscapeString(l.System.Traits.Title))
	}
	page, err := insert(b[pageFile], part{"labs", links.String()})
	if err == nil {
		b[pageFile] = page
	}
	return err
}

// prerender writes a lab's panel into the page, in the lab's opening state.
func (b bundle) prerender(l lab.Lab) error {
	s, err := b.opened(l)
	if err != nil {
		return err
	}
	state := s.State()
	state.Kernel = "" // no name of a kernel, because the visitor's machine may use another one
	made, err := b.build(s.Panel(), state)
	if err != nil {
		return fmt.Errorf("the panel of %s: %w", l.Link(), err)
	}
	page := bytes.Replace(b[pageFile], []byte(`data-lab="`+l.Link()+`"`), []byte(`data-lab="`+l.Link()+`" data-panel="`+l.Link()+`"`), 1)
	for _, p := range made.Parts {
		if page, err = insert(page, p); err != nil {
			return err
		}
	}
	b[pageFile] = page
	b[styleFile] = append(b[styleFile], "\n/* Of the panel that the build has written into the page */\n"+made.CSS...)
	return nil
}

// opened returns a session of a lab. The session has already received all files that the lab needs
// at the start.
func (b bundle) opened(l lab.Lab) (wire.Session, error) {
	s := session.New(l)
	if err := b.fetch(s); err != nil {
		return nil, err
	}
	s.AppendFrame(nil) // computes the figures in the state
	return s, nil
}

// fetch gives a session the files that it requests.
func (b bundle) fetch(s wire.Session) error {
	for name := s.Wants(); name != ""; name = s.Wants() {
		body, ok := b[name]
		if !ok {
			return fmt.Errorf("%s wants %s, which is not in the lab", s.Lab(), name)
		}
		if n := s.Fetched(name, body, nil); n != nil && n.Error {
			return errors.New(n.Text)
		}
	}
	return nil
}

// made is the result of the scripts: the content of the page's elements, and style rules.
type made struct {
	Parts []part
	CSS   string
}

type part struct{ ID, HTML string }

// build runs the scripts that build the panel.
func (b bundle) build(panel *wire.Panel, state wire.State) (m made, err error) {
	script, err := b.script(panelScript)
	if err != nil {
		return m, err
	}
	vm := goja.New()
	vm.SetFieldNameMapper(goja.TagFieldNameMapper("js", true))
	if err := errors.Join(vm.Set("panel", panel), vm.Set("state", state)); err != nil {
		return m, err
	}
	v, err := vm.RunString(script)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal([]byte(v.String()), &m)
}

var (
	importLine = regexp.MustCompile(`(?m)^import (\{[^}]*\}) from "([^"]+)";$`)
	exportWord = regexp.MustCompile(`(?m)^export (function|const) (\w+)`)
)

// script returns one script that builds the panel. It consists of documentScript, the named
// module and its imports.
func (b bundle) script(name string) (string, error) {
	var all strings.Builder
	all.WriteString(documentScript)
	all.WriteString("const modules = {};\n")
	done := map[string]bool{}
	var add func(name string) error
	add = func(name string) error {
		if done[name] {
			return nil
		}
		done[name] = true
		source, ok := b[name]
		if !ok {
			return fmt.Errorf("there is no module %s", name)
		}
		var exports []string
		for _, m := range exportWord.FindAllSubmatch(source, -1) {
			exports = append(exports, string(m[2]))
		}
		for _, m := range importLine.FindAllSubmatch(source, -1) {
			if err := add(path.Join(path.Dir(name), string(m[2]))); err != nil {
				return err
			}
		}
		body := importLine.ReplaceAllFunc(source, func(line []byte) []byte {
			m := importLine.FindSubmatch(line)
			return fmt.Appendf(nil, "const %s = modules[%q];", m[1], path.Join(path.Dir(name), string(m[2])))
		})
		body = exportWord.ReplaceAll(body, []byte("$1 $2"))
		fmt.Fprintf(&all, "modules[%q] = (() => {\n%s\nreturn { %s };\n})();\n", name, body, strings.Join(exports, ", "))
		return nil
	}
	if err := add(name); err != nil {
		return "", err
	}
	fmt.Fprintf(&all, `
const made = modules[%q].createPanel({});
made.open(panel);
made.show(state);
JSON.stringify(content());
`, name)
	return all.String(), nil
}

// insert writes a part into the page's element with the part's name. The element must be empty.
func insert(page []byte, p part) ([]byte, error) {
	if p.HTML == "" || strings.HasPrefix(p.ID, "i-") {
		return page, nil // there is no content, or p is an icon, which the page already contains
	}
	start := regexp.MustCompile(`<(\w+)\b[^>]*\sid="` + regexp.QuoteMeta(p.ID) + `"[^>]*>`)
	at := start.FindSubmatchIndex(page)
	if at == nil {
		return nil, fmt.Errorf("%s has no element called %s", pageFile, p.ID)
	}
	end := "</" + string(page[at[2]:at[3]]) + ">"
	if !bytes.HasPrefix(page[at[1]:], []byte(end)) {
		return nil, fmt.Errorf("%s: the element %s must be empty, and on one line", pageFile, p.ID)
	}
	out := append([]byte(nil), page[:at[1]]...)
	out = append(out, p.HTML...)
	return append(out, page[at[1]:]...), nil
}
