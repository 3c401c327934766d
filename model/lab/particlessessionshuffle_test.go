package lab

import (
	"errors"
	"math"
	"strings"
	"testing"

	"macroscope/model/wire"
)

// TestParticlesShuffle is the paper's point: in another order the deep set's ẑ
// and prediction stay where they were, those of an encoder that reads the
// particles in a row do not.
func TestParticlesShuffle(t *testing.T) {
	p := playParticles(t)
	p.apply(seekCommand, "", "40")
	p.settle()
	if p.Wants() != "" || p.picture().Numbers("shuffles") != nil {
		t.Fatal("the order-dependent encoder is fetched before it is needed")
	}
	p.apply(wire.Press, "shuffle", "")
	if got := p.Wants(); got != ParticlesOrdered {
		t.Fatalf("wants %q", got)
	}
	p.settle()
	f := p.picture()
	// Sums of 300 float32 features in another order differ in their last bits.
	if dz := f.Number("dz"); !(dz > 0 && dz < 1e-5) || f.Numbers("dzOrdered") != nil || f.Number("shuffles") != 1 {
		t.Errorf("ẑ changed by %g", dz)
	}
	p.deliver()
	p.apply(wire.Press, "shuffle", "")
	p.apply(wire.Press, "shuffle", "")
	p.settle()
	f = p.picture()
	if got := len(f.Numbers("orders")); got != 3*301 {
		t.Fatalf("predictions of %d frames from three orders", got)
	}
	if got := len(f.Numbers("ordered")); got != 3*301 {
		t.Fatalf("order-dependent predictions of %d frames from three orders", got)
	}
	if dz, ordered := f.Number("dz"), f.Number("dzOrdered"); !(ordered > 1e-3 && ordered > 1000*dz) {
		t.Errorf("ẑ changed by %g, and by %g where it depends on the order", dz, ordered)
	}
	spread := func(v []float32) (most float64) {
		for k := range 301 {
			most = max(most, math.Abs(float64(v[k]-v[301+k])), math.Abs(float64(v[k]-v[602+k])))
		}
		return most
	}
	a, b := spread(f.Numbers("orders")), spread(f.Numbers("ordered"))
	if !(a < 1e-5 && b > 100*a) {
		t.Errorf("predictions are %g apart, and %g where they depend on the order", a, b)
	}
	if figure(p.state(), "dz") == "–" {
		t.Error("no figure says how much ẑ changed")
	}
	seen := map[float32]bool{}
	for _, l := range f.Numbers("label") {
		seen[l] = true
	}
	if len(seen) != 300 || f.Numbers("label")[0] == 0 {
		t.Errorf("%d labels for 300 particles, the first is %g", len(seen), f.Numbers("label")[0])
	}
	// A run of another number is beyond the order-dependent encoder.
	p.apply(wire.Set, "n", "50")
	if p.picture().Numbers("orders") != nil {
		t.Error("another run has the last one's orders")
	}
	p.apply(wire.Press, "shuffle", "")
	p.settle()
	if f := p.picture(); f.Numbers("ordered") != nil || len(f.Numbers("orders")) != 2*301 || !strings.Contains(p.state().Warning, "exactly 300") {
		t.Errorf("warning %q", p.state().Warning)
	}
}

func TestParticlesShuffleWithoutTheOtherEncoder(t *testing.T) {
	p := playParticles(t)
	p.apply(wire.Press, "shuffle", "")
	if n := p.Fetched(p.Wants(), nil, errors.New("404")); n == nil || !n.Error || p.Wants() != "" {
		t.Errorf("notice %+v", n)
	}
	p.apply(wire.Press, "shuffle", "")
	if p.Wants() != "" || p.picture().Numbers("dz") == nil {
		t.Error("the deep set is not shown alone")
	}
}
