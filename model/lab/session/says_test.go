package session_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"macroscope/assets"
	"macroscope/model/lab/session"
	"macroscope/model/lab/view"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// spoken lists the texts with sentences about facts, by lab and kind of dynamics. The facts of a sentence
// are those of a struct, or those that the texts themselves name.
var spoken = []struct {
	name, texts, kinds string
	says               map[string]any
}{
	{"single sets", assets.Lab, "set", map[string]any{"headline": session.Headline{}, "unlike": session.Standing{}, "cannot": nil}},
	{"exact", assets.Lab, "run exact", map[string]any{"headline": session.Headline{}, "unlike": session.Standing{}, "cannot": nil, "extrapolation": view.Shown{}, "parameters": view.Shown{}, "unpredicted": nil}},
	{"noise", assets.Lab, "run noise", map[string]any{"headline": session.Headline{}}},
	{"line", assets.Line, "", map[string]any{"summary": nil}},
	{"particles", assets.Particles, "", map[string]any{"summary": nil, "foreign": nil, "beyond": nil}},
	{"mixing", assets.Mixing, "", map[string]any{"summary": nil, "foreign": nil}},
	{"polymer", assets.Polymer, "", map[string]any{"summary": nil, "foreign": nil}},
	{"flock", assets.Flock, "", map[string]any{"summary": nil, "foreign": nil}},
	{"own", assets.Own, "", map[string]any{"summary": nil, "empty": nil, "waiting": nil, "observable": nil}},
}

// implied lists what follows from conditions on facts. Facts that contradict it do not occur.
var implied = [][2]string{
	{"holds", "near,!fails,!toofew"}, {"near", "judged,off<=2.5"}, {"judged,!near,off", "off>2.5"}, {"fails", "judged"}, {"toofew", "judged,inside<89.5"}, {"!off", "fails"},
	{"near,inside>=89.5,!fails,!toofew", "holds"}, {"!judged", "off<=0.1"}, {"tocome<=0", "ended"},
	{"narrow", "!wide,kl>0,smooth>0.01,spikes>0.5"}, {"wide", "kl<0.05"}, {"!kl", "!narrow,!wide"}, {"kl", "density"},
	{"latest,!stays", "moves"}, {"pathstays", "stays"}, {"pathmoves", "moves"},
	{"bare", "!density"}, {"points>0", "bare,restores,decoder"}, {"!decoder", "points=0"},
	{"times", "times>=1"}, {"better", "trainings>1"}, {"worse", "trainings>1"}, {"equal", "trainings>1"}, {"!better,!worse,!equal", "trainings=0"}, {"trainings>0", "others>1"},
	{"models<1", "models>0"}, {"serves", "!waits,!trains"},
	{"ok", "!coming"}, {"ok", "!learning"}, {"coming", "!learning"}, {"count<1", "count>0"}, {"clusters<1", "clusters>0"}, {"closures<1", "closures>0"}, {"independent<1", "independent>0"},
}

