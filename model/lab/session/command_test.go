package session_test

import (
	"testing"

	"macroscope/model/wire"
)

// FuzzCommand gives a session any command that the page could send. The session must carry out
// the command or reject it with a sentence, and keep a complete picture and state.
func FuzzCommand(f *testing.F) {
	for i, lab := range names {
		v := newcomer(f, lab)
		for k, c := range v.controls() {
			if k%3 == i {
				f.Add(uint8(i), wire.Set, c.ID, c.Value, []byte{})
				f.Add(uint8(i), wire.Press, c.ID, "", []byte{})
			}
		}
		for _, c := range edits[lab] {
			f.Add(uint8(i), c.Kind, c.Name, c.Value, []byte{})
		}
		f.Add(uint8(i), wire.Link, "", small[lab], []byte{})
		f.Add(uint8(i), wire.File, "a.csv", "", []byte("frame,x,y\n0,1,2\n1,2,3\n"))
		f.Add(uint8(i), "seek", "", "3", []byte{})
	}
	f.Add(uint8(2), wire.Set, "temperature", "1e300", []byte{})
	f.Add(uint8(2), wire.Link, "", small["mixing"]+"&turned=1,0.5,0.6,0.7~3,2,0.5,0.6,0.7", []byte{})
	f.Add(uint8(1), "nonsense", "\xff", "%zz", []byte("PK\x03\x04"))
	untouched := make(map[string]*visitor) // sessions that have rejected every command; they are used again, because opening a lab takes most of the time
	f.Fuzz(func(t *testing.T, which uint8, kind, name, value string, b []byte) {
		if testing.Short() {
			t.Skip()
		}
		lab := names[int(which)%len(names)]
		v := untouched[lab]
		if v == nil {
			v = newcomer(t, lab)
		}
		v.t = t
		delete(untouched, lab)
		n := v.Apply(wire.Command{Kind: kind, Name: name, Value: value, Data: b})
		if n != nil && !sentence(n.Text) {
			t.Errorf("%s %q %q: notice %q", kind, name, value, n.Text)
		}
		if !finite(v.State()) {
			t.Errorf("%s %q %q: state %+v", kind, name, value, v.State())
		}
		v.picture()
		if n != nil && n.Error && kind != wire.Link && kind != wire.File && kind != wire.Restore {
			untouched[lab] = v
			return
		}
		v.Work(0)
		v.picture()
		if parts, _ := v.Pooled.Saved(); parts != nil {
			if n := newcomer(t, lab).Apply(wire.Command{Kind: wire.Restore, Data: wire.Whole(parts)}); n != nil && n.Error {
				t.Errorf("%s %q %q: what was saved is refused: %s", kind, name, value, n.Text)
			}
		}
	})
}
