package method

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"macroscope/model/net/decoder"
	"macroscope/model/net/encoder"
	"macroscope/model/net/image"
	"macroscope/model/setting"
	"macroscope/model/system"
)

import _ "embed"

// The files list the methods and the settings of all presets. Each begins with a description of its
// form.
var (
	//go:embed methods.txt
	methodsText string
	//go:embed presets.txt
	presetsText string
)

// tunable names an encoder and a decoder that only work together.
const tunable = "tunable"

// encoders are the encoders that methods.txt can name, without settings.
var encoders = map[string]encoder.Kind{
	"deepset":         &encoder.DeepSet{},
	tunable:           &encoder.Tunable{},
	"set-transformer": &encoder.SetTransformer{},
	"flat":            &encoder.Flat{},
	"cnn":             &encoder.Picture{Image: image.Config{Kind: image.CNN}},
	"vit":             &encoder.Picture{Image: image.Config{Kind: image.ViT}},
}

// decoders are the decoders that methods.txt can name, without settings. The decoder "mirrored" has no setting for
// its widths: they are the encoder's in reverse, which nil stands for. The empty lists of the decoders "pointwise"
// and "chamfer" are settings, to which presets.txt gives values.
var decoders = map[string]decoder.Kind{
	"flow":      &decoder.Flow{},
	tunable:     &decoder.Tunable{},
	"matching":  &decoder.Matching{},
	"mirrored":  &decoder.Pointwise{Hidden: nil},
	"pointwise": &decoder.Pointwise{Hidden: []int{}},
	"chamfer":   &decoder.Pointwise{Hidden: []int{}, Nearest: true},
	"picture":   &decoder.Picture{},
	"none":      &decoder.None{},
}

// catalogue contains the methods, and the rules that give presets their settings.
type catalogue struct {
	methods []Method
	systems map[string][]Method // methods for each system
	presets []string            // names of all presets, with repetitions
	rules   []rule
}

// rule is a line of presets.txt. It gives settings to the presets that it matches.
type rule struct {
	line                      int
	systems, methods, presets []string    // each contains names, * or !NAME
	settings                  [][2]string // names and values
}

// known returns the catalogue of the program.
var known = sync.OnceValue(func() *catalogue {
	c, err := parseCatalogue(methodsText, presetsText)
	if err != nil {
		panic("method: " + err.Error()) // a test reads the files
	}
	return c
})

// parseCatalogue reads the contents of methods.txt and presets.txt. An error names the file and the line,
// quotes the wrong word and says what is allowed.
func parseCatalogue(methods, presets string) (*catalogue, error) {
	c := &catalogue{systems: make(map[string][]Method)}
	if err := parseLines("methods.txt", methods, c.addMethod, c.describe); err != nil {
		return nil, err
	}
	for i := range c.methods {
		m := &c.methods[i]
		if m.Title == "" || m.Text == "" || m.encoder == "" || m.decoder == "" || len(m.presets) == 0 {
			return nil, fmt.Errorf("methods.txt: the method %s is incomplete; give it a title, a text, an encoder, a decoder and presets", m.Name)
		}
		if (m.encoder == tunable) != (m.decoder == tunable) {
			return nil, fmt.Errorf("methods.txt: the method %s has a tunable encoder or decoder, and these only work together; give it both or none", m.Name)
		}
		m.terms = []string{m.Name, "encoder=" + m.encoder, "decoder=" + m.decoder}
		for system, presets := range m.presets {
			c.systems[system] = append(c.systems[system], *m)
			c.presets = append(c.presets, presets...)
		}
	}
	var head rule
	return c, parseLines("presets.txt", presets, func(text string) (err error) {
		head, err = c.header(text)
		return err
	}, func(number int, line string) error {
		r := head
		r.line = number
		err := c.addSettings(&r, line)
		c.rules = append(c.rules, r)
		return err
	})
}