// asserted lists phrases with what they assert.
var asserted = [][2]string{
	{`\*\*holds\*\*`, "holds,!outside"}, {`fails\|wrong`, "fails,!outside"}, {`no longer a number`, "!off"}, {`outside of training`, "outside"},
	{`off by (?:up to )?\*`, "off,judged"}, {`left the 90 % band`, "off>0"}, {`to the last frame`, "ended,tocome<=0"}, {`still to be simulated`, "tocome>0"},
	{`still in training`, "training"}, {`may not be that of training`, "unknown"}, {`left the training range`, "left>=0"},
	{`have not learned enough`, "!training,left<0"}, {`chance hardly`, "toofew"}, {`can be chance`, "near,!toofew,inside<89.5"},
	{`inside the trained range`, "inputs,!outside"}, {`same MRE`, "times<1.05"}, {`times\*\* the MRE`, "times>=1.05"},
	{`model 1 is better`, "better"}, {`model 2 is better`, "worse"}, {`are equal within`, "equal"},
	{`Showing`, "is,!coming"}, {`Loading`, "coming"}, {`its range ends`, "ends"}, {`The training is for`, "intraining"}, {`about to begin`, "waits,!trains"}, {`running training`, "trains,fits"},
	{`Training diverged`, "diverged"}, {`knows nothing`, "untrained"}, {`this one number`, "closures=1"}, {`the numbers remember`, "closures>1"},
	{`remembers? all`, "kl<0.001,!untrained"}, {`nearly all of the target`, "kl<0.05,!untrained"}, {`more numbers ẑ`, "kl>=0.05,!untrained,!narrow"},
	{`less than 0.001`, "kl<0.001"}, {`perfect fit`, "smooth<0.001"}, {`smooth copy`, "smooth>=0.001"},
	{`ε is narrow`, "narrow"}, {`ε is wide`, "wide"}, {`more than half of the KL`, "spikes<0.95"}, {`nearly all of the KL`, "spikes>=0.95"},
	{`Nothing is decoded`, "!restores"}, {`decoder of ẑ is not`, "!decoder"}, {`ẑ decodes`, "points>0,bare"}, {`a clump`, "spread<60"},
	{`from it alone`, "density,closures=1"}, {`from these alone`, "density,closures>1"}, {`new numbers`, "latest"}, {`unchanged`, "stays<0.0001"}, {`List encoder`, "moves,listed"}, {`Plain autoencoder`, "moves,!listed"},
	{`Their predictions`, "pathstays,pathmoves"}, {`kinds of starts`, "start,wider"},
	{`predicted\[`, "ok"}, {`this frame alone`, "ok,frame=0"}, {`is loading`, "coming"}, {`Stage I`, "learning"}, {`90 % band [\d.]+ to`, "low"},
	{`on trajectories of a file`, "offile,!recorded"}, {`Your data may`, "recorded,!offile"}, {`\*\*of your own\*\*`, "recorded"}, {`mixture\|mixture`, "!recorded"},
	{`in mid-run`, "retuned"}, {`An empty plane`, "blank"}, {`You have changed`, "edited"}, {`This run begins`, "clusters!=usual,!edited"},
}

var (
	field = regexp.MustCompile(`\{([a-z]+)([:|])?[^}]*\}`)
	sides = regexp.MustCompile(`[a-z]+`)
	one   = regexp.MustCompile(`\b1(\*\*)? (independent )?(numbers|frames|points|particles|clusters|atoms|trainings)\b`)
	ends  = regexp.MustCompile(`[.:;](\||\s|$)`)
	mark  = regexp.MustCompile(`\[([^][|]*)\|[a-z ]+\]`)
)

// speaker says a sentence of a page with facts of one type.
type speaker struct {
	page  *system.Page
	name  string
	kinds map[string]reflect.Kind
	of    reflect.Type
	bare  map[string]bool // facts that can be unknown: a condition asks
	marks []float64       // numbers with which the texts compare, and numbers near them
}

// newSpeaker returns a speaker for the facts that the texts name. If facts is not nil, its type must have them.
func newSpeaker(p *system.Page, name string, facts any) *speaker {
	s := &speaker{page: p, name: name, kinds: map[string]reflect.Kind{}, bare: map[string]bool{}, marks: []float64{0, 1e-9, 0.3, 1, 2, 7, 1e5}}
	s.ask(name)
	for _, of := range implied {
		for condition := range strings.SplitSeq(of[0]+","+of[1], ",") {
			s.bare[strings.TrimPrefix(condition, "!")] = true
		}
	}
	var fields []reflect.StructField
	for name, kind := range s.kinds {
		of := map[reflect.Kind]reflect.Type{reflect.Bool: reflect.TypeFor[bool](), reflect.String: reflect.TypeFor[string](), reflect.Int: reflect.TypeFor[int](), reflect.Float64: reflect.TypeFor[float64]()}[kind]
		fields = append(fields, reflect.StructField{Name: strings.ToUpper(name), Type: of})
	}
	if s.of = reflect.TypeOf(facts); s.of == nil {
		slices.SortFunc(fields, func(a, b reflect.StructField) int { return strings.Compare(a.Name, b.Name) })
		s.of = reflect.StructOf(fields)
	}
	return s
}

