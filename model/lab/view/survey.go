package view

import (
	"math"
	"slices"

	"macroscope/model/learn/model"
	"macroscope/model/system"
)

const (
	surveyEps    = 17 // number of kernel widths in a Survey, equally spaced in log ε
	surveyCoarse = 4  // a coarse curve has every fourth of these widths
	// surveyMembers is the number of members of an ensemble in a Survey. The error of its mean
	// is then a few percent above the error of a large ensemble's mean.
	surveyMembers = 39
)

// Survey measures how the results of a tunable model depend on ε and on the length of ẑ. For every
// length it measures the KL of one picture at many ε, and the error of a run's prediction. It
// measures one number at a time: first a coarse curve for every length, then finer curves. It is
// not safe for concurrent use.
type Survey struct {
	Eps   []float64 // the measured kernel widths, ascending
	ZDims []int     // the lengths of ẑ, ascending

	model    *model.Model
	lengths  []surveyed // results for each of ZDims
	targets  []*Target  // one for every set
	frame    system.Frame
	begun    bool // whether Look has set a picture
	outdated bool // whether the weights have changed since the measurement began
	coarse   bool // whether the coarse curves of the picture are complete
	ahead    bool // whether the last Step tried the predictions before the curves; every second Step does so
}

// surveyed contains the results for one length of ẑ.
type surveyed struct {
	at      *model.Model // the model at this length; every measurement changes its ε
	coder   *model.Coder
	density *Density
	code    []float32
	next    []float64 // KL of the present picture for every Eps, in nats; NaN if not measured
	kl      []float64 // KL of the last picture with complete coarse curves
	// eps is the last displayed ε with a measured KL, or 0 if there is none. The KL at this ε is
	// stored in `is`.
	eps, is float64
	ahead   *Prediction
	waits   bool // whether the prediction waits until the run reaches the prediction's first frame
}

// NewSurvey returns a Survey of a tunable model.
func NewSurvey(m *model.Model) (*Survey, error) {
	low, high, zdims := m.Config.Tuning().Range()
	s := &Survey{model: m, ZDims: zdims}
	slices.Sort(s.ZDims)
	for i := range surveyEps {
		share := float64(i) / (surveyEps - 1)
		s.Eps = append(s.Eps, min(max(low*math.Pow(high/low, share), low), high))
	}
	for range m.Config.Sets() {
		s.targets = append(s.targets, NewTarget(m.Config.Dim(), m.Config.Traits.Periods))
	}
	for _, zdim := range s.ZDims {
		at, err := m.At(low, zdim)
		if err != nil {
			return nil, err
		}
		l := surveyed{at: at, coder: at.NewCoder(), density: newCompared(at), code: make([]float32, at.Config.Sets()*zdim)}
		l.next, l.kl = unmeasured(), unmeasured()
		s.lengths = append(s.lengths, l)
	}
	return s, nil
}

func unmeasured() []float64 {
	v := make([]float64, surveyEps)
	for i := range v {
		v[i] = math.NaN()
	}
	return v
}

// Look sets the picture for the KL. After a change of the picture or of the weights, the
// measurement begins again; until the new coarse curves are complete, the earlier curves stay. Look
// has no effect while the coarse curves of a picture are incomplete. Otherwise a playing run would
// never get complete curves.
func (s *Survey) Look(f *system.Frame) {
	same := !s.outdated && slices.Equal(s.frame.Points, f.Points) && slices.Equal(s.frame.Ends, f.Ends)
	if s.begun && (!s.coarse || same) {
		return
	}
	s.begun, s.coarse, s.outdated = true, false, false
	s.frame.Copy(f)
	for i := range s.lengths {
		l := &s.lengths[i]
		l.next, l.eps = unmeasured(), 0
	}
}

// Outdate is called when the weights of the model have changed.
func (s *Survey) Outdate() { s.outdated = true }

// Predict drops the predictions. If the dynamics are usable and predict the variables of the
// run, it begins predictions of this run.
func (s *Survey) Predict(of *Run, usable bool) {
	for i := range s.lengths {
		l := &s.lengths[i]
		if l.ahead != nil {
			l.ahead.End()
		}
		if l.waits = usable && of.Predicts(l.at); l.waits && l.ahead == nil {
			l.ahead = NewPrediction(l.at, surveyMembers)
		}
	}
}

// Done reports whether everything is measured, including the KL for exactly eps. It ignores
// predictions that wait until the run reaches the frame at which they begin.
func (s *Survey) Done(of *Run, eps float64) bool {
	for i := range s.lengths {
		l := &s.lengths[i]
		begins := l.waits && of.Live.Run().Known >= l.at.Config.Dynamics.Begin
		if s.begun && l.eps != eps || begins || l.ahead != nil && l.ahead.Begun() && !l.ahead.Complete() {
			return false
		}
		if slices.ContainsFunc(l.next, func(kl float64) bool { return kl != kl }) {
			return !s.begun
		}
	}
	return true
}

// Step measures one KL or does one step of the predictions. It returns false if nothing was left to
// do. A ẑ of length zdim has priority over other lengths. When all curves are complete, Step
// measures the KLs for exactly `eps`.
func (s *Survey) Step(of *Run, eps float64, zdim int) bool {
	if s.ahead = !s.ahead; s.ahead && s.stepAhead(of, zdim) {
		return true
	}
	return s.begun && (s.stepCurves(zdim) || s.stepAt(eps)) || s.stepAhead(of, zdim)
}

