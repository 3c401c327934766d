package catalogue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/lab/catalogue"
	"macroscope/model/wire"
)

// tourPage is a page of a tour, see assets/shell/tour.js.
type tourPage struct {
	ID, Title string
	Text      []string
	Start     []tourCommand
	Light     []string
	Picture   string
	Ask       *struct {
		Question, Reveal string
		Answers          []string
		Right            int
		Then             []tourCommand
	}
}

type tourCommand struct {
	Link, Set, Value, Press *string
	Play                    *bool
}

// TestTours checks that every lab with a system, and the paper's story, has a tour of six to eight pages. A
// tour's commands and highlights must belong to controls of the lab and have valid values; its
// texts must use symbols that the help explains.
func TestTours(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and the same on every kernel")
	}
	files := []struct{ lab, name string }{{"particles", "story"}}
	for _, lab := range catalogue.All() {
		if lab.Describe != nil { // without the user's runs it has nothing to show
			continue
		}
		files = append(files, struct{ lab, name string }{lab.Link(), lab.Link()})
	}
	for _, file := range files {
		s := catalogue.All().Open(file.lab)
		p := s.Panel()
		b, err := os.ReadFile(filepath.Join("..", "..", "..", "assets", "tours", file.name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var pages []tourPage
		d := json.NewDecoder(strings.NewReader(string(b)))
		d.DisallowUnknownFields()
		if err := d.Decode(&pages); err != nil {
			t.Fatalf("%s: %v", file.name, err)
		}
		if len(pages) < 6 || len(pages) > 8 {
			t.Errorf("%s: a tour of %d pages, want 6 to 8", file.name, len(pages))
		}
		controls, groups := make(map[string]wire.Control), make(map[string]bool)
		for _, c := range p.Transport {
			controls[c.ID] = c
		}
		for _, g := range p.Groups {
			groups["g-"+g.ID] = true
			for _, c := range g.Controls {
				controls[c.ID] = c
			}
		}
		explained := map[string]bool{"a": true, "A": true, "B": true}
		for _, e := range p.Help {
			for _, s := range symbols(e.Term) {
				explained[s] = true
			}
		}
		seen := make(map[string]bool)
		for _, page := range pages {
			where := file.name + "/" + page.ID
			for _, part := range strings.Fields(page.Picture) {
				if !slices.Contains([]string{"set", "target", "code", "learned", "dynamics", "prediction", "orders", "ordered"}, part) {
					t.Errorf("%s: the picture has no part called %s", where, part)
				}
			}
			if page.ID == "" || seen[page.ID] || page.Title == "" || len(page.Text) == 0 {
				t.Errorf("%s: a page without a name of its own, a title or a text", where)
			}
			seen[page.ID] = true
			texts := append([]string{page.Title}, page.Text...)
			commands := page.Start
			if len(page.Start) == 0 || page.Start[0].Link == nil {
				t.Errorf("%s: it does not begin with a link, so that it depends on where the visitor was", where)
			} else if p.Transport[0].ID == "play" && !strings.Contains(*page.Start[0].Link, "&frame=") {
				t.Errorf("%s: it does not begin at a frame, so that the run plays before its question is asked", where)
			}
			if a := page.Ask; a != nil {
				if len(a.Answers) < 2 || a.Right < 0 || a.Right >= len(a.Answers) || a.Reveal == "" || len(a.Then) == 0 {
					t.Errorf("%s: a question without answers, the right one, or what shows it", where)
				}
				texts = append(append(texts, a.Question, a.Reveal), a.Answers...)
				commands = append(slices.Clone(commands), a.Then...)
			}
			for _, light := range page.Light {
				if controls[light].ID == "" && !groups[light] && !slices.Contains([]string{"figures", "labs", "share"}, light) {
					t.Errorf("%s: there is no %s to light", where, light)
				}
			}
			for i, c := range commands {
				if problem := c.carryOut(s, controls); problem != "" {
					t.Errorf("%s: command %d: %s", where, i, problem)
				}
			}
			for _, text := range texts {
				for _, s := range symbols(text) {
					if !explained[s] {
						t.Errorf("%s: %q uses %s, which the help does not explain", where, text, s)
					}
				}
			}
		}
	}
}

// carryOut carries out a command as the page does, and returns the error in words.
func (c *tourCommand) carryOut(s wire.Session, controls map[string]wire.Control) string {
	var do wire.Command
	switch {
	case c.Link != nil:
		if catalogue.All().Linked(*c.Link) != s.Lab() {
			return "the link is to another lab"
		}
		do = wire.Command{Kind: "link", Value: *c.Link}
	case c.Set != nil && c.Value != nil && controls[*c.Set].ID != "":
		do = wire.Command{Kind: "set", Name: *c.Set, Value: *c.Value}
	case c.Press != nil && controls[*c.Press].Kind == wire.Button:
		do = wire.Command{Kind: "press", Name: *c.Press}
	case c.Play != nil:
		return ""
	default:
		return "it does nothing, or there is no such control"
	}
	for k := 0; do.Kind == "press" && k < 200; k++ { // simulates a frame that the button may need
		s.Work(10 * time.Millisecond)
	}
	if notice := s.Apply(do); notice != nil && notice.Error {
		return notice.Text
	}
	for name := s.Wants(); name != ""; name = s.Wants() {
		b, err := os.ReadFile(filepath.Join("..", "..", "..", "assets", name))
		if notice := s.Fetched(name, b, err); notice != nil && notice.Error {
			return notice.Text
		}
	}
	if value := s.State().Values[do.Name]; do.Kind == "set" && value != do.Value {
		return fmt.Sprintf("%s is %q after it was set to %q", do.Name, value, do.Value)
	}
	return ""
}
