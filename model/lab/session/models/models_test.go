package models_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/models"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/shelf"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
)

// The type `none` implements shelf.Training for a session without a training.
type none struct{}

func (none) Run() *runs.Run        { return nil }
func (none) Usable() bool          { return false }
func (none) Origin() origin.Origin { return origin.Origin{} }

// start returns the models of a lab, and the state on which they depend.
func start(l *lab.Lab) (*models.Models, picture.On) {
	set := lab.Defaults(l)
	var generation uint64
	run := &view.Run{Live: l.System.Live(), Predicts: func(*model.Model) bool { return false }, Next: func() uint64 { generation++; return generation }}
	return models.New(l, time.Now), picture.On{Now: shelf.Now{Set: &set, Training: none{}}, Run: run}
}

// ship lets a shipped model arrive.
func ship(t *testing.T, m *models.Models, on picture.On, of lab.Model) {
	t.Helper()
	b, err := os.ReadFile("../../../../assets/" + of.File)
	if err != nil {
		t.Fatal(err)
	}
	model, err := m.Shelf.Decode(of, b)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Ship(on, of, model); err != nil {
		t.Fatal(err)
	}
}

// TestShipped fetches the shipped model for the settings and compares it with another model. It
// then keeps, deletes and restores a model.
func TestShipped(t *testing.T) {
	of := catalogue.Line()
	m, on := start(&of)
	next := func() {
		t.Helper()
		for next := range m.Wants(on, false) {
			ship(t, m, on, next)
			return
		}
		t.Fatal("nothing is needed")
	}
	if _, err := m.FollowSettings(on); err != nil || m.Picture.A() != nil || m.Shelf.Missing() == nil || !m.Shelf.Coming(on.Now) {
		t.Errorf("a model is on show before it has come: %v", err)
	}
	if next(); m.Picture.A().Called() != runs.Shipped || m.Shelf.Coming(on.Now) {
		t.Errorf("A is %q", m.Picture.A().Called())
	}
	if _, err := m.Compare(on, "shipped ae-aug"); err != nil {
		t.Error(err)
	}
	next()
	if _, b := m.Picture.Called(); b != "shipped ae-aug" {
		t.Errorf("B is %q", b)
	}
	m.Shelf.KeepAs = "mine"
	if _, err := m.KeepShown(); err != nil || m.Shelf.Kept.Find("mine") == nil || m.Shelf.KeepAs != "" {
		t.Errorf("kept as %v, %v", m.Shelf.Kept.Find("mine"), err)
	}
	e, err := m.Drop("mine")
	if err != nil || m.Shelf.Kept.Find("mine") != nil || e.Undo == nil || e.Undo() != nil || m.Shelf.Kept.Find("mine") == nil {
		t.Errorf("deleted: %v, news %+v", err, e.News)
	}
	if _, err := m.Drop(runs.Shipped); err == nil {
		t.Error("the model on show can be deleted")
	}
	if len(m.List(none{})) != len(of.Shipped)+1 {
		t.Errorf("%d runs are listed", len(m.List(none{})))
	}
}

// TestEveryOrderOfArrival lets the files that the user's choices need arrive in every order. One of them may fail. The
// displayed models must not depend on the order.
func TestEveryOrderOfArrival(t *testing.T) {
	of := catalogue.Line()
	for name, want := range map[string]func(m *models.Models, on picture.On) error{
		"a first visit": func(m *models.Models, on picture.On) error { return nil },
		"a comparison":  func(m *models.Models, on picture.On) error { _, err := m.Compare(on, "shipped ae-aug"); return err },
		"another model": func(m *models.Models, on picture.On) error { _, err := m.Show(on, "shipped flow-st"); return err },
		"two other models": func(m *models.Models, on picture.On) error {
			_, err := m.ShowBoth(on, "shipped flow-st", "shipped ae-aug")
			return err
		},
		"the shipped one as B": func(m *models.Models, on picture.On) error {
			_, err := m.ShowBoth(on, "shipped ae-aug", "shipped")
			return err
		},
		"a run that has gone": func(m *models.Models, on picture.On) error {
			_, err := m.ShowBoth(on, "gone", "shipped ae-aug")
			return err
		},
		"another method": func(m *models.Models, on picture.On) error {
			on.Set.Method = "ae-aug"
			_, err := m.Compare(on, "shipped")
			return err
		},
	} {
		for failed := range 3 { // 0: none, otherwise the failed-th file
			results := map[[2]string][]string{}
			for order := range permutations(3) {
				m, on := start(&of)
				if _, err := m.FollowSettings(on); err != nil {
					t.Fatal(err)
				}
				if err := want(m, on); err != nil {
					t.Fatal(err)
				}
				files := slices.Collect(m.Wants(on, false))
				var arrived []string
				for _, i := range order {
					switch {
					case i >= len(files):
					case i == failed-1:
						m.Shelf.Miss(on.Now, files[i])
					default:
						ship(t, m, on, files[i])
						arrived = append(arrived, files[i].File)
					}
				}
				a, b := m.Picture.Called()
				results[[2]string{a, b}] = append(results[[2]string{a, b}], fmt.Sprint(arrived))
			}
			if len(results) != 1 {
				t.Errorf("%s, failed %d: %v", name, failed, results)
			}
		}
	}
}

// permutations yields all orders of n numbers.
func permutations(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		var next func(order, rest []int) bool
		next = func(order, rest []int) bool {
			if len(rest) == 0 {
				return yield(slices.Clone(order))
			}
			for i, k := range rest {
				if !next(append(order, k), slices.Delete(slices.Clone(rest), i, i+1)) {
					return false
				}
			}
			return true
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		next(nil, all)
	}
}
