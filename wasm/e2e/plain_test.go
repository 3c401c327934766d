//go:build !js

package e2e

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/catalogue"
	"macroscope/model/wire"
)

// plainSteps is the number of training steps after which the weights are compared.
const plainSteps = "3"

// TestPlain opens the lab with ?plain in its address and trains. The result must equal, bit for
// bit, a native session with plain arithmetic.
func TestPlain(t *testing.T) {
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.open(serve(t, distDir).url + "?plain#lab=demo&n=60")
	p.wait("the shipped model", `document.documentElement.dataset.status === "done"`)
	p.wait("a word on the arithmetic", `document.getElementById("provenance").textContent.includes("Computed with plain")`)
	p.set("c-runto", plainSteps)
	p.click("c-go")
	p.wait("the steps", `(`+stepExpression+`) === `+plainSteps+` && document.documentElement.dataset.status === "paused"`)
	dir := t.TempDir()
	p.downloads(dir)
	p.click("c-save")
	b, err := os.ReadFile(downloaded(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	p.quiet()

	defer catalogue.Plain()()
	s := catalogue.All().Open(wire.Demo)
	do := func(c wire.Command) {
		t.Helper()
		if n := s.Apply(c); n != nil && n.Error {
			t.Fatal(n.Text)
		}
	}
	do(wire.Command{Kind: wire.Link, Value: "lab=demo&n=60"})
	model, err := os.ReadFile("../../assets/" + s.Wants())
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Fetched(s.Wants(), model, nil); n != nil {
		t.Fatal(n.Text)
	}
	do(wire.Command{Kind: wire.Set, Name: "runto", Value: plainSteps})
	do(wire.Command{Kind: wire.Press, Name: "go"})
	for s.Status() == wire.Training {
		s.Work(10 * time.Millisecond)
	}
	name, b, err := s.Save(wire.Model)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ckpt.Decode(strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range want.Tensors {
		if y := got.Tensor(x.Name); y == nil || !slices.Equal(x.F32, y.F32) {
			t.Errorf("%s: %s is not of the same bits in the tab", name, x.Name)
		}
	}
}
