package picture

import (
	"fmt"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
)

// Portrait is the latent portrait of model A.
type Portrait struct {
	of     *lab.Lab
	codes  *model.Codes // encoded trajectories; nil before they are loaded
	missed bool         // whether the trajectories could not be fetched
	key    portraitKey
	drawn  *view.Portrait // nil if there is no portrait
}

// portraitKey identifies the data from which a portrait was made.
type portraitKey struct {
	shown *view.Shown
	told  time.Time // when the model's weights last changed
	run   uint64
	whole bool // whether the model's prediction is complete
	axes  [2]string
	codes bool
}

// Needs names the file of trajectories that the portrait needs, or returns "" if it needs
// none.
func (p *Portrait) Needs(set *lab.Settings) string {
	if set.Portrait && p.of.Algebra != nil && p.codes == nil && !p.missed {
		return p.of.States
	}
	return ""
}

// Take reads the file that Needs named. err is the error of fetching it. Without the
// file the portrait shows no training trajectories.
func (p *Portrait) Take(b []byte, err error) effect.Effect {
	if err == nil {
		p.codes, err = model.ReadCodes(b)
	}
	if err == nil {
		return effect.Changed()
	}
	p.missed = true
	return effect.Changed().And(effect.Failed(fmt.Errorf("the trajectories of the latent portrait could not be opened, so it is drawn without them: %w", err)))
}

// look makes a new portrait of model A, if the present portrait is out of date.
func (p *Portrait) look(on On, a *view.Shown) {
	if !on.Set.Portrait || p.of.Algebra == nil || a == nil || !a.Begun || !on.Playable || p.Needs(on.Set) != "" {
		p.drawn, p.key = nil, portraitKey{}
		return
	}
	key := portraitKey{a, a.Told, on.Run.Live.Run().Generation, a.Predicted(), on.Set.Axes, p.codes != nil}
	was := p.key
	if was.whole = key.whole; key == p.key || key == was && p.drawn != nil {
		return
	}
	p.key = key
	codes := p.codes
	if a.Tunable != nil {
		codes = a.Tunable.CodesAt(codes, a.Model)
	}
	p.drawn = view.NewPortrait(a, on.Run, p.of.Algebra, codes, on.Set.Axes)
}
