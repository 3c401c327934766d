package door_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
	"macroscope/model/lab/session/door"
	"macroscope/model/wire"
)

// A shipped model is dropped on the lab of the particles, which proposes to keep it as a run.
func Example() {
	of := catalogue.Particles()
	b, err := os.ReadFile("../../../../assets/" + of.Shipped[0].File)
	if err != nil {
		panic(err)
	}
	p, err := door.Open(&of, "mine.safetensors", b)
	fmt.Println(p.Model.Name, p.Visit == nil, p.Data == nil, err)
	// Output: mine true true <nil>
}

// saved returns everything in a lab as one file.
func saved(t *testing.T, of lab.Lab) []byte {
	t.Helper()
	_, b, err := session.New(of).Save(wire.Bundle)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOpen opens files of each kind, in their own lab and in another one. A file that cannot be opened proposes nothing.
func TestOpen(t *testing.T) {
	particles, line := catalogue.Particles(), catalogue.Line()
	model, err := os.ReadFile("../../../../assets/" + particles.Shipped[0].File)
	if err != nil {
		t.Fatal(err)
	}
	all := saved(t, particles)
	for _, tc := range []struct {
		name string
		b    []byte
		in   *lab.Lab
		want string // "visit", "model", "data", "elsewhere", or a part of the error
	}{
		{"all.macroscope", all, &particles, "visit"},
		{"ALL.MACROSCOPE", all, &particles, "visit"},
		{"renamed.zip", all, &particles, "visit"},
		{"all.macroscope", all, &line, "elsewhere particles"},
		{"all.macroscope", all[:len(all)/2], &particles, "error"},
		{"m.safetensors", model, &particles, "model"},
		{"renamed", model, &particles, "model"},
		{"m.safetensors", model, &line, "elsewhere particles"},
		{"m.safetensors", model[:len(model)/2], &particles, "error"},
		{"runs.npz", []byte("anything"), &particles, "data"},
		{"sweep.JSON", []byte("{}"), &particles, "table of a sweep"},
		{"mine.observables.csv", []byte("run,frame\n"), &particles, "table of observables"},
	} {
		p, err := door.Open(tc.in, tc.name, tc.b)
		away := new(door.Elsewhere)
		got := "error"
		switch {
		case errors.As(err, &away):
			got = "elsewhere " + away.Lab + away.System
		case err != nil && strings.Contains(err.Error(), tc.want):
			got = tc.want
		case err != nil:
		case p.Visit != nil:
			got = "visit"
		case p.Model != nil:
			got = "model"
		case p.Data != nil:
			got = "data"
		}
		if got != tc.want {
			t.Errorf("%s in the lab %s: %s, want %s; error %v", tc.name, tc.in.Link(), got, tc.want, err)
		}
	}
}

// TestPaused opens a lab that was saved while it trained. The proposal pauses the training.
func TestPaused(t *testing.T) {
	of := catalogue.Line()
	s := session.New(of)
	for name := s.Wants(); name != ""; name = s.Wants() {
		b, err := os.ReadFile("../../../../assets/" + name)
		if n := s.Fetched(name, b, err); n != nil && n.Error {
			t.Fatal(n.Text)
		}
	}
	s.Apply(wire.Command{Kind: wire.Press, Name: "train"})
	if is := s.State().Status; is != wire.Training.String() {
		t.Fatalf("it is %s", is)
	}
	_, b, err := s.Save(wire.Bundle)
	if err != nil {
		t.Fatal(err)
	}
	p, err := door.Open(&of, "all.macroscope", b)
	if err != nil || wire.Status(p.Visit.Trained.Status) != wire.Paused || p.Visit.Training == nil {
		t.Errorf("%+v, error %v", p, err)
	}
}
