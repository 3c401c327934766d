package sweeps_test

import (
	"fmt"
	"time"

	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session/sweeps"
	"macroscope/model/wire"
)

// A user requests, starts and stops a sweep over ε.
func Example() {
	line := catalogue.Line()
	w := sweeps.New(&line, time.Now)
	given := sweeps.Given{Method: "flow"}
	for _, s := range [][2]string{{"sweepeps", "0.1, 0.2"}, {"sweepzdim", ""}, {"sweepsteps", "2"}} {
		if _, err := w.Set(s[0], s[1], given); err != nil {
			fmt.Println(err)
		}
	}
	_, err := w.Set("sweepeps", "wide", given)
	fmt.Println(err != nil)
	begin, err := w.Press(given)
	task, _, _ := w.Task()
	fmt.Println(begin == nil, err, w.Running(), task)
	_, _ = w.Press(given)
	st := wire.State{Values: map[string]string{}, Labels: map[string]string{}, Tasks: map[string]string{}, Off: map[string]string{}}
	w.Fill(&st, given)
	fmt.Println(w.Running(), st.Tasks["sweeprun"], st.Labels["sweeprun"], st.Values["sweepeps"])
	// Output:
	// true
	// true <nil> true sweep: training 1 of 2, ε = 0.1
	// false stopped Go on with the sweep 0.1, 0.2
}
