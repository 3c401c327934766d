package catalogue_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"macroscope/assets"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/wire"
)

// text is a text of a lab's panel with its location.
type text struct{ where, text string }

// textsOf returns all texts of a panel.
func textsOf(p *wire.Panel) (all []text) {
	add := func(where string, texts ...string) {
		for _, t := range texts {
			if t != "" {
				all = append(all, text{p.Lab + ": " + where, t})
			}
		}
	}
	add("page", p.Title, p.Tagline, p.Picture, p.Drop)
	add("try", p.Try...)
	control := func(c *wire.Control) {
		add("control "+c.ID, c.Label, c.Hint, c.Unit)
		for _, o := range c.Options {
			add("option "+o.Value, o.Label)
		}
	}
	for i := range p.Transport {
		control(&p.Transport[i])
	}
	for _, g := range p.Groups {
		add("group "+g.ID, g.Title, g.Note)
		for i := range g.Controls {
			control(&g.Controls[i])
		}
	}
	for _, f := range p.Figures {
		add("figure "+f.ID, f.Label, f.Hint, f.Unit)
	}
	for _, e := range p.Help {
		add("help "+e.Term, e.Term, e.Name, e.Text)
	}
	return all
}

var (
	mark = regexp.MustCompile(`\[([^][|]+)\|[a-z]+\]`)
	// A symbol is a single Latin or Greek letter, which may have an index or an accent.
	symbol = regexp.MustCompile(`(?:Δ?[\pL][\x{0302}\x{0304}]?(?:_(?:\p{Lu}{2,3}|\pL))?|ẑ|z̄)`)
	word   = regexp.MustCompile(`\pL`)
)

// plain returns a text without its markup.
func plain(text string) string { return mark.ReplaceAllString(text, "$1") }

// symbols returns the symbols of a text: letters that stand alone.
func symbols(text string) (found []string) {
	text = plain(text)
	for _, at := range symbol.FindAllStringIndex(text, -1) {
		before, after := text[:at[0]], text[at[1]:]
		if last := []rune(before); len(last) > 0 && (word.MatchString(string(last[len(last)-1])) || strings.ContainsRune("’'-_0123456789", last[len(last)-1])) {
			continue
		}
		if next := []rune(after); len(next) > 0 && (word.MatchString(string(next[0])) || strings.ContainsRune("’'-_\u0302\u0304", next[0])) {
			continue
		}
		found = append(found, text[at[0]:at[1]])
	}
	return found
}

// term returns the symbol that a help entry explains.
func term(e wire.Entry) string { return strings.TrimSuffix(plain(e.Term), "(x | ẑ)") }

// TestSymbols checks that each symbol has one meaning and each meaning has one symbol, in all
// labs together. Each lab's help must explain every symbol that occurs in its controls, figures
// and help.
func TestSymbols(t *testing.T) {
	names, signs := map[string]string{}, map[string]string{}
	for _, lab := range catalogue.All() {
		p := catalogue.All().Open(lab.Link()).Panel()
		own := map[string]string{
			// These letters are words, units, numerals or axes, or are explained where they
			// occur.
			"a": "", "A": "", "B": "", "I": "", "s": "", "x": "", "y": "", "r": "", "W": "",
		}
		for _, e := range p.Help {
			if e.Name == "" {
				if len(symbols(e.Term)) > 0 && symbols(e.Term)[0] == plain(e.Term) {
					t.Errorf("%s: the symbol %s has no name", p.Lab, e.Term)
				}
				continue
			}
			sign := term(e)
			if was, ok := names[sign]; ok && was != e.Name {
				t.Errorf("%s is the %s and, in the lab %s, the %s", sign, was, p.Lab, e.Name)
			}
			if was, ok := signs[e.Name]; ok && was != sign {
				t.Errorf("the %s is %s and, in the lab %s, %s", e.Name, was, p.Lab, sign)
			}
			if own[sign] != "" {
				t.Errorf("%s: %s is explained twice", p.Lab, sign)
			}
			names[sign], signs[e.Name], own[sign] = e.Name, sign, e.Name
			for _, part := range symbols(sign) { // a sign such as KL(q_X ‖ p_θ) contains symbols
				if _, ok := own[part]; !ok {
					own[part] = ""
				}
			}
		}
		for _, x := range textsOf(p) {
			for _, s := range symbols(x.text) {
				if _, ok := own[s]; !ok {
					t.Errorf("%s: %q uses %s, which the help does not explain", x.where, x.text, s)
				}
			}
		}
		// If a label ends in a symbol, it must use the name that the help gives to the
		// symbol.
		for _, x := range textsOf(p) {
			found := symbols(x.text)
			if !strings.Contains(x.where, "control ") || len(found) != 1 || !strings.HasSuffix(plain(x.text), " "+found[0]) || strings.HasSuffix(x.text, ".") {
				continue
			}
			if words := strings.TrimSuffix(plain(x.text), " "+found[0]); own[found[0]] != "" && !strings.HasSuffix(own[found[0]], words) && !strings.HasPrefix(own[found[0]], words) {
				t.Errorf("%s: %q is the %s of the help", x.where, x.text, own[found[0]])
			}
		}
	}
	if names["ε"] != "kernel width" || names["ẑ"] != "closure variables" {
		t.Errorf("ε is the %s, ẑ the %s", names["ε"], names["ẑ"])
	}
}

