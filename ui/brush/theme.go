package brush

import "macroscope/ui/plot"

// Theme contains the colours of the picture.
type Theme struct {
	Paper, Ink, Muted, Faint, Grid   plot.Color
	Target, Learned, Mixture, Latent plot.Color
	Other                            plot.Color // the second of two compared models
	Tip, TipEdge, Fill               plot.Color

	// Density is the ramp for values from 0 up. It runs from the paper's colour to a colour on
	// which ink is still legible. Signed is for values of either sign: the paper's colour at 0,
	// Target's hue below 0 and Learned's hue above. Labels distinguishes labels by colours from
	// blue to yellow. Their lightness rises evenly, so colour-blind readers also see the order.
	Density, Signed, Labels *plot.Ramp
	// Directions is a circle of hues of one lightness: its ends are the same colour.
	Directions *plot.Ramp

	// Species are the colours of two kinds of atoms, violet and gold. These two colours differ in
	// lightness and in hue. They also differ from the colours above. SpeciesDensity has a ramp for
	// each species, from the paper's colour to the species' colour.
	Species        [2]plot.Color
	SpeciesDensity [2]*plot.Ramp
}

// Film is the ramp of a camera's picture, light on black in both themes.
var Film = plot.Blend(plot.Shade{L: 0.06}, plot.Shade{L: 1})

var (
	lightDensity = plot.Blend(plot.Shade{L: 0.994, C: 0.003, H: 200}, plot.Shade{L: 0.80, C: 0.085, H: 215}, plot.Shade{L: 0.60, C: 0.12, H: 245})
	lightSigned  = plot.Blend(plot.Shade{L: 0.54, C: 0.13, H: 245}, plot.Shade{L: 0.76, C: 0.08, H: 245}, plot.Shade{L: 0.99},
		plot.Shade{L: 0.79, C: 0.09, H: 50}, plot.Shade{L: 0.60, C: 0.16, H: 47})
	lightLabels = plot.Blend(plot.Shade{L: 0.38, C: 0.15, H: 275}, plot.Shade{L: 0.56, C: 0.19, H: 350}, plot.Shade{L: 0.72, C: 0.16, H: 410}, plot.Shade{L: 0.86, C: 0.16, H: 450})

	lightDirections = circle(0.58, 0.15)

	lightSpecies        = [2]plot.Color{plot.Shade{L: 0.47, C: 0.17, H: 293}.Color(), plot.Shade{L: 0.83, C: 0.155, H: 88}.Color()}
	lightSpeciesDensity = [2]*plot.Ramp{
		plot.Blend(plot.Shade{L: 0.994, C: 0.003, H: 293}, plot.Shade{L: 0.74, C: 0.10, H: 293}, plot.Shade{L: 0.44, C: 0.18, H: 293}),
		plot.Blend(plot.Shade{L: 0.994, C: 0.003, H: 95}, plot.Shade{L: 0.87, C: 0.14, H: 92}, plot.Shade{L: 0.62, C: 0.135, H: 70}),
	}

	darkDensity = plot.Blend(plot.Shade{L: 0.19, C: 0.006, H: 280}, plot.Shade{L: 0.46, C: 0.10, H: 250}, plot.Shade{L: 0.72, C: 0.11, H: 222})
	darkSigned  = plot.Blend(plot.Shade{L: 0.74, C: 0.11, H: 235}, plot.Shade{L: 0.46, C: 0.08, H: 240}, plot.Shade{L: 0.21},
		plot.Shade{L: 0.48, C: 0.09, H: 50}, plot.Shade{L: 0.76, C: 0.14, H: 60})
	darkSpecies        = [2]plot.Color{plot.Shade{L: 0.62, C: 0.19, H: 293}.Color(), plot.Shade{L: 0.87, C: 0.155, H: 92}.Color()}
	darkSpeciesDensity = [2]*plot.Ramp{
		plot.Blend(plot.Shade{L: 0.19, C: 0.006, H: 293}, plot.Shade{L: 0.42, C: 0.15, H: 293}, plot.Shade{L: 0.72, C: 0.15, H: 298}),
		plot.Blend(plot.Shade{L: 0.19, C: 0.006, H: 75}, plot.Shade{L: 0.50, C: 0.10, H: 75}, plot.Shade{L: 0.88, C: 0.155, H: 95}),
	}
	darkDirections = circle(0.76, 0.13)

	darkLabels = plot.Blend(plot.Shade{L: 0.56, C: 0.17, H: 275}, plot.Shade{L: 0.68, C: 0.18, H: 350}, plot.Shade{L: 0.80, C: 0.14, H: 410}, plot.Shade{L: 0.94, C: 0.14, H: 455})
)

// circle returns a ramp once round the hues, of one lightness and chroma.
func circle(lightness, chroma float64) *plot.Ramp {
	at := func(hue float64) plot.Shade { return plot.Shade{L: lightness, C: chroma, H: hue} }
	return plot.Blend(at(25), at(115), at(205), at(295), at(385))
}

// Light returns the theme with dark ink on light paper. The colours of curves are from the
// palette of Okabe and Ito, which colour-blind readers can tell apart. The page's style.css repeats
// Target, Learned and Latent of both themes.
func Light() Theme {
	return Theme{
		Target: plot.RGB(0x0072b2), Learned: plot.RGB(0xd55e00), Mixture: plot.RGB(0x777777), Latent: plot.RGB(0x009e73),
		Other: plot.RGB(0xa8497f), Tip: plot.RGB(0xffffff), Fill: plot.RGB(0x0072b2).Fade(0.16),
		Density: lightDensity, Signed: lightSigned, Labels: lightLabels, Directions: lightDirections,
		Species: lightSpecies, SpeciesDensity: lightSpeciesDensity,
	}.on(plot.RGB(0xfdfdfb), plot.RGB(0x1b1b1f), 0.36, 0.72, 0.92, 0.78)
}

// Dark returns the theme with light curves on near black. It uses the lighter blue and orange
// of the palette, because the darker ones lack contrast on black.
func Dark() Theme {
	return Theme{
		Target: plot.RGB(0x56b4e9), Learned: plot.RGB(0xf08c3a), Mixture: plot.RGB(0x9a9a9a), Latent: plot.RGB(0x35c79d),
		Other: plot.RGB(0xdb96c0), Tip: plot.RGB(0x232328), Fill: plot.RGB(0x56b4e9).Fade(0.18),
		Density: darkDensity, Signed: darkSigned, Labels: darkLabels, Directions: darkDirections,
		Species: darkSpecies, SpeciesDensity: darkSpeciesDensity,
	}.on(plot.RGB(0x141417), plot.RGB(0xececea), 0.34, 0.68, 0.90, 0.72)
}

// `on` sets the colours of paper and ink, and mixes Muted, Faint, Grid and TipEdge from these two.
// `muted`, `faint`, `grid` and `edge` are the shares of paper in the mixed colours.
func (t Theme) on(paper, ink plot.Color, muted, faint, grid, edge float32) Theme {
	t.Paper, t.Ink = paper, ink
	t.Muted, t.Faint, t.Grid = ink.Mix(paper, muted), ink.Mix(paper, faint), ink.Mix(paper, grid)
	t.TipEdge = ink.Mix(paper, edge)
	return t
}
