package session

import (
	"errors"
	"time"

	"macroscope/model/lab/view"
	"macroscope/model/system/play"
	"macroscope/model/wire"
)

// playback is the run of particles on show, simulated or recorded.
type playback struct {
	s          *Session
	begin      int    // frame that a run shows once it has begun; -1 lets it play
	generation uint64 // of the run that the models on show know
	warning    string // why the last run stopped, or could not begin
}

// seed is that of the run on show.
func (p *playback) seed() uint64 {
	s := p.s
	if f := s.live.Settings().Find("seed"); f != nil {
		if v, ok := f.Value.(*uint64); ok {
			return *v
		}
	}
	return 1
}

// described is the run as models on show are told of it.
func (p *playback) described() *view.Run {
	return &view.Run{Live: p.s.live, Seed: p.seed(), Predicts: p.s.own.speaks, Next: p.s.display.newGeneration}
}

// playable says whether there is a run on show whose frames can be used.
func (p *playback) playable() bool {
	s := p.s
	what, _ := s.live.Preparing()
	return what == "" && s.live.Player().Begun() && !s.live.Run().Blank
}

// coming says whether a frame that stands is on its way: of a run that is being prepared,
// or simulated up to there.
func (p *playback) coming() bool {
	if what, _ := p.s.live.Preparing(); what != "" {
		return p.begin >= 0
	}
	player := p.s.live.Player()
	return player.Busy() && !player.Playing()
}

// notPlayable says why there is none.
func (p *playback) notPlayable() error {
	s := p.s
	if what, _ := s.live.Preparing(); what != "" {
		return errors.New("the run is still being prepared; wait a moment")
	}
	return errors.New("there are too few particles to move; draw more first")
}

// look follows whatever may have begun another run, or changed the one on show.
func (p *playback) look() {
	s := p.s
	s.changed()
	if what, _ := s.live.Preparing(); what != "" || !s.live.Player().Begun() {
		return
	}
	r := s.live.Run()
	if r.Generation == p.generation {
		for _, m := range s.display.models() {
			if !m.Begun && p.playable() { // it was chosen while another run was prepared, which could not begin
				m.Begin(p.described())
			}
		}
		return
	}
	p.generation = r.Generation
	if r.Blank {
		p.begin = 0 // what is drawn next stands still
		return
	}
	player := s.live.Player()
	if player.Now() > 0 && !s.live.Recorded() && p.begin == 0 { // the same run goes on, otherwise from here on
		for _, m := range s.display.models() {
			m.Forget(p.described())
		}
		return
	}
	if !s.live.Recorded() && s.own.data != nil && !s.lab.IsSampler() {
		s.own.drop()
	}
	p.warning = ""
	s.order.Reset(r.Particles)
	s.order.latest = false
	s.display.restart()
	switch {
	case s.lab.IsSampler():
	case p.begin < 0:
		s.failed(player.Play())
	case p.begin > 0:
		s.failed(player.Seek(min(p.begin, r.Horizon)))
	}
	p.begin = 0
}

// moved follows every change of the picture on show.
func (p *playback) moved() {
	s := p.s
	s.order.latest = false
	s.latent.release()
	s.display.hide(true)
	s.changed()
}

// play lets time pass, or goes on with what comes before the run.
func (p *playback) play(budget time.Duration) *wire.Notice {
	s := p.s
	if what, _ := s.live.Preparing(); what != "" {
		err := s.live.Prepare(s.now, budget)
		s.frameStale, s.stateStale = true, true
		p.look()
		return s.failed(err)
	}
	share := budget / 2
	if s.traits.Stochastic { // its particles come first: what is made of them can wait
		share = budget * 4 / 5
	}
	moved, err := s.live.Player().Advance(s.now, s.settings.Speed, share)
	if moved {
		p.moved()
	}
	if err == nil {
		return nil
	}
	s.stateStale, s.frameStale = true, true
	if errors.Is(err, play.ErrEnded) || p.warning != "" {
		return nil
	}
	p.warning = err.Error()
	return failure(err)
}