// ask notes which facts a sentence, and the sentences in it, ask for. A fact is a number if the texts compare,
// count or format it, a text if they contain it otherwise, and else a yes or no.
func (s *speaker) ask(name string) {
	is := func(name string, kind reflect.Kind) {
		if was := s.kinds[name]; was == 0 || kind == reflect.Int || was != reflect.Int && (kind == reflect.Float64 || was == reflect.Bool) {
			s.kinds[name] = kind
		}
	}
	of := s.page.Says[name]
	for _, c := range append([]system.Case{{Text: of.Text}}, of.Cases...) {
		for condition := range strings.SplitSeq(c.If, ",") {
			names := sides.FindAllString(condition, -1)
			for _, name := range names {
				kind := reflect.Bool
				if strings.ContainsAny(condition, "<>=") {
					kind = reflect.Float64
				} else {
					s.bare[name] = true
				}
				is(name, kind)
			}
			for number := range strings.FieldsFuncSeq(condition, func(r rune) bool { return strings.ContainsRune("!<>=", r) }) {
				if v, err := strconv.ParseFloat(number, 64); err == nil {
					s.marks = append(s.marks, v, v*0.99, v*1.01)
				}
			}
		}
		for _, m := range field.FindAllStringSubmatch(c.Text, -1) {
			switch {
			case m[2] == ":":
				is(m[1], reflect.Float64)
			case m[2] == "|":
				is(m[1], reflect.Int)
			case s.page.Says[m[1]] != nil:
				s.ask(m[1])
			default:
				is(m[1], reflect.String)
			}
		}
	}
}

// demand adds a sentence to the page. It says `text` if a condition holds and another does not. It reports
// whether all facts of the conditions are known.
func (s *speaker) demand(facts map[string]reflect.Value, name, premise, conclusion, text string) bool {
	for _, fact := range sides.FindAllString(premise+","+conclusion, -1) {
		if !facts[fact].IsValid() {
			return false
		}
	}
	s.page.Says[name+"-"] = &system.Sentence{Text: text, Cases: []system.Case{{If: conclusion}}}
	s.page.Says[name] = &system.Sentence{Cases: []system.Case{{If: premise, Text: "{" + name + "-}"}}}
	return true
}

// draw changes a fact at random.
func (s *speaker) draw(name string, v reflect.Value, src *rand.Rand) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(src.IntN(2) == 0)
	case reflect.String:
		if v.SetString("example"); s.bare[name] && src.IntN(2) == 0 {
			v.SetString("")
		}
	case reflect.Int:
		if v.SetInt([]int64{0, 1, 2, 300}[src.IntN(4)]); name == "left" && src.IntN(2) == 0 {
			v.SetInt(-1)
		}
	case reflect.Float64:
		if v.SetFloat(s.marks[src.IntN(len(s.marks))]); s.bare[name] && src.IntN(4) == 0 {
			v.SetFloat(math.NaN())
		}
	}
}

// eachFact calls do with all facts of a struct.
func eachFact(v reflect.Value, do func(name string, v reflect.Value)) {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous {
			eachFact(v.Field(i), do)
		} else if slices.Contains([]reflect.Kind{reflect.Bool, reflect.String, reflect.Int, reflect.Float64}, f.Type.Kind()) && f.IsExported() {
			do(strings.ToLower(f.Name), v.Field(i))
		}
	}
}

// TestSentencesOfFacts says the sentences with random facts. At most one case of a sentence may apply, and
// every case must apply to some facts. No sentence may contradict a fact, see asserted, or contain a number that
// is not known, a wrong plural or more than 25 words.
func TestSentencesOfFacts(t *testing.T) {
	used := make([]bool, len(asserted))
	for _, of := range spoken {
		for name, facts := range of.says {
			t.Run(of.name+"/"+name, func(t *testing.T) {
				p := system.ReadPage(of.texts, func(c string) bool { return slices.Contains(strings.Fields(of.kinds), c) })
				s := newSpeaker(p, name, facts)
				saySentences(t, s, used)
			})
		}
	}
	for i, a := range asserted {
		if !used[i] {
			t.Errorf("no sentence says %q", a[0])
		}
	}
}

