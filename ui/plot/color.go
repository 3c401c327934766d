package plot

// Color is red, green, blue and opacity in [0, 1]. The colours are premultiplied by the
// opacity.
type Color struct{ R, G, B, A float32 }

// RGB returns the opaque colour written as 0xRRGGBB.
func RGB(hex uint32) Color {
	return Color{float32(hex>>16&255) / 255, float32(hex>>8&255) / 255, float32(hex&255) / 255, 1}
}

// Fade returns c with its opacity multiplied by a.
func (c Color) Fade(a float32) Color { return Color{c.R * a, c.G * a, c.B * a, c.A * a} }

// Mix returns a mixture of two colours: c for t = 0, d for t = 1.
func (c Color) Mix(d Color, t float32) Color {
	return Color{c.R + (d.R-c.R)*t, c.G + (d.G-c.G)*t, c.B + (d.B-c.B)*t, c.A + (d.A-c.A)*t}
}
