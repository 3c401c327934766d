package play

import "time"

// RateWindow is the time over which a rate is measured.
const RateWindow = time.Second

// Rate measures how many events happen per second.
type Rate struct {
	PerSecond float64 // 0 before it is known
	Over      int     // number of recent windows over which PerSecond is a mean; 0 means 1

	count  int
	from   time.Time
	recent []window // the last windows, the oldest first
}

// window is the number of events in about a second.
type window struct {
	count int
	secs  float64
}

// Add counts n events.
func (r *Rate) Add(n int) { r.count += n }

// Look updates PerSecond, about once a second.
func (r *Rate) Look(now time.Time) {
	passed := now.Sub(r.from)
	if passed < RateWindow {
		return
	}
	if passed < 2*RateWindow { // a longer interval contains a pause and is not counted
		r.recent = append(r.recent, window{r.count, passed.Seconds()})
		r.recent = r.recent[max(0, len(r.recent)-max(1, r.Over)):]
		var all window
		for _, w := range r.recent {
			all.count, all.secs = all.count+w.count, all.secs+w.secs
		}
		r.PerSecond = float64(all.count) / all.secs
	} else {
		r.recent = nil
	}
	r.from, r.count = now, 0
}

// Pace limits an action to once a period.
type Pace struct{ last time.Time }

// Due reports whether a period has passed since Due last returned true.
func (p *Pace) Due(now time.Time, period time.Duration) bool {
	if now.Sub(p.last) < period {
		return false
	}
	p.last = now
	return true
}
