package lab

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// Settings are the demo's controls. They are what a link carries.
type Settings struct {
	Eps   float64
	ZDim  int
	N     int // particles a set
	Seed  uint64
	Set   int // index of the set shown
	Drift bool
	// Scratch is set when the weights were trained here from the seed, up to
	// Step, rather than shipped.
	Scratch bool
	Step    int
}

// DefaultSettings is what the lab opens with.
func DefaultSettings() Settings { return Settings{Eps: 0.1, ZDim: 8, N: 200, Seed: 1} }

// maxSet bounds the index of the set shown, maxStep the steps of a run.
const (
	maxSet  = 1_000_000
	maxStep = 10_000_000
)

// assign changes one setting from text. Its error is a sentence that says what
// the setting takes; the settings are then as they were.
func (s *Settings) assign(name, value string) error {
	value = strings.TrimSpace(value)
	switch name {
	case "eps":
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(v) || v < MinEps || v > MaxEps {
			return fmt.Errorf("ε cannot be %s: it is the width of a Gaussian, so give a number from %g to %g", quote(value), MinEps, MaxEps)
		}
		s.Eps = v
	case "zdim":
		return assignInt(&s.ZDim, "the latent dimension", value, 1, MaxZDim)
	case "n":
		return assignInt(&s.N, "the number of particles", value, MinParticles, MaxParticles)
	case "set":
		return assignInt(&s.Set, "the set", value, 0, maxSet)
	case "step":
		return assignInt(&s.Step, "the step", value, 0, maxStep)
	case "seed":
		v, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return fmt.Errorf("the seed cannot be %s: give a whole number from 0 to %d", quote(value), uint64(math.MaxUint64))
		}
		s.Seed = v
	case "drift":
		if value != "on" && value != "off" {
			return fmt.Errorf("drift cannot be %s: give on or off", quote(value))
		}
		s.Drift = value == "on"
	case "model":
		if value != "scratch" && value != "shipped" {
			return fmt.Errorf("the model cannot be %s: give shipped or scratch", quote(value))
		}
		s.Scratch = value == "scratch"
	default:
		return fmt.Errorf("there is no setting called %s", quote(name))
	}
	return nil
}

func assignInt(dst *int, what, value string, lo, hi int) error {
	v, err := strconv.Atoi(value)
	if err != nil || v < lo || v > hi {
		return fmt.Errorf("%s cannot be %s: give a whole number from %d to %d", what, quote(value), lo, hi)
	}
	*dst = v
	return nil
}

// quote shows text from outside, cut to a length that fits a sentence.
func quote(s string) string {
	const most = 24
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

// linkVersion is the schema of the fragment that Fragment writes. A later
// schema must go on reading this one.
const linkVersion = "1"

// Fragment returns the settings as a URL fragment, without '#'.
func (s Settings) Fragment() string {
	var b strings.Builder
	fmt.Fprintf(&b, "v=%s&lab=demo&eps=%s&zdim=%d&n=%d&seed=%d&set=%d",
		linkVersion, strconv.FormatFloat(s.Eps, 'g', -1, 64), s.ZDim, s.N, s.Seed, s.Set)
	if s.Drift {
		b.WriteString("&drift=on")
	}
	if s.Scratch {
		fmt.Fprintf(&b, "&model=scratch&step=%d", s.Step)
	}
	return b.String()
}

// ParseFragment reads a fragment. What it does not mention has its default;
// what it gets wrong keeps its default too and is named in the error, beside
// which the settings can be used.
func ParseFragment(fragment string) (Settings, error) {
	s := DefaultSettings()
	fragment = strings.TrimPrefix(fragment, "#")
	if len(fragment) > 4096 {
		return s, errors.New("the link is longer than any that this lab makes, so it was not read")
	}
	values, err := url.ParseQuery(fragment)
	if err != nil {
		return s, fmt.Errorf("the link's settings %s cannot be read, so the lab opened with its own", quote(fragment))
	}
	if v := values.Get("v"); v != "" && v != linkVersion {
		return s, fmt.Errorf("the link is of version %s and this lab reads version %s; reload the page to update it", quote(v), linkVersion)
	}
	if v := values.Get("lab"); v != "" && v != "demo" {
		return s, fmt.Errorf("the link is for a lab called %s, which this version does not have", quote(v))
	}
	var wrong []error
	for _, name := range [...]string{"eps", "zdim", "n", "seed", "set", "drift", "model", "step"} {
		if v, ok := values[name]; ok {
			if err := s.assign(name, v[len(v)-1]); err != nil {
				wrong = append(wrong, err)
			}
			delete(values, name)
		}
	}
	delete(values, "v")
	delete(values, "lab")
	for name := range values {
		wrong = append(wrong, fmt.Errorf("there is no setting called %s", quote(name)))
		break // one is enough to say that the link is not ours
	}
	if len(wrong) > 0 {
		return s, fmt.Errorf("the link was read in part: %w", wrong[0])
	}
	return s, nil
}