// The method `ordered` passes all lengths to yield, one by one, until yield returns false. The
// length zdim comes first.
func (s *Survey) ordered(zdim int, yield func(l *surveyed) (more bool)) {
	first := slices.Index(s.ZDims, zdim)
	if first >= 0 && !yield(&s.lengths[first]) {
		return
	}
	for i := range s.lengths {
		if i != first && !yield(&s.lengths[i]) {
			return
		}
	}
}

// stepCurves measures the next missing value of the curves. It returns false if the curves were
// complete.
func (s *Survey) stepCurves(zdim int) (measured bool) {
	for every := surveyCoarse; every > 0; every /= 2 {
		s.ordered(zdim, func(l *surveyed) bool {
			for i := 0; i < surveyEps; i += every {
				if l.next[i] != l.next[i] {
					l.next[i] = s.measure(l, s.Eps[i])
					measured = true
					return false
				}
			}
			return true
		})
		if measured {
			return true
		}
		if !s.coarse {
			s.coarse = true
			for i := range s.lengths {
				s.lengths[i].kl = s.lengths[i].next
			}
		}
	}
	return false
}

// stepAt measures the KL at exactly eps for one more length. It returns false if all lengths had
// been measured.
func (s *Survey) stepAt(eps float64) bool {
	for i := range s.lengths {
		if l := &s.lengths[i]; l.eps != eps {
			l.eps, l.is = eps, s.measure(l, eps)
			return true
		}
	}
	return false
}

// measure returns the KL of the picture for an ε, averaged over the sets. If the KL cannot be
// computed, measure returns infinity, because NaN means that a KL is not measured yet.
func (s *Survey) measure(l *surveyed, eps float64) float64 {
	if s.model.Tune(l.at, eps) != nil {
		return math.Inf(1)
	}
	f := l.coder.Canonical(&s.frame)
	l.coder.Encode(l.code, f)
	sum, n, d := 0.0, 0, l.at.Config.ZDim()
	for k, t := range s.targets {
		set := f.Set(k, l.at.Config.Dim())
		if len(set) == 0 {
			continue
		}
		t.aim(set, Sigma(l.at, eps))
		sum += l.density.KL(t, l.code[k*d:(k+1)*d])
		n++
	}
	if kl := sum / float64(n); kl-kl == 0 {
		return max(0, kl) // an estimate below 0 is noise
	}
	return math.Inf(1)
}

// stepAhead does one step of the predictions. It returns false if there was no step to do.
func (s *Survey) stepAhead(of *Run, zdim int) (stepped bool) {
	s.ordered(zdim, func(l *surveyed) bool {
		if l.waits {
			var first system.Frame
			past, ok := Told(&first, of.Live, l.at)
			if !ok {
				return true
			}
			l.waits = false
			l.ahead.Begin(&first, past, of.Live.Run().Horizon, of.Seed, false)
		}
		stepped = l.ahead != nil && l.ahead.Begun() && l.ahead.Step()
		return !stepped
	})
	return stepped
}

// KL returns the KL for an ε and the length ZDims[i], in nats. Between two measured ε it
// interpolates. It returns NaN before the coarse curves are complete, and outside the range of
// ε.
func (s *Survey) KL(eps float64, i int) float64 {
	l := &s.lengths[i]
	if s.coarse && l.eps == eps {
		return l.is
	}
	low := -1
	for high, kl := range l.kl {
		switch {
		case kl != kl:
		case s.Eps[high] >= eps && (low >= 0 || s.Eps[high] == eps):
			if s.Eps[high] == eps {
				return kl
			}
			share := math.Log(eps/s.Eps[low]) / math.Log(s.Eps[high]/s.Eps[low])
			if a := l.kl[low]; a > 0 && kl > 0 {
				return a * math.Pow(kl/a, share)
			}
			return l.kl[low] + share*(kl-l.kl[low])
		default:
			low = high
		}
	}
	return math.NaN()
}

// Measured returns the KLs of the model with a ẑ of length ZDims[i], one for each value of Eps. A
// KL is NaN until it has been measured.
func (s *Survey) Measured(i int) []float64 { return s.lengths[i].kl }

// Error returns a prediction's error over the frames up to `now`. The prediction uses a ẑ of length
// ZDims[i]. For deterministic dynamics the error is the MRE. For an ensemble it is the RMSE of the
// mean, in units of the training range. It is NaN until the prediction has reached frame `now`.
func (s *Survey) Error(i int, live system.Live, now int) float64 {
	p := s.lengths[i].ahead
	if p == nil || !p.Begun() || p.Done < now || now <= p.model.Config.Dynamics.Begin {
		return math.NaN()
	}
	c := &p.model.Config
	if !c.Traits.Stochastic {
		return p.Errors(make([]float32, now+1), func(k int) float64 { return live.Macro(k)[0] })
	}
	sum, n := 0.0, 0
	for k := c.Dynamics.Begin + 1; k <= now; k++ {
		for v, truth := range live.Macro(k) {
			d := (p.model.Scale.State(v, float64(p.Mean[k*c.Variables+v])) - p.model.Scale.State(v, truth)) / 2
			sum += d * d
			n++
		}
	}
	return math.Sqrt(sum / float64(n))
}
