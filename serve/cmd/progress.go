package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"macroscope/model/work"
)

// progress shows the progress of long work. On a terminal it draws a bar with rate and remaining
// time. Elsewhere it writes a line from time to time.
type progress struct {
	out         io.Writer
	bar         *progressbar.ProgressBar
	what        string
	from, total int
	began       time.Time
	lastLine    time.Time
	note        func() string // describes the state of the work; nil: no description
}

// linePace is the time between two lines of the progress.
const linePace = 10 * time.Second

func newProgress(out io.Writer, what, unit string, done, total int) *progress {
	p := &progress{out: out, what: what, from: done, total: total, began: time.Now(), lastLine: time.Now()}
	if w, ok := out.(plainWriter); ok { // the bar controls the terminal
		out = w.Writer
	}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(what),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
		_ = p.bar.Set(done) // the work continues even if the bar cannot be drawn
	}
	return p
}

// pause returns a Pause that updates the display and returns the error of ctx. Several goroutines may call
// it.
func (p *progress) pause(ctx context.Context) work.Pause {
	var mu sync.Mutex
	until := work.Until(ctx)
	return func(share float64) error {
		mu.Lock()
		defer mu.Unlock()
		p.at(p.from + int(share*float64(p.total-p.from)))
		return until(share)
	}
}

// The method `at` updates the display when the given amount of work is done.
func (p *progress) at(done int) {
	if p.bar != nil {
		if p.note != nil {
			p.bar.Describe(p.what + " " + p.note())
		}
		_ = p.bar.Set(done)
		return
	}
	if now := time.Now(); now.Sub(p.lastLine) >= linePace {
		p.lastLine = now
		pace := float64(now.Sub(p.began)) / float64(max(done-p.from, 1))
		left := time.Duration(pace * float64(p.total-done)).Round(time.Second)
		rate := float64(time.Second) / pace
		text := ""
		if p.note != nil {
			text = p.note() + ", "
		}
		fmt.Fprintf(p.out, "%s: %d of %d, %s%.3g/s, %s left\n", p.what, done, p.total, text, rate, left)
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
