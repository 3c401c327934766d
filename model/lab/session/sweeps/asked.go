package sweeps

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"macroscope/model/lab"
	"macroscope/model/learn/method"
	"macroscope/model/learn/sweep"
	"macroscope/model/setting"
)

// asked is the sweep that the user requests. Links do not contain it.
type asked struct {
	eps, zdim, more string // values separated by commas; the form of `more` is NAME=VALUES
	size            string // name of the preset
	steps, seeds    int    // numbers of training steps and of seeds; 0 steps: the preset's number
	grid            bool
}

// sizes lists the presets that are small enough for training many models in a tab.
var sizes = []string{"quick", "browser"}

const mostSeeds = 8

// usual returns the initial request. The requested sweep takes about a minute. Simulating the
// trajectories may take longer.
func usual(of *lab.Lab) asked {
	a := asked{zdim: "1, 2, 4, 8", size: "browser", seeds: 1, grid: true}
	switch {
	case !of.Timed():
		a.eps, a.zdim, a.steps = "0.05, 0.2", "2, 8", 300
	case of.System.Traits.Stochastic:
		a.zdim = "1, 2"
	case slices.Contains(method.Presets(of.System.Traits.Name, "flow"), "quick"):
		a.size = "quick"
	}
	return a
}

func (a *asked) table() setting.Table {
	return setting.Table{
		{Name: "sweepeps", What: "the values of ε", Value: &a.eps}, {Name: "sweepzdim", What: "the values of ẑ dim", Value: &a.zdim},
		{Name: "sweepmore", What: "another parameter and its values", Value: &a.more},
		{Name: "sweepsize", What: "the size", Value: &a.size, Options: setting.Choices(sizes...)},
		{Name: "sweepsteps", What: "the number of steps", Value: &a.steps, High: method.MaxStep}, {Name: "sweepseeds", What: "the number of seeds", Value: &a.seeds, Low: 1, High: mostSeeds},
		{Name: "sweepgrid", What: "training every combination", Value: &a.grid, Switch: true},
	}
}

// wanted contains everything that determines the trainings of a sweep: the user's request, and
// the settings common to all trainings.
type wanted struct {
	asked
	method, force string
}

// plan returns the requested sweep, of which no training has begun.
func (a wanted) plan(of *lab.Lab, now func() time.Time) (*sweep.Run, error) {
	o := sweep.Of{Spec: method.Spec{System: of.System.Traits.Name, Method: a.method, Preset: a.size}, Grid: a.grid}
	add := func(text string) error {
		one, err := sweep.ParseSwept(text)
		if err != nil {
			return fmt.Errorf("%s cannot be swept over: %w", setting.Quote(text), err)
		}
		o.Swept = append(o.Swept, one)
		return nil
	}
	var err error
	for _, one := range [...][2]string{{"eps=", a.eps}, {"encoder.zdim=", a.zdim}, {"", a.more}} {
		if strings.TrimSpace(one[1]) != "" {
			err = errors.Join(err, add(one[0]+one[1]))
		}
	}
	if a.steps > 0 {
		o.Changes = []string{fmt.Sprintf("steps=%d", a.steps)}
	}
	if a.force != "" {
		o.Changes = append(o.Changes, "force="+a.force)
	}
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(a.eps) != "" && !usesEps(of, o.Spec):
		return nil, fmt.Errorf("the method %s has no ε; leave the values of ε out", setting.Quote(a.method))
	case len(o.Swept) == 0:
		return nil, errors.New("say first which values of ε or ẑ dim are to be tried, as 0.03, 0.1")
	}
	return sweep.NewRun(o, a.seeds, of.Systems(), now)
}

// usesEps reports whether a method has an ε.
func usesEps(of *lab.Lab, method method.Spec) bool {
	c, err := of.Systems().Preset(method.String())
	return err != nil || c.Table().Find("eps") != nil
}
