package runs

import (
	"fmt"

	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
)

// NameOf returns a name for a model, made from its system, method, ẑ dim and ε. The name also
// contains the form of the dynamics, a drift other than an MLP, the user's force, and the
// parameters of the dynamics. form is lab.Joint or lab.Separate if only the dynamics were trained,
// otherwise "".
func NameOf(c *method.Config, form string) string {
	name := fmt.Sprintf("%s/%s", c.Spec.System, c.Spec.Method)
	if !c.Tunable() {
		name += fmt.Sprintf(", ẑ %d", c.ZDim())
	}
	if c.Decoder.Density() && !c.Tunable() {
		name += fmt.Sprintf(", ε %g", c.Eps())
	}
	if form != "" {
		name += ", " + form + " dynamics"
	}
	name += c.Dynamics.Drift.Form.Addition()
	if f := c.OwnForce(); f != "" {
		name += ", F = " + f
	}
	if r := c.Dynamics.Params; len(r) > 0 {
		name += ", given " + r.Names()
	}
	return name
}

// Progress says how far a training has come, for the end of a name.
func Progress(c *method.Config, form string, phase fit.Stage, step int) string {
	stage := ""
	switch {
	case phase == fit.Done:
		return ", trained"
	case form != "" || !c.HasDynamics():
	case phase == fit.Autoencoder:
		stage = "stage I "
	default:
		stage = "stage II "
	}
	if phase == fit.Rollout { // the count of rollout steps continues the count of velocity steps
		step += c.Dynamics.Velocity.Steps
	}
	return fmt.Sprintf(", %sstep %d", stage, step)
}
