package models_test

import (
	"os"
	"testing"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session/models"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
)

// The type `none` implements models.Training for a session without a training.
type none struct{}

func (none) Run() *runs.Run           { return nil }
func (none) Usable() bool             { return false }
func (none) Improved() bool           { return false }
func (none) CompareWith(*model.Model) {}

// TestShipped fetches the shipped model for the settings and compares it with another model. It
// then keeps, deletes and restores a model.
func TestShipped(t *testing.T) {
	of := catalogue.Line()
	m, set := models.New(&of, time.Now), lab.Defaults(&of)
	var generation uint64
	run := &view.Run{Live: of.System.Live(), Predicts: func(*model.Model) bool { return false }, Next: func() uint64 { generation++; return generation }}
	on := models.On{Run: run, Set: &set, Training: none{}}
	ship := func() {
		t.Helper()
		next, ok := m.Needs(&set, false)
		if !ok {
			t.Fatal("nothing is needed")
		}
		b, err := os.ReadFile("../../../../assets/" + next.File)
		if err != nil {
			t.Fatal(err)
		}
		model, err := m.Decode(next, b)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Ship(on, next, model); err != nil {
			t.Fatal(err)
		}
	}
	m.Expect(&set, true, false)
	if m.A() != nil || m.Missing() == nil || !m.Coming() {
		t.Error("a model is on show before it has come")
	}
	ship()
	if m.A().Called() != runs.Shipped || m.Coming() {
		t.Errorf("A is %q", m.A().Called())
	}
	if _, ok := m.Request("shipped ae-aug", false); !ok {
		t.Error("the lab has no model of AE-Aug")
	}
	ship()
	if _, b := m.Called(); b != "shipped ae-aug" {
		t.Errorf("B is %q", b)
	}
	m.KeepAs = "mine"
	if _, err := m.KeepShown(); err != nil || m.Kept.Find("mine") == nil || m.KeepAs != "" {
		t.Errorf("kept as %v, %v", m.Kept.Find("mine"), err)
	}
	e, err := m.Drop("mine")
	if err != nil || m.Kept.Find("mine") != nil || e.Undo == nil || e.Undo() != nil || m.Kept.Find("mine") == nil {
		t.Errorf("deleted: %v, news %+v", err, e.News)
	}
	if _, err := m.Drop(runs.Shipped); err == nil {
		t.Error("the model on show can be deleted")
	}
	if len(m.List(none{})) != len(of.Shipped)+1 {
		t.Errorf("%d runs are listed", len(m.List(none{})))
	}
}
