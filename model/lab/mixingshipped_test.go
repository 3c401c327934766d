package lab

import (
	"os"
	"testing"
)

// TestShippedMixing opens what comes with the lab: the model, and what its encoder
// made of runs that are held out, in whose bands about as much of the truth must
// lie as should.
func TestShippedMixing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds without SIMD")
	}
	f, err := os.Open("../../assets/" + MixingShipped)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, _, err := ReadMixing(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../../assets/" + MixingCodesShipped)
	if err != nil {
		t.Fatal(err)
	}
	const most = 1_500_000
	if len(b) > most {
		t.Errorf("the codes have %d bytes, more than %d", len(b), most)
	}
	codes, err := ReadMixingCodes(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := codes.check(m); err != nil {
		t.Fatal(err)
	}
	h := newMixingHeld(m, codes)
	h.begin(0)
	for !h.advance() {
	}
	t.Logf("%.1f %% of %d runs in bands of %.0f %%, mean off by %.4f", 100*h.coverage, codes.Held, 100*bandNominal(heldMembers), h.fault)
	// Its bands are somewhat narrow: 83 % of 200 runs. Of these 40 the file has one
	// draw, and another noise of the members moves the share by 0.3 %.
	if h.coverage < 0.77 || h.coverage > 0.96 {
		t.Errorf("%.3f of the truth lies in bands of %.2f", h.coverage, bandNominal(heldMembers))
	}
	// A band that always covers is no achievement: ratios go from 0 to 0.5. The
	// means are off by 0.020, of which another noise moves 0.0001.
	if h.fault > 0.03 {
		t.Errorf("the means are off by %.4f", h.fault)
	}
}
