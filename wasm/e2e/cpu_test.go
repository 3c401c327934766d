//go:build linux

package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// threadTimes returns the CPU time so far of each thread of this program's descendant
// processes. The key contains the kind of the process and the name of the thread.
func threadTimes() map[string]time.Duration {
	parents := map[int]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range dirs {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		parents[pid], _ = strconv.Atoi(fields[1])
	}
	times := map[string]time.Duration{}
	for pid := range parents {
		above := parents[pid]
		for above > 1 && above != os.Getpid() {
			above = parents[above]
		}
		if above != os.Getpid() {
			continue
		}
		kind := "browser"
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		for arg := range bytes.FieldsFuncSeq(line, func(r rune) bool { return r == 0 || r == ' ' }) {
			if k, ok := bytes.CutPrefix(arg, []byte("--type=")); ok {
				kind = string(k)
			}
		}
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
		for _, task := range tasks {
			name, err := os.ReadFile(task + "/comm")
			if err != nil {
				continue
			}
			sched, err := os.ReadFile(task + "/schedstat")
			if err != nil {
				continue
			}
			ran, _, _ := strings.Cut(string(sched), " ")
			ns, _ := strconv.ParseInt(ran, 10, 64)
			times[kind+" "+strings.TrimSpace(string(name))] += time.Duration(ns)
		}
	}
	return times
}

// busiest returns a line for each of the twelve threads that ran longest since `before`, with the
// milliseconds of CPU time divided by `n`, and the sum of all threads.
func busiest(before map[string]time.Duration, n float64) (table string, whole float64) {
	type row struct {
		name string
		ms   float64
	}
	var rows []row
	for name, t := range threadTimes() {
		ms := (t - before[name]).Seconds() * 1000 / n
		whole += ms
		rows = append(rows, row{name, ms})
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.ms, a.ms) })
	var text strings.Builder
	for _, r := range rows[:min(12, len(rows))] {
		fmt.Fprintf(&text, "\n%9.2f ms  %s", r.ms, r.name)
	}
	return text.String(), whole
}

// BenchmarkPicture measures the CPU time of each browser thread per picture while a lab plays.
// Elapsed time would depend more on other programs on the machine.
func BenchmarkPicture(b *testing.B) {
	const watch = 8 * time.Second
	for _, lab := range []string{"demo", "particles", "mixing"} {
		b.Run(lab, func(b *testing.B) {
			for range b.N {
				p := newTab(b, newBrowser(b), 1280, 800, 1)
				p.addScript(traced)
				p.addScript(probe)
				p.open(serve(b, benchDist()).url + "#lab=" + lab)
				p.wait("a lab that plays", `document.documentElement.dataset.lab === "`+lab+`" && (document.documentElement.dataset.playing === "true" || "`+lab+`" === "demo")`)
				p.wait("the offline copy", `document.documentElement.dataset.offline === "ready"`)
				time.Sleep(3 * time.Second) // until all code has been compiled
				count := func() float64 {
					return eval[float64](p, `document.getElementById("canvas").contentWindow.answers`)
				}
				from, before, began := count(), threadTimes(), time.Now()
				time.Sleep(watch)
				pictures := count() - from
				table, whole := busiest(before, pictures)
				seconds := time.Since(began).Seconds()
				b.Logf("load %s, %.1f pictures/s, CPU time a picture: %.1f ms%s", machineLoad(), pictures/seconds, whole, table)
				b.ReportMetric(whole, "cpu-ms/picture")
			}
		})
	}
}
