package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far long work has come: a bar with rate and time left on
// a terminal, a plain line now and then elsewhere.
type progress struct {
	out      io.Writer
	bar      *progressbar.ProgressBar
	what     string
	total    int
	began    time.Time
	lastLine time.Time
}

// linePace is the time between two plain lines.
const linePace = 10 * time.Second

func newProgress(out io.Writer, what string, done, total int) *progress {
	p := &progress{out: out, what: what, total: total, began: time.Now(), lastLine: time.Now()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(what),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString("step"), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
		_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
	}
	return p
}

// at reports the number of steps done and a note on how it goes.
func (p *progress) at(done int, note func() string) {
	if p.bar != nil {
		p.bar.Describe(p.what + " " + note())
		_ = p.bar.Set(done)
		return
	}
	if now := time.Now(); now.Sub(p.lastLine) >= linePace || done == p.total {
		p.lastLine = now
		left := time.Duration(float64(now.Sub(p.began)) / float64(max(done, 1)) * float64(p.total-done))
		fmt.Fprintf(p.out, "%s: %d of %d, %s, %s left\n", p.what, done, p.total, note(), left.Round(time.Second))
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
