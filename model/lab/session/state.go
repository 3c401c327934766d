package session

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"macroscope/model/compute/kernel"
	"macroscope/model/lab"
	"macroscope/model/wire"
)

// status fills them.
type status struct{ *Session }

// State implements wire.Session.
func (s *Session) State() wire.State {
	s.stateStale = false
	p, r := s.live.Player(), s.live.Run()
	what, _ := s.live.Preparing()
	st := wire.State{
		Lab: s.lab.Link(), Status: s.Status().String(), Playing: p.Busy() || what != "",
		Values: map[string]string{"preset": commands{s}.played(), "tool": s.tool, "at": strconv.Itoa(p.Now()), "name": s.keepAs},
		Labels: map[string]string{"play": "Play", "train": s.trainer.label()}, Pressed: map[string]bool{}, Off: map[string]string{},
		Max: map[string]float64{"at": float64(max(1, r.Horizon))}, Takes: map[string]float64{},
		Summary: status{s}.summary(), Figures: status{s}.figures(), Warning: status{s}.warn(), Fragment: s.Fragment(), Short: s.short(), Kernel: kernel.Name(), Runs: s.library.list(),
	}
	st.Ask, st.Hidden = s.asked.Ask, status{s}.hidden()
	if st.Ask.Title == "" {
		st.Ask = s.own.reading.ask(s.now())
	}
	st.Carries, st.Leaves = opening{s}.share()
	st.Task, st.Progress, st.SecsLeft = status{s}.task()
	for _, f := range s.live.Settings() {
		st.Values[f.Name] = f.Text()
	}
	for _, f := range s.settings.Table(&s.lab) {
		if !f.Hidden {
			st.Values[f.Name] = f.Text()
		}
	}
	for _, f := range s.until.table() {
		st.Values[f.Name] = f.Text()
	}
	s.own.values(&st)
	s.sweeper.Fill(&st, sweeps{s}.given())
	if v, ok := s.live.(valued); ok {
		v.Values(st.Values)
	}
	switch {
	case p.Playing():
		st.Labels["play"] = "Pause"
	case s.run.playable() && p.AtEnd():
		st.Labels["play"] = "Play again"
	}
	if s.display.a != nil {
		st.Model = s.display.a.Origin
	}
	if secs := s.trainer.takes(); secs > 0 {
		st.Takes["train"] = secs
	}
	status{s}.off(st.Off)
	return st
}

// hidden lists the controls that mean nothing to the run on show: settings of the
// simulation beside a run that is none, and a group's other controls if it has no
// setting left.
func (s status) hidden() map[string]bool {
	hidden := make(map[string]bool)
	l, ok := s.live.(interface{ Idle() []string })
	if !ok {
		return hidden
	}
	for _, name := range l.Idle() {
		hidden[name] = true
	}
	table := s.live.Settings()
	for _, g := range s.live.Page().Groups {
		any, left := false, false
		for _, c := range g.Controls {
			is := table.Find(c.ID) != nil
			any, left = any || is, left || is && !hidden[c.ID]
		}
		if !any || left {
			continue
		}
		for _, c := range g.Controls {
			hidden[c.ID] = true
		}
	}
	return hidden
}

// off says why controls cannot be used now.
func (s status) off(off map[string]string) {
	say := func(err error, ids ...string) {
		for _, id := range ids {
			off[id] = upperFirst(err.Error()) + "."
		}
	}
	if err := (opening{s.Session}).back(); err != nil {
		say(err, "shipped")
	}
	if s.lab.IsSampler() || !s.lab.Learns() {
		return
	}
	if !s.run.playable() {
		say(s.run.notPlayable(), "play", "step", "restart", "at", "shuffle")
	}
	if s.own.data == nil {
		say(errNoData, "trajectory", "observable", "simulate")
	}
	switch a := s.display.a; {
	case a == nil || a.Density != nil:
	case a.Points != nil:
		say(errors.New("the model’s method restores points and learns no density"), "samples")
	default:
		say(errors.New("the model’s method decodes nothing"), "decode", "source", "samples")
	}
	if err := s.latent.free(); err != nil {
		say(err, "release")
	}
	switch coded, ok := s.lab.Coded(); {
	case !ok:
	case s.trainer.plan().OnCodes():
		say(errors.New("the dynamics alone learn from ẑ of the shipped encoder; train everything to choose this"), "size", "workers")
	case s.settings.Scope == lab.DynamicsAlone:
		say(fmt.Errorf("there is ẑ of one shipped encoder alone, of the deep set with ε %g and ẑ dim %d; with another, or your trajectories, everything is trained", coded.Eps, coded.ZDim), "scope")
	}
	switch {
	case s.display.a == nil:
		say(s.display.missing(), "encode", "decode", "rollout", "keep")
	case s.settings.All:
		say(errors.New("every stage follows every frame; switch off Run all stages first"), "encode", "decode", "rollout")
	case (s.display.revealed|s.display.asked)&revealCode == 0:
		say(errors.New("this stage works on ẑ, so encode first"), "decode", "rollout")
	}
}

// task says what takes long, how far it is, and how many seconds are left.
func (s status) task() (text string, share, left float64) {
	t := &s.trainer
	what, prepared := s.live.Preparing()
	switch {
	case what != "":
		return what, prepared, 0
	case s.own.reading != nil:
		text, share = s.own.reading.of.Task()
	case t.eager && t.status != wire.Training && !s.lab.IsSampler():
		return "Fetching what is needed to train", 0, 0
	case sweeps{s.Session}.active():
		text, share, left = s.sweeper.Task()
	case t.status == wire.Training || t.status == wire.Paused && !s.lab.IsSampler():
		p := t.live.Progress()
		text, share, left = p.Doing, p.Share, p.SecsLeft
		if math.IsNaN(left) || !p.Measured || t.status == wire.Paused {
			left = 0
		}
		text += t.goal(int(p.Phase))
		if p.Steps > 0 && !s.lab.IsSampler() {
			text = fmt.Sprintf("%s, step %d of %d", text, p.Step, p.Steps)
		}
		if t.status == wire.Paused {
			text = "stopped: " + text
		}
		if learned := t.learned(); learned != "" {
			text = learned + ". " + upperFirst(text)
		}
	case s.own.measured != nil && !s.own.measured.Done():
		read, count, measured := s.own.measured.Progress()
		text, share = fmt.Sprintf("measuring the model on your trajectories, %d of %d", read, count), measured
	default:
		text, share, left = s.aside.parts.Task(s.now())
	}
	return upperFirst(text), share, left
}

// label is what the button that trains would do.
func (t *trainer) label() string {
	switch {
	case t.status == wire.Training || t.eager && !t.s.lab.IsSampler():
		if t.s.lab.IsSampler() {
			return "Pause"
		}
		return "Stop"
	case t.s.lab.IsSampler():
		return "Train"
	case t.status == wire.Paused && t.recipe() == t.trains, t.halted != nil:
		return "Go on"
	}
	return "Train"
}
