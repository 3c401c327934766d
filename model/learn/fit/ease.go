package fit

// worthVelocity is an MRE. Trained dynamics with this MRE or a larger one get the whole velocity
// phase.
const worthVelocity = 1e-2

// ease shortens the velocity phase and lowers its rate, if rollouts follow and the validation MRE
// of the dynamics (mre) is already small. The velocity phase makes good dynamics worse: it raises
// the particles' MRE from 1.1e-5 to 2e-5.
func (r *Run) ease(mre float64) {
	share := mre / worthVelocity
	if r.Stage() != Velocity || r.at == len(r.phases)-1 || r.Step() > 0 || !(share < 1) {
		return
	}
	s := r.Phase().Config.Schedule
	s.Peak, s.Steps = s.Peak*share, max(1, int(share*float64(s.Steps)))
	r.trainer.Restart(s)
}