// parseLines calls `head` with the text of every line [text], and `body` with the number and the text of
// every other line that is not empty. Comments, which begin with #, are removed. It returns the first
// error, with the name of the file and the number of the line.
func parseLines(file, text string, head func(text string) error, body func(number int, line string) error) error {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		var err error
		switch inner, opens := strings.CutPrefix(line, "["); {
		case line == "":
		case !opens:
			err = body(number, line)
		case strings.Index(inner, "]") != len(inner)-1 || len(inner) < 2:
			err = fmt.Errorf("%s is no header; write names in brackets, and nothing after them", setting.Quote(line))
		default:
			err = head(inner[:len(inner)-1])
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	return nil
}

// unlisted returns an error that quotes a word and lists the allowed words.
func unlisted(what, word string, allowed []string) error {
	return fmt.Errorf("there is no %s %s; use %s", what, setting.Quote(word), strings.Join(allowed, ", "))
}

// addMethod adds a method without a description.
func (c *catalogue) addMethod(name string) error {
	if slices.Contains(c.names(), name) {
		return fmt.Errorf("the method %s comes twice; give each method a name of its own", setting.Quote(name))
	}
	c.methods = append(c.methods, Method{Name: name, presets: make(map[string][]string)})
	return nil
}

// describe reads a line about the last method.
func (c *catalogue) describe(_ int, line string) error {
	if len(c.methods) == 0 {
		return errors.New("a line stands above the first method; write its name in brackets first")
	}
	m := &c.methods[len(c.methods)-1]
	table := setting.Table{
		{Name: "title", Value: &m.Title}, {Name: "text", Value: &m.Text},
		{Name: "encoder", Value: &m.encoder, Options: setting.Choices(slices.Sorted(maps.Keys(encoders))...)},
		{Name: "decoder", Value: &m.decoder, Options: setting.Choices(slices.Sorted(maps.Keys(decoders))...)},
		{Name: "presets", Value: setting.Text{Put: func(text string) error {
			names := strings.Fields(text)
			if len(names) < 2 {
				return errors.New("give a system and the names of its presets")
			}
			m.presets[names[0]] = names[1:]
			return nil
		}}},
	}
	name, text, _ := strings.Cut(line, " ")
	f := table.Find(name)
	if f == nil {
		return unlisted("line", name, table.Names())
	}
	return f.Set(text)
}

// header reads a header of presets.txt, SYSTEMS or SYSTEMS/METHODS.
func (c *catalogue) header(text string) (r rule, err error) {
	systems, methods, found := strings.Cut(text, "/")
	if !found {
		methods = "*"
	}
	var allowed []string
	for _, m := range c.methods {
		allowed = append(allowed, m.terms...)
	}
	if r.systems, err = list("system", systems, slices.Collect(maps.Keys(c.systems))); err == nil {
		r.methods, err = list("method", methods, allowed)
	}
	return r, err
}

// addSettings reads a line of settings, which can begin with @PRESETS.
func (c *catalogue) addSettings(r *rule, line string) (err error) {
	if r.systems == nil {
		return errors.New("settings stand above the first header; write [SYSTEMS/METHODS] first")
	}
	of, words := "*", strings.Fields(line)
	if after, ok := strings.CutPrefix(words[0], "@"); ok {
		of, words = after, words[1:]
	}
	if r.presets, err = list("preset", of, c.presets); err != nil {
		return err
	}
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		switch {
		case slices.ContainsFunc(r.settings, func(s [2]string) bool { return found && s[0] == name }):
			return fmt.Errorf("%s comes twice; give it one value", name)
		case found && name != "":
			r.settings = append(r.settings, [2]string{name, value})
		case found || len(r.settings) == 0:
			return fmt.Errorf("%s is no setting; write NAME=VALUE", setting.Quote(word))
		default: // a list of numbers has spaces between
			r.settings[len(r.settings)-1][1] += " " + word
		}
	}
	if len(r.settings) == 0 {
		return errors.New("the line has no setting; write NAME=VALUE")
	}
	for i := range c.methods {
		m := &c.methods[i]
		for name, names := range m.presets {
			if slices.ContainsFunc(names, func(preset string) bool {
				return r.matches(m, name, system.ODE.Name, preset) || r.matches(m, name, system.SDE.Name, preset)
			}) {
				return nil
			}
		}
	}
	return errors.New("no preset matches this line; change its names or those of its header, or leave it out")
}

// list reads a list with commas of allowed names. A name can have a ! in front and a motion after it, or be *.
func list(what, text string, allowed []string) ([]string, error) {
	words := strings.Split(text, ",")
	for _, word := range words {
		name, motion, _ := strings.Cut(strings.TrimPrefix(word, "!"), ":")
		if word != "*" && !(slices.Contains(allowed, name) && slices.Contains([]string{"", system.ODE.Name, system.SDE.Name}, motion)) {
			return nil, unlisted(what, word, append([]string{"*"}, slices.Compact(slices.Sorted(slices.Values(allowed)))...))
		}
	}
	return words, nil
}

// within reports whether a list contains one of the names, and none of them with a ! in front. A list
// that begins with a ! contains all names that it does not exclude.
func within(list []string, names ...string) bool {
	found := strings.HasPrefix(list[0], "!")
	for _, word := range list {
		switch not, excludes := strings.CutPrefix(word, "!"); {
		case excludes && slices.Contains(names, not):
			return false
		case !excludes && (word == "*" || slices.Contains(names, word)):
			found = true
		}
	}
	return found
}

// matches reports whether the rule is for a preset of a system and a method.
func (r *rule) matches(m *Method, system, motion, preset string) bool {
	return within(r.systems, system, system+":"+motion) && within(r.presets, preset) && within(r.methods, m.terms...)
}

// configure gives the settings of a table the values of a preset. If `whole` is false, it skips settings
// that the table does not have.
func (c *catalogue) configure(table setting.Table, whole bool, m *Method, system, motion, preset string) error {
	for _, r := range c.rules {
		if !r.matches(m, system, motion, preset) {
			continue
		}
		for _, s := range r.settings {
			f := table.Find(s[0])
			if f == nil && !whole {
				continue
			}
			var err error
			if f == nil || f.Follows {
				err = fmt.Errorf("there is no setting %s; use %s", setting.Quote(s[0]), namesOf(table, func(f setting.Field) bool { return f.Follows }))
			} else {
				err = f.Set(s[1])
			}
			if err != nil {
				return fmt.Errorf("presets.txt:%d: %s/%s@%s: %w", r.line, system, m.Name, preset, err)
			}
		}
	}
	return nil
}

// names lists the names of the methods.
func (c *catalogue) names() (names []string) {
	for _, m := range c.methods {
		names = append(names, m.Name)
	}
	return names
}
