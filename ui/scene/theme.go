package scene

import "macroscope/ui/plot"

// Theme is the colours of the picture.
type Theme struct {
	Paper, Ink, Muted, Faint, Grid       plot.Color
	Target, Learned, Mixture, Latent     plot.Color
	Tip, TipInk, TipMuted, TipEdge, Fill plot.Color
}

// Light returns black on paper white. The colours of the curves are of Okabe
// and Ito's palette, which readers of every colour vision can tell apart.
func Light() Theme {
	paper, ink := plot.RGB(0xfdfdfb), plot.RGB(0x1b1b1f)
	return Theme{
		Paper: paper, Ink: ink,
		Muted: ink.Mix(paper, 0.36), Faint: ink.Mix(paper, 0.72), Grid: ink.Mix(paper, 0.92),
		Target: plot.RGB(0x0072b2), Learned: plot.RGB(0xd55e00), Mixture: plot.RGB(0x777777), Latent: plot.RGB(0x009e73),
		Tip: plot.RGB(0xffffff), TipInk: ink, TipMuted: ink.Mix(paper, 0.36), TipEdge: ink.Mix(paper, 0.78),
		Fill: plot.RGB(0x0072b2).Fade(0.16),
	}
}

// Dark returns light curves on near black: the lighter blue and orange of the
// same palette, since the darker ones lack contrast there.
func Dark() Theme {
	paper, ink := plot.RGB(0x141417), plot.RGB(0xececea)
	return Theme{
		Paper: paper, Ink: ink,
		Muted: ink.Mix(paper, 0.34), Faint: ink.Mix(paper, 0.68), Grid: ink.Mix(paper, 0.90),
		Target: plot.RGB(0x56b4e9), Learned: plot.RGB(0xf08c3a), Mixture: plot.RGB(0x9a9a9a), Latent: plot.RGB(0x35c79d),
		Tip: plot.RGB(0x232328), TipInk: ink, TipMuted: ink.Mix(paper, 0.34), TipEdge: ink.Mix(paper, 0.72),
		Fill: plot.RGB(0x56b4e9).Fade(0.18),
	}
}
