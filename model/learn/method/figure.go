package method

import (
	"math"
	"slices"

	"macroscope/model/setting"
)

// Figure describes a figure of a model. The fields from Words on are only for figures that compare
// trainings, see Config.Measure.
type Figure struct {
	Name       string // name in the command line's results
	Title      string // title in tables
	Format     string // format in tables
	None       string // why there is no value if the value is not a number; "": the model computes no number
	Words      string // title in sweeps
	Says, Unit string // in sentences, the text before the values and the text after them
	One, Many  string // what the figure is a mean over; Many is also the name of their number in results
}

// Figures lists all figures of models, in the order of the columns in tables.
var Figures = []Figure{
	{Name: "kl", Title: "KL(q_X || p_θ)", Format: "%.5f nats", Words: "KL(q_X ‖ p_θ), nats", Says: "KL", Unit: " nats", One: "set", Many: "sets"},
	{Name: "eps", Title: "ε", Format: "%g"}, {Name: "zdim", Title: "ẑ dim", Format: "%.0f"}, {Name: "sets", Title: "validation sets", Format: "%.0f"}, {Name: "samples", Title: "samples each", Format: "%.0f"},
	{Name: "mmd", Title: "MMD", Format: "%.3g", Words: "MMD of the observables", Says: "MMD", One: "trajectory", Many: "trajectories"},
	{Name: "perfect", Title: "if perfect", Format: "%.3g"}, {Name: "perfect_sd", Title: "±", Format: "%.1g"},
	{Name: "coverage", Title: "coverage", Format: "%.3f"}, {Name: "coverage_se", Title: "±", Format: "%.3f"}, {Name: "nominal", Title: "nominal", Format: "%.3f"}, {Name: "stretch", Title: "bands ×", Format: "%.3f"},
	{Name: "mre", Title: "MRE", Format: "%.3g", Words: "MRE of the observable", Says: "Mean relative error", One: "trajectory", Many: "trajectories"},
	{Name: "median", Title: "median", Format: "%.3g"}, {Name: "max", Title: "max", Format: "%.3g"},
	{Name: "left", Title: "left", Format: "%.3f"}, {Name: "left_frames", Title: "frames left", Format: "%.4f"},
	{Name: "rmse_inside", Title: "RMSE inside", Format: "%.3g", None: "there is no such frame"}, {Name: "rmse_outside", Title: "outside", Format: "%.3g", None: "there is no such frame"},
	{Name: "trajectories", Title: "trajectories", Format: "%.0f"},
	{Name: "passage", Title: "passes in", Format: "%.1f"}, {Name: "passage_se", Title: "±", Format: "%.1f"}, {Name: "passage_error", Title: "error", Format: "%+.1f"}, {Name: "passage_share", Title: "share", Format: "%+.3f"},
	{Name: "ks", Title: "KS", Format: "%.3f"}, {Name: "ks_floor", Title: "floor", Format: "%.3f"},
	{Name: "mean_rms", Title: "mean curve", Format: "%.3g"}, {Name: "mean_floor", Title: "floor", Format: "%.3g"}, {Name: "sd_rms", Title: "sd curve", Format: "%.3g"}, {Name: "sd_floor", Title: "floor", Format: "%.3g"},
	{Name: "begin", Title: "told to frame", Format: "%.0f"}, {Name: "passed", Title: "passed by then", Format: "%.0f"},
}

// FigureNamed returns the figure with this name. It panics if there is none.
func FigureNamed(name string) *Figure {
	return &Figures[slices.IndexFunc(Figures, func(f Figure) bool { return f.Name == name })]
}

// InWords returns a value of the figure as it is printed in tables. If the value is not finite, `undefined`
// is the reason; otherwise it is "".
func (f *Figure) InWords(v float64) (text, undefined string) {
	switch text = setting.Figure(f.Format, v); {
	case v-v == 0:
		return text, ""
	case math.IsNaN(v) && f.None != "":
		return setting.None, f.None
	}
	return text, "what the model computes is " + text
}

// Measure returns the figure that compares trainings of this configuration. Smaller values are better.
func (c *Config) Measure() *Figure { return FigureNamed(c.Motion().Figure) }
