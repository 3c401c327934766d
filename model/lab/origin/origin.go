// Package origin says where the weights of a model come from. An Origin consists of facts, and its
// method String writes the sentence for the user. No code decides by the sentence, with one exception:
// Read converts sentences, because files of earlier versions contain nothing else.
package origin

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"macroscope/model/setting"
)

// Kind says how weights were made.
type Kind uint8

// The kinds of weights.
const (
	Unknown       Kind = iota // nothing is known
	Shipped                   // trained before, shipped with the lab
	Untrained                 // random, of Seed
	Scratch                   // trained here, from random weights of Seed
	OnShipped                 // trained on here from the shipped model
	OnEarlier                 // trained on here from an earlier training
	OnCheckpoint              // trained on here from a checkpoint
	OnRun                     // trained on here from the kept run Name
	Opened                    // opened from the file Name
	OfCommandLine             // trained by the command line, opened from the file Name
	Swept                     // trained here in a sweep
)

// Origin is the origin of a model's weights. Equal origins are equal values. The zero Origin is that
// of weights about which nothing is known.
type Origin struct {
	Kind       Kind
	Seed       uint64 // of the kinds Untrained and Scratch
	Name       string // a run or a file, see Kind
	Data       string // name of the file of trajectories from which the weights were trained here; "": of simulated data
	Retargeted bool   // whether ε changed after the training had taken steps

	told string // a sentence of an earlier version from which Read got no facts
}

// detail is the fact that a sentence names after its first words.
type detail uint8

const (
	none detail = iota
	seed
	run
	file
)

// kinds has a row for each Kind: its name in files, and the parts of its sentence. `of` is the model or
// file from which the weights come.
var kinds = [...]struct {
	name, made, of string
	detail         detail
}{
	Unknown:       {name: ""},
	Shipped:       {"shipped", "shipped with the lab", "", none},
	Untrained:     {"untrained", "untrained, seed ", "", seed},
	Scratch:       {"scratch", "trained here from scratch, seed ", "", seed},
	OnShipped:     {"on-shipped", trainedOn, "the shipped model", none},
	OnEarlier:     {"on-earlier", trainedOn, "an earlier training", none},
	OnCheckpoint:  {"on-checkpoint", trainedOn, "a checkpoint", none},
	OnRun:         {"on-run", trainedOn, "", run},
	Opened:        {"opened", "opened from ", "", file},
	OfCommandLine: {"command-line", "trained by the command line, from ", "", file},
	Swept:         {"swept", "trained here in a sweep", "", none},
}

const (
	trainedOn  = "trained on here from "
	on         = ", on "
	retargeted = ", with ε changed in between"
)

// String returns the origin as a sentence without its full stop. It returns "" for the zero Origin.
func (o Origin) String() string {
	text := o.told
	if o.Kind != Unknown {
		text = kinds[o.Kind].made + o.From()
	}
	if o.Data != "" {
		text += on + o.Data
	}
	if o.Retargeted {
		text += retargeted
	}
	return text
}

// From names the model, the file or the seed from which the weights come: "the shipped model".
func (o Origin) From() string {
	k := kinds[o.Kind]
	switch k.detail {
	case seed:
		return strconv.FormatUint(o.Seed, 10)
	case run:
		return strconv.Quote(o.Name)
	case file:
		return setting.Quote(o.Name)
	}
	return k.of
}

// Read returns the facts in a sentence of String. Earlier versions saved this sentence and no facts. An
// Origin from another sentence has the same sentence.
func Read(sentence string) Origin {
	text, changed := strings.CutSuffix(sentence, retargeted)
	for kind := Shipped; int(kind) < len(kinds); kind++ {
		k := kinds[kind]
		rest, ok := strings.CutPrefix(text, k.made+k.of)
		o := Origin{Kind: kind, Retargeted: changed}
		if ok && k.detail != none {
			rest, ok = o.read(k.detail, rest)
		}
		if o.Data, _ = strings.CutPrefix(rest, on); ok && o.String() == sentence {
			return o
		}
	}
	return Origin{told: text, Retargeted: changed}
}

// The method read reads a detail at the beginning of text, and returns the rest of text.
func (o *Origin) read(d detail, text string) (rest string, ok bool) {
	if d == seed {
		digits, _, _ := strings.Cut(text, ",")
		v, err := strconv.ParseUint(digits, 10, 64)
		o.Seed = v
		return text[len(digits):], err == nil
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", false
	}
	o.Name, err = strconv.Unquote(quoted)
	return text[len(quoted):], err == nil
}

// table lists the facts in the form of files.
func (o *Origin) table() setting.Table {
	return setting.Table{
		{Name: "kind", Value: &o.Kind}, {Name: "seed", Value: &o.Seed, Absent: "0"}, {Name: "name", Value: &o.Name}, {Name: "data", Value: &o.Data},
		{Name: "retargeted", Value: &o.Retargeted, Absent: "off", Switch: true},
	}
}

// facts begins the text of an Origin with facts. No sentence begins like this.
const facts = "kind="

// MarshalText implements encoding.TextMarshaler. It writes the facts like a link, or the sentence if
// there are no facts.
func (o Origin) MarshalText() ([]byte, error) {
	if o.Kind == Unknown {
		return []byte(o.String()), nil
	}
	var parts []string
	for _, f := range o.table() {
		if text := f.Text(); text != f.Absent {
			parts = append(parts, f.Name+"="+setting.Escape(text))
		}
	}
	return []byte(strings.Join(parts, "&")), nil
}

// UnmarshalText implements encoding.TextUnmarshaler. It reads facts, or the sentence of an earlier
// version.
func (o *Origin) UnmarshalText(b []byte) error {
	text := string(b)
	if !strings.HasPrefix(text, facts) {
		*o = Read(text)
		return nil
	}
	var read Origin
	values, err := url.ParseQuery(text)
	if err != nil {
		return err
	}
	if wrong := read.table().Take(values); wrong != nil {
		return wrong[0]
	}
	*o = read
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(kinds[k].name), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(name []byte) error {
	for i := Shipped; int(i) < len(kinds); i++ {
		if kinds[i].name == string(name) {
			*k = i
			return nil
		}
	}
	return errors.New("the lab knows no such origin of weights")
}