// TestWords checks that no text contains a word or sign that the project avoids, such as a hyphen
// for a minus sign. A group's heading and its controls must have different names.
func TestWords(t *testing.T) {
	wrong := map[string]*regexp.Regexp{
		"a hyphen for a minus":        regexp.MustCompile(`(^|[\s(\[=])-\d`),
		"a number of a program":       regexp.MustCompile(`\d[eE][+-]?\d`),
		"closure variables ẑ":         regexp.MustCompile(`(?i)latent (dim|variab|ẑ)|bottleneck|closures? ẑ`),
		"observables z̄":              regexp.MustCompile(`(?i)macroscopic variable`),
		"model 1 and model 2":         regexp.MustCompile(`\b([Rr]un|[Mm]odel) [AB]\b`),
		"shapes in words":             regexp.MustCompile(`\(E, T|\(E, N`),
		"the kernel width ε, or ε_LJ": regexp.MustCompile(`ε of (A|B|species|them)|ε between`),
	}
	for _, lab := range catalogue.All() {
		p := catalogue.All().Open(lab.Link()).Panel()
		for _, x := range textsOf(p) {
			for what, is := range wrong {
				if is.MatchString(plain(x.text)) {
					t.Errorf("%s: %q: %s", x.where, x.text, what)
				}
			}
		}
		for _, g := range p.Groups {
			labels := map[string]bool{strings.ToLower(plain(g.Title)): true}
			for _, c := range g.Controls {
				label := strings.ToLower(plain(c.Label))
				if labels[label] {
					t.Errorf("%s: the group %s has two things called %q", p.Lab, g.ID, c.Label)
				}
				labels[label] = true
			}
		}
	}
}

