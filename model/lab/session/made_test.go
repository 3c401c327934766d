package session_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"macroscope/model/wire"
)

// TestWhatWasMadeComesBack checks that every command that replaces the user's particles or
// force offers to restore them.
func TestWhatWasMadeComesBack(t *testing.T) {
	for lab, of := range map[string]struct{ edit, instead [][3]string }{
		wire.Demo: {
			[][3]string{{wire.Add, "", "0.125"}},
			[][3]string{{wire.Press, "another"}, {wire.Set, "set", "7"}, {wire.Set, "drift", "on"}, {wire.Link, "", small[wire.Demo] + "&seed=9"}},
		},
		"particles": {
			[][3]string{{"drag", "", "7 0.5 -0.25"}},
			[][3]string{{wire.Press, "another"}, {wire.Press, "clear"}, {wire.Set, "seed", "9"}, {wire.Set, "n", "50"}, {wire.Set, "preset", "ring"}, {wire.Link, "", small["particles"] + "&seed=9"}},
		},
		"polymer": {
			[][3]string{{"drag", "", "0 9 1"}},
			[][3]string{{wire.Press, "another"}, {wire.Set, "start", "hairpin"}, {wire.Set, "n", "30"}, {wire.Link, "", small["polymer"] + "&seed=9"}},
		},
	} {
		in(t, lab, func(t *testing.T, v *visitor) {
			for _, instead := range of.instead {
				for _, e := range of.edit {
					v.apply(e[0], e[1], e[2])
				}
				v.seek(0)
				before, carries := v.row("x"), v.State().Carries
				n := v.try(instead[0], instead[1], instead[2])
				if n == nil || n.Error || n.Press != "undo" || !strings.Contains(n.Text, "drew or edited are gone") || !sentence(n.Text) || v.State().Carries == carries {
					t.Errorf("%v: notice %+v, a link carries %q", instead, n, v.State().Carries)
					continue
				}
				v.press("undo")
				if !slices.Equal(v.row("x"), before) || v.State().Carries != carries {
					t.Errorf("%v, undone: %d particles, a link carries %q", instead, len(v.row("x")), v.State().Carries)
				}
				v.whole()
			}
		})
	}
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.settle()
		v.set("name", "usual")
		v.press("keep")
		v.set("force", "exp(0-r)-0.3")
		for _, instead := range [][2]string{{"preset", "ring"}, {"preset", "charges"}} {
			n := v.try(wire.Set, instead[0], instead[1])
			if n == nil || !strings.Contains(n.Text, "exp(0-r)-0.3") || !sentence(n.Text) {
				t.Fatalf("%v: notice %+v", instead, n)
			}
			if v.press("undo"); v.State().Values["force"] != "exp(0-r)-0.3" || !v.State().Playing {
				t.Errorf("%v, undone: the force is %s", instead, v.State().Values["force"])
			}
		}
		if n := v.try(wire.Set, "force", ""); n != nil && strings.Contains(n.Text, "gone") {
			t.Errorf("who empties the field is told %q", n.Text)
		}
		// If the replacement has been edited too, a second undo must bring it back.
		v.apply("drag", "", "7 0.5 -0.25")
		v.press("another")
		v.apply("drag", "", "3 0.5 -0.5")
		second := v.row("x")
		if n := v.try(wire.Press, "undo", ""); n == nil || n.Press != "undo" {
			t.Errorf("notice %+v", n)
		}
		if v.press("undo"); !slices.Equal(v.row("x"), second) {
			t.Error("what was drawn last is lost")
		}
	})
}

// TestWhatWasMadeIsNotCopied checks that commands do not copy the user's own particles: with
// many particles, commands and the state after them may allocate no more memory than with a few
// particles.
func TestWhatWasMadeIsNotCopied(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		const rounds = 20
		each := func(particles int) int {
			v.drop("own.npy", npy(t, particles))
			round := func() {
				for _, c := range [][3]string{{wire.Set, "eps", "0.2"}, {wire.Set, "name", "mine"}, {"seek", "", "0"}, {wire.Pause}} {
					v.apply(c[0], c[1], c[2])
				}
				v.State()
			}
			round()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range rounds {
				round()
			}
			runtime.ReadMemStats(&after)
			return int(after.TotalAlloc-before.TotalAlloc) / rounds
		}
		few, many := each(10), each(5000)
		if many-few > 5000 {
			t.Errorf("a round takes %d bytes with 10 particles and %d with 5000, which have %d", few, many, 4*5000)
		}
	})
}
