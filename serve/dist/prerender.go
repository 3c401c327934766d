package main

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/lab/session"
	"macroscope/model/wire"
	"macroscope/model/wire/markup"
)

const styleFile = "style.css"

// addLinks writes links to all labs into the page.
func (b bundle) addLinks(list session.List) error {
	var links strings.Builder
	for _, l := range list {
		fmt.Fprintf(&links, "<a href=\"#lab=%s\">%s</a>", l.Link(), html.EscapeString(l.System.Traits.Title))
	}
	page, err := insert(b[pageFile], "labs", links.String())
	if err == nil {
		b[pageFile] = page
	}
	return err
}

// prerender writes a lab's panel into the page, in the lab's opening state. The page then displays its
// panel before any program has loaded.
func (b bundle) prerender(l lab.Lab) error {
	parts, err := b.panel(l)
	if err != nil {
		return err
	}
	page := bytes.Replace(b[pageFile], []byte(`data-lab="`+l.Link()+`"`), []byte(`data-lab="`+l.Link()+`" data-panel="`+l.Link()+`"`), 1)
	rules := map[string]bool{}
	for id, content := range parts {
		if page, err = insert(page, id, content); err != nil {
			return fmt.Errorf("the panel of %s: %w", l.Link(), err)
		}
		for _, share := range shares.FindAllStringSubmatch(content, -1) {
			rules[fmt.Sprintf("[data-share][data-share=%q] { --share: %[1]s; }\n", share[1])] = true
		}
	}
	b[pageFile] = page
	b[styleFile] = append(b[styleFile], "\n/* Of the panel in the page, before the scripts set these positions */\n"+strings.Join(slices.Sorted(maps.Keys(rules)), "")...)
	return nil
}

// shares matches positions on sliders (see package markup).
var shares = regexp.MustCompile(`data-share="([^"]*)"`)

// panel returns the HTML of a lab's panel in the lab's opening state, by the ids of the page's elements.
func (b bundle) panel(l lab.Lab) (map[string]string, error) {
	s, err := b.opened(l)
	if err != nil {
		return nil, err
	}
	state := s.State()
	parts := markup.Panel(s.Panel(), &state)
	maps.Copy(parts, markup.Sentences(&state))
	return parts, nil
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

// insert writes content into the page's element with this id. The element must be empty.
func insert(page []byte, id, content string) ([]byte, error) {
	start := regexp.MustCompile(`<(\w+)\b[^>]*\sid="` + regexp.QuoteMeta(id) + `"[^>]*>`)
	at := start.FindSubmatchIndex(page)
	if at == nil {
		return nil, fmt.Errorf("%s has no element called %s", pageFile, id)
	}
	end := "</" + string(page[at[2]:at[3]]) + ">"
	if !bytes.HasPrefix(page[at[1]:], []byte(end)) {
		return nil, fmt.Errorf("%s: the element %s must be empty, and on one line", pageFile, id)
	}
	out := append([]byte(nil), page[:at[1]]...)
	out = append(out, content...)
	return append(out, page[at[1]:]...), nil
}
