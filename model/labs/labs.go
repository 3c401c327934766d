// Package labs lists the labs of the page: which systems there are, and which
// models and files come with each. A program that needs one lab alone calls its
// function, so that the linker leaves the others out.
package labs

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"macroscope/model/experiment"
	"macroscope/model/lab"
	"macroscope/model/session"
	"macroscope/model/system/line"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
)

// shippedEps and shippedZDims are the models of the line that come with the page:
// one for each pair.
var (
	shippedEps   = [...]float64{0.03, 0.1, 0.3}
	shippedZDims = [...]int{1, 2, 4, 8}
)

// LineEps and LineZDims list the models of the line that come with the page: one
// for each pair.
func LineEps() []float64 { return slices.Clone(shippedEps[:]) }

// LineZDims is described at LineEps.
func LineZDims() []int { return slices.Clone(shippedZDims[:]) }

// LineModel is the bundle's path of the model of the line for ε and ẑ dim.
func LineModel(eps float64, zdim int) string {
	return fmt.Sprintf("models/demo-eps%s-z%d.safetensors", strconv.FormatFloat(eps, 'g', -1, 64), zdim)
}

// nearestLine names the shipped model of a latent dimension whose ε is nearest;
// "" is none.
func nearestLine(eps float64, zdim int) string {
	if !slices.Contains(shippedZDims[:], zdim) {
		return ""
	}
	best := shippedEps[0]
	for _, e := range shippedEps {
		if math.Abs(math.Log(e/eps)) < math.Abs(math.Log(best/eps)) {
			best = e
		}
	}
	return LineModel(best, zdim)
}

// Line is the lab with which the page opens.
func Line() lab.Lab {
	return lab.Lab{System: line.System{}, Systems: experiment.Systems{line.System{}}, Shipped: nearestLine}
}

// Particles is the lab of interacting particles.
func Particles() lab.Lab {
	return lab.Lab{
		System: particles.System{}, Systems: experiment.Systems{particles.System{}},
		Shipped: lab.Always("models/particles-laptop.safetensors"), Ordered: "models/particles-ordered.safetensors",
	}
}

// Mixing is the lab of two species that mix.
func Mixing() lab.Lab {
	return lab.Lab{
		System: mixing.System{}, Systems: experiment.Systems{mixing.System{}},
		Shipped: lab.Always("models/mixing-laptop.safetensors"), Codes: "models/mixing-z.npz",
	}
}

// All returns every lab.
func All() session.List { return session.List{Line(), Particles(), Mixing()} }
