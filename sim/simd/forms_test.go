package simd

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

type form string

func (f form) Form() string { return string(f) }

func list() []form { return []form{"plain", "avx2", "avx512"} }

// TestInitial checks that the environment variable names the initial form.
func TestInitial(t *testing.T) {
	for name, want := range map[string]form{"": "avx512", "plain": "plain", "avx2": "avx2", "neon": "avx512"} {
		t.Setenv(Initial, name)
		c := Choice[form]{Package: "x", List: list}
		if f := *c.Serving(); f != want {
			t.Errorf("%s=%s: the form is %q, want %q", Initial, name, f, want)
		}
	}
}

func TestChoice(t *testing.T) {
	t.Setenv(Initial, "")
	c := Choice[form]{Package: "x", List: list}
	var together sync.WaitGroup
	for range 8 { // like workers that start together
		together.Go(func() {
			if f := *c.Serving(); f != "avx512" {
				t.Errorf("%q serves at first", f)
			}
		})
	}
	together.Wait()

	restore, err := c.Use("avx2")
	if err != nil || *c.Serving() != "avx2" {
		t.Errorf("%q serves, %v", *c.Serving(), err)
	}
	if _, err := c.Use("abacus"); err == nil || !strings.Contains(err.Error(), "avx512") || *c.Serving() != "avx2" {
		t.Errorf("%q serves after a form that there is not, %v", *c.Serving(), err)
	}
	var each []form
	c.Each(func(f *form) {
		if *c.Serving() != *f {
			t.Errorf("%q serves in its place", *c.Serving())
		}
		each = append(each, *f)
	})
	if !slices.Equal(each, list()) || *c.Serving() != "avx2" {
		t.Errorf("each is %q, then %q", each, *c.Serving())
	}
	restore()
	if *c.Serving() != "avx512" {
		t.Errorf("%q serves again", *c.Serving())
	}
	if n := testing.AllocsPerRun(10, func() { c.Serving() }); n != 0 {
		t.Errorf("asking allocates %g times", n)
	}
}
