package plot

import "math"

// Ramp is a scale of colours, for values from 0 to 1.
type Ramp [65]Color

// At returns the colour of t. Outside [0, 1] this is the colour of the nearer end; for NaN it
// is transparent.
func (r *Ramp) At(t float64) Color {
	if t != t {
		return Color{}
	}
	u := min(max(t, 0), 1) * float64(len(r)-1)
	i := min(int(u), len(r)-2)
	return r[i].Mix(r[i+1], float32(u-float64(i)))
}

// Shade is a colour in Björn Ottosson's Oklab (2020): lightness in [0, 1], chroma (0 is grey,
// 0.3 the most vivid on a screen) and hue in degrees. Equal steps of lightness look equal.
type Shade struct{ L, C, H float64 }

// Blend returns the opaque ramp through equidistant shades. Between two shades lightness,
// chroma and hue change linearly. A grey gets the hue of its neighbour.
func Blend(shades ...Shade) *Ramp {
	r := new(Ramp)
	for i := range r {
		u := float64(i) / float64(len(r)-1) * float64(len(shades)-1)
		k := min(int(u), len(shades)-2)
		a, b, f := shades[k], shades[k+1], u-float64(k)
		if a.C == 0 {
			a.H = b.H
		} else if b.C == 0 {
			b.H = a.H
		}
		r[i] = Shade{a.L + (b.L-a.L)*f, a.C + (b.C-a.C)*f, a.H + (b.H-a.H)*f}.Color()
	}
	return r
}

// Color returns the nearest opaque colour that a screen can show.
func (s Shade) Color() Color {
	sin, cos := math.Sincos(s.H * math.Pi / 180)
	a, b := s.C*cos, s.C*sin
	cube := func(x float64) float64 { return x * x * x }
	l := cube(s.L + 0.3963377774*a + 0.2158037573*b)
	m := cube(s.L - 0.1055613458*a - 0.0638541728*b)
	n := cube(s.L - 0.0894841775*a - 1.2914855480*b)
	return Color{
		encoded(4.0767416621*l - 3.3077115913*m + 0.2309699292*n),
		encoded(-1.2684380046*l + 2.6097574011*m - 0.3413193965*n),
		encoded(-0.0041960863*l - 0.7034186147*m + 1.7076147010*n),
		1,
	}
}

// encoded returns the sRGB value of an intensity of light.
func encoded(x float64) float32 {
	x = min(max(x, 0), 1)
	if x <= 0.0031308 {
		return float32(12.92 * x)
	}
	return float32(1.055*math.Pow(x, 1/2.4) - 0.055)
}
