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

func TestChoice(t *testing.T) {
	var c Choice[form]
	var together sync.WaitGroup
	for range 8 { // as workers do that begin together
		together.Go(func() {
			if f := *c.Of(list); f != "avx512" {
				t.Errorf("%q serves at first", f)
			}
		})
	}
	together.Wait()

	restore, err := c.Use("avx2", list)
	if err != nil || *c.Of(list) != "avx2" {
		t.Errorf("%q serves, %v", *c.Of(list), err)
	}
	if _, err := c.Use("abacus", list); err == nil || !strings.Contains(err.Error(), "avx512") || *c.Of(list) != "avx2" {
		t.Errorf("%q serves after a form that there is not, %v", *c.Of(list), err)
	}
	var each []form
	c.Each(list, func(f *form) {
		if *c.Of(list) != *f {
			t.Errorf("%q serves in its place", *c.Of(list))
		}
		each = append(each, *f)
	})
	if !slices.Equal(each, list()) || *c.Of(list) != "avx2" {
		t.Errorf("each is %q, then %q", each, *c.Of(list))
	}
	restore()
	if *c.Of(list) != "avx512" {
		t.Errorf("%q serves again", *c.Of(list))
	}
	if n := testing.AllocsPerRun(10, func() { c.Of(list) }); n != 0 {
		t.Errorf("asking allocates %g times", n)
	}
}
