package lab

import (
	"strings"
	"testing"
)

func TestFragmentRoundTrip(t *testing.T) {
	for _, s := range []Settings{
		DefaultSettings(),
		{Eps: 1e-8, ZDim: 1, N: 10, Seed: 1<<64 - 1, Set: 7, Drift: true, Scratch: true, Step: 3000},
	} {
		got, err := ParseFragment("#" + s.Fragment())
		if err != nil || got != s {
			t.Errorf("%q: got %+v, %v; want %+v", s.Fragment(), got, err, s)
		}
	}
}

func TestFragmentGarbage(t *testing.T) {
	for _, tc := range []struct{ fragment, says string }{
		{"eps=0", "ε cannot be"}, {"eps=-1", "ε cannot be"}, {"eps=1e300", "ε cannot be"}, {"eps=NaN", "ε cannot be"},
		{"eps=", "ε cannot be"}, {"zdim=0", "latent dimension"}, {"zdim=8.5", "latent dimension"}, {"n=99999999", "particles"},
		{"seed=-1", "seed"}, {"set=x", "the set"}, {"%zz", "cannot be read"}, {"v=99", "version"}, {"lab=cats", "cats"},
		{"hello", "no setting"}, {strings.Repeat("a", 5000), "longer"}, {"drift=maybe", "drift"}, {"model=x", "model"},
	} {
		got, err := ParseFragment(tc.fragment)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%q: error %v, want one that says %q", tc.fragment, err, tc.says)
		}
		if got != DefaultSettings() {
			t.Errorf("%q: settings %+v", tc.fragment, got)
		}
	}
	got, err := ParseFragment("eps=0.3&zdim=banana&set=4")
	if err == nil || got.Eps != 0.3 || got.Set != 4 || got.ZDim != 8 {
		t.Errorf("half a link gave %+v, %v", got, err)
	}
}

func FuzzParseFragment(f *testing.F) {
	f.Add(DefaultSettings().Fragment())
	f.Add("eps=1e-8&zdim=1&drift=on&model=scratch&step=12")
	f.Fuzz(func(t *testing.T, fragment string) {
		s, err := ParseFragment(fragment)
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("a sentence of %d bytes", len(err.Error()))
		}
		if again, err := ParseFragment(s.Fragment()); err != nil || again != canonical(s) {
			t.Errorf("%+v did not survive: %+v, %v", s, again, err)
		}
	})
}

// canonical drops the step of settings that a fragment writes without one.
func canonical(s Settings) Settings {
	if !s.Scratch {
		s.Step = 0
	}
	return s
}
