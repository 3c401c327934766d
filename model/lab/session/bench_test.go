package session_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"macroscope/model/wire"
)

// BenchmarkAnswer measures the time from a change of ε to the changed frame, once while a lab
// plays, and once while it also trains. The time includes the worker's current turn, the
// command, the panel's state and the frame. One op is one answer after 100 ms of playing. In a
// tab the time is about the same as under Node:
//
//	GOOS=js GOARCH=wasm go test -exec=… -run '^$' -bench Answer ./model/lab/session
func BenchmarkAnswer(b *testing.B) {
	for _, lab := range names {
		for _, doing := range []string{"playing", "training"} {
			b.Run(lab+"/"+doing, func(b *testing.B) {
				v := newcomer(b, lab)
				v.apply(wire.Link, "", "lab="+lab)
				if doing == "training" {
					v.press("train")
				}
				settle := time.Now()
				for time.Since(settle) < 4*time.Second {
					v.fetch()
					v.Work(10 * time.Millisecond)
					v.AppendFrame(nil)
				}
				parts := map[string][]time.Duration{}
				part := func(name string, f func()) {
					began := time.Now()
					f()
					parts[name] = append(parts[name], time.Since(began))
				}
				for i := 0; b.Loop(); i++ {
					if st := v.State(); !st.Playing && st.Labels["play"] != "" && lab != wire.Demo {
						v.press("play")
					}
					for began := time.Now(); time.Since(began) < 100*time.Millisecond; {
						part("turn", func() { v.Work(10 * time.Millisecond) })
						part("frame", func() { v.sent = v.AppendFrame(v.sent[:0]) })
					}
					eps := strconv.FormatFloat(0.1+0.01*float64(i%10), 'g', -1, 64)
					part("apply", func() { v.try(wire.Set, "eps", eps) })
					part("state", func() { v.State() })
					part("answer", func() { v.sent = v.AppendFrame(v.sent[:0]) })
				}
				b.ReportMetric(0, "ns/op")
				text := ""
				for _, name := range []string{"turn", "apply", "state", "answer", "frame"} {
					d := parts[name]
					slices.Sort(d)
					text += fmt.Sprintf("\n%-7s median %6.2f  hundredth worst %6.2f  worst %6.2f ms", name, 1e3*d[len(d)/2].Seconds(), 1e3*d[len(d)-1-len(d)/100].Seconds(), 1e3*d[len(d)-1].Seconds())
				}
				b.Log(text)
			})
		}
	}
}