func saySentences(t *testing.T, s *speaker, used []bool) {
	var phrases []*regexp.Regexp
	for _, a := range asserted {
		phrases = append(phrases, regexp.MustCompile(a[0]))
	}
	src := rand.New(rand.NewPCG(1, 2))
	is := reflect.New(s.of).Elem()
	facts := map[string]reflect.Value{}
	eachFact(is, func(name string, v reflect.Value) { facts[name] = v })
	for name, kind := range s.kinds {
		if v, ok := facts[name]; !ok || kind != v.Kind() && (kind != reflect.Float64 || !v.CanInt()) && (kind != reflect.Bool || v.Kind() != reflect.Float64) && (kind != reflect.String || v.Kind() == reflect.Bool) {
			t.Fatalf("%q is asked for as %v", name, kind)
		}
	}
	said := slices.Collect(maps.Keys(s.page.Says))
	wrong, cases := "", map[string]int{}
	names := slices.Sorted(maps.Keys(facts))
	for i, of := range implied {
		if name := fmt.Sprint("implied", i); s.demand(facts, name, of[0], of[1], fmt.Sprint(i)) {
			wrong += "{" + name + "} "
		}
	}
	s.page.Says["wrong"] = &system.Sentence{Text: wrong}
	counts := ""
	for _, name := range said {
		asks := &speaker{page: s.page, kinds: map[string]reflect.Kind{}, bare: map[string]bool{}}
		if asks.ask(name); !subset(asks.kinds, s.kinds) {
			continue
		}
		for i, c := range s.page.Says[name].Cases {
			id := fmt.Sprint(name, "#", i)
			s.page.Says[id] = &system.Sentence{Cases: []system.Case{{If: c.If, Text: id}}}
			counts += "{" + id + "} "
			cases[id] = 0
		}
	}
	s.page.Says["counts"] = &system.Sentence{Text: counts}
	for i, a := range asserted {
		if name := fmt.Sprint("asserted", i); s.demand(facts, name, a[1], a[1], "") {
			s.page.Says[name] = &system.Sentence{Text: "no", Cases: []system.Case{{If: a[1], Text: "yes"}}}
		}
	}
	for range 40 * len(names) {
		for _, name := range names {
			s.draw(name, facts[name], src)
		}
		for {
			no := strings.Fields(s.page.Say("wrong", is.Interface()))
			if len(no) == 0 {
				break
			}
			i, _ := strconv.Atoi(no[src.IntN(len(no))])
			of := sides.FindAllString(implied[i][0]+","+implied[i][1], -1)
			name := of[src.IntN(len(of))]
			s.draw(name, facts[name], src)
		}
		applies := map[string]int{}
		for _, id := range strings.Fields(s.page.Say("counts", is.Interface())) {
			cases[id]++
			name, _, _ := strings.Cut(id, "#")
			if applies[name]++; applies[name] > 1 {
				t.Fatalf("several cases of %s apply to %+v", name, is.Interface())
			}
		}
		text := s.page.Say(s.name, is.Interface())
		if s.name == "headline" && text == "" || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.ContainsAny(text, "{}") || strings.Contains(text, "  ") || one.MatchString(text) {
			t.Fatalf("%q of %+v", text, is.Interface())
		}
		for sentence := range strings.SplitSeq(ends.ReplaceAllString(mark.ReplaceAllString(text, "$1"), "\n"), "\n") {
			if n := len(strings.Fields(sentence)); n > 25 {
				t.Fatalf("%d words: %q", n, sentence)
			}
		}
		for i, a := range asserted {
			if !phrases[i].MatchString(text) {
				continue
			}
			if used[i] = true; s.page.Says[fmt.Sprint("asserted", i)] == nil {
				t.Fatalf("%q asserts %q, and there are no such facts", text, a[1])
			}
			if s.page.Say(fmt.Sprint("asserted", i), is.Interface()) != "yes" {
				t.Fatalf("%q asserts %q, which is wrong of %+v", text, a[1], is.Interface())
			}
		}
	}
	for id, n := range cases {
		if n == 0 {
			t.Errorf("the case %s never applies", id)
		}
	}
}

func subset(a, all map[string]reflect.Kind) bool {
	for name := range a {
		if all[name] == 0 {
			return false
		}
	}
	return true
}

// TestHeadlineAfterReset checks that the headline does not blame the number of closure variables for the error
// of random weights.
func TestHeadlineAfterReset(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.press("reset")
		if says := v.State().Summary; strings.Contains(says, "more numbers") || !strings.Contains(says, "knows nothing yet") {
			t.Errorf("after Reset the headline is %q", says)
		}
	})
}

// TestHeadlineOfAnotherModel checks that the headline does not report the order of particles in a model that
// has gone, even if the model to compare with arrives later.
func TestHeadlineOfAnotherModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newcomer(t, wire.Demo)
		v.fetch()
		v.press("shuffle")
		if says := v.State().Summary; !strings.HasPrefix(says, "Same particles") || strings.Contains(says, "Their") {
			t.Errorf("before the model to compare with is there, the headline is %q", says)
		}
		v.press("reset")
		v.fetch()
		if says := v.State().Summary; strings.HasPrefix(says, "Same particles") {
			t.Errorf("after Reset the headline is %q", says)
		}
	})
}
