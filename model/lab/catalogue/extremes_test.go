package catalogue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"macroscope/model/system"
)

// TestExtremeSettings sets every setting of every lab's run to its bounds and to extreme
// values such as NaN. Either the lab rejects the value with a sentence, or the run's next frame is
// finite.
func TestExtremeSettings(t *testing.T) {
	for _, l := range All() {
		t.Run(l.System.Traits.Name, func(t *testing.T) {
			live := l.System.Live()
			for _, size := range []string{"n", "height"} {
				if f := live.Settings().Find(size); f != nil { // a small run is faster
					if err := live.Set(size, fmt.Sprint(f.Low)); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, f := range live.Settings() {
				usual := f.Text()
				for _, v := range append([]string{fmt.Sprint(f.Low), fmt.Sprint(f.High)}, "1e308", "-1e308", "NaN", "Inf", "-Inf", "0", "-1", "1e-320", "9223372036854775807", "18446744073709551615") {
					if err := played(live, f.Name, v); err != nil {
						t.Errorf("%s=%s: %v", f.Name, v, err)
					}
					if err := live.Set(f.Name, usual); err != nil {
						t.Fatalf("%s=%s after %s: %v", f.Name, usual, v, err)
					}
				}
			}
		})
	}
}

// played plays a frame of a run with one changed setting. The lab may reject the setting, if the
// text of the error is a sentence.
func played(live system.Live, name, value string) error {
	now := time.Time{}
	clock := func() time.Time { now = now.Add(time.Millisecond); return now }
	err := live.Set(name, value)
	if err == nil {
		err = live.Generate()
	}
	for k := 0; err == nil && k < 3; k++ {
		if what, _ := live.Preparing(); what == "" {
			break
		}
		err = live.Prepare(clock, 10*time.Millisecond)
	}
	if what, _ := live.Preparing(); err == nil && what == "" && live.Player().Begun() {
		live.Player().Next()
		_, err = live.Player().Advance(clock, 1, time.Second)
	}
	if err != nil {
		if text := err.Error(); len(text) < 20 || strings.ContainsAny(text, "\n\x00") {
			return fmt.Errorf("refused with %q", text)
		}
		return nil
	}
	if what, _ := live.Preparing(); what != "" || !live.Player().Begun() { // a system of the user's own has no run without a file
		return nil
	}
	var f system.Frame
	for k := range live.Run().Known + 1 {
		live.Frame(&f, k)
		for _, v := range f.Points {
			if v-v != 0 {
				return fmt.Errorf("a coordinate of frame %d is %g", k, v)
			}
		}
		for _, v := range live.Macro(k) {
			if v-v != 0 {
				return fmt.Errorf("a variable of frame %d is %g", k, v)
			}
		}
	}
	return nil
}