// TestPlainWords checks that no text of the page, the guide or the README, and no sentence that
// the program composes, contains an expression that readers stumbled over.
func TestPlainWords(t *testing.T) {
	odd := regexp.MustCompile(`(?i)\bon show is\b|catching up from|\bthe crowd\b|\bof no matter\b|\bno few numbers\b|\bthey can only err\b|` +
		`to begin with,|trained beforehand|\blet z go\b|let the mixture|dynamics (that )?know\b|on one clock|ahead of the truth|` +
		`a bell: ε|feels all|draw near\b|weights are those of|\bclosure variables, the nearest|does not tell\b|half open\b|outside of the band by`)
	for _, root := range []string{"assets/texts", "assets/tours", "assets/shell", "assets/guide", "assets/index.html", "README.md", "model/lab", "model/system"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "..", root), func(path string, d fs.DirEntry, err error) error {
			name, code := filepath.Base(path), filepath.Ext(path) == ".go"
			if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
				return err
			}
			b, err := os.ReadFile(path)
			for _, line := range strings.Split(string(b), "\n") {
				if code && !strings.Contains(line, `"`) {
					continue // a user sees only the strings of a program
				}
				if found := odd.FindString(line); found != "" {
					t.Errorf("%s says %q: %s", path, found, strings.TrimSpace(line))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestOptions checks that every option of a menu fits into the closed menu.
func TestOptions(t *testing.T) {
	const room = 33 // largest number of characters of an option
	for _, lab := range catalogue.All() {
		for _, one := range textsOf(catalogue.All().Open(lab.Link()).Panel()) {
			if n := utf8.RuneCountInString(one.text); strings.Contains(one.where, ": option ") && n > room {
				t.Errorf("%s has %d characters, want %d at most: %q", one.where, n, room, one.text)
			}
		}
	}
}

// TestTextsAreUsed checks that the page of a lab shows every entry of the files in assets/texts.
// The sentences in system.Page.Says are an exception, because they are parts of messages. Each of
// these sentences has a name. The program must request the name, or another text must contain the
// name in braces.
func TestTextsAreUsed(t *testing.T) {
	shown := map[string]bool{}
	inSpace := own.Spec{Axes: []own.Axis{{Name: "x"}, {Name: "y"}, {Name: "z"}}, Species: []own.Species{{Name: "1", Number: "1"}, {Name: "2", Number: "2"}}, Observables: []own.Observable{{Name: "o"}}, Frames: 2}
	more := catalogue.Own()
	for _, lab := range append(catalogue.All(), more.With(inSpace.System())) {
		for _, x := range textsOf(session.New(lab).Panel()) {
			_, where, _ := strings.Cut(x.where, ": ")
			shown[where+": "+x.text] = true
		}
	}
	asked := map[string]bool{}
	for _, root := range []string{"..", "../../system"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			b, err := os.ReadFile(path)
			for _, m := range regexp.MustCompile(`Say\("([a-z-]+)"`).FindAllSubmatch(b, -1) {
				asked[string(m[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	said := map[string]bool{}
	for link, texts := range map[string]string{"": assets.Lab, "demo": assets.Line, "particles": assets.Particles, "mixing": assets.Mixing, "polymer": assets.Polymer, "flock": assets.Flock, "own": assets.Own} {
		p := system.ReadPage(texts, func(string) bool { return true })
		want := func(where string, texts ...string) {
			for _, x := range texts {
				if x != "" && !strings.ContainsAny(x, "{}") && !shown[where+": "+x] {
					t.Errorf("lab %q: no page shows %s: %q", link, where, x)
				}
			}
		}
		for _, g := range p.Groups {
			want("group "+g.ID, g.Title, g.Note)
			for _, c := range g.Controls {
				if c.ID == "example" && len(c.Options) == 1 { // no example comes with the page
					continue
				}
				want("control "+c.ID, c.Label)
				for _, o := range c.Options {
					if o.Value != "measure" { // its label is the sentence {measure}, which differs between labs
						want("option "+o.Value, o.Label)
					}
				}
			}
		}
		for _, f := range p.Figures {
			want("figure "+f.ID, f.Label, f.Unit, f.Hint)
		}
		for _, e := range p.Help {
			want("help "+e.Term, e.Term, e.Name)
		}
		for _, s := range p.Systems {
			want("option "+s.Name, s.Label)
		}
		want("page", p.Tagline, p.Picture)
		want("try", p.Try...)
		for name, hint := range p.Hints {
			if !shown["control "+name+": "+hint] && !strings.Contains(hint, "%") {
				t.Errorf("lab %q: no page shows the hint of %s", link, name)
			}
		}
		for name := range p.Says {
			said[name] = true
			if !asked[name] && !strings.Contains(texts, "{"+name+"}") {
				t.Errorf("lab %q: nobody says %q", link, name)
			}
		}
	}
	for name := range asked {
		if !said[name] {
			t.Errorf("there is no text called %q", name)
		}
	}
}
