package plot

import (
	"math"
	"unsafe"
)

// TexelsWide is the width of the texture with the fields' data.
const TexelsWide = 1024

// Texels contains the data of a batch's fields: red, green, blue and alpha (rows, TexelsWide, 4).
// Red and green together hold a level. A ramp has a texel for each of its colours.
type Texels struct {
	Pix []byte

	x, y, high int // x, y: place for the next data; high: height of the present row
	ramps      []placed
}

// placed is a ramp, and the place of its first colour.
type placed struct {
	ramp *Ramp
	x, y int
}

func (t *Texels) reset() { *t = Texels{Pix: t.Pix[:0], ramps: t.ramps[:0]} }

// place reserves nx×ny texels and returns where they are. nx must be at most TexelsWide.
func (t *Texels) place(nx, ny int) (x, y int) {
	if t.x+nx > TexelsWide {
		t.x, t.y, t.high = 0, t.y+t.high, 0
	}
	x, y = t.x, t.y
	t.x, t.high = t.x+nx, max(t.high, ny)
	for len(t.Pix) < 4*TexelsWide*(t.y+t.high) {
		t.Pix = append(t.Pix, blank[:]...)
	}
	return x, y
}

var blank [4 * TexelsWide]byte

func (t *Texels) at(x, y int) []byte { return t.Pix[4*(y*TexelsWide+x):][:4] }

// ramp returns the place of a ramp's colours.
func (t *Texels) ramp(r *Ramp) (x, y int) {
	for _, p := range t.ramps {
		if p.ramp == r {
			return p.x, p.y
		}
	}
	x, y = t.place(len(r), 1)
	for i, c := range r {
		copy(t.at(x+i, y), []byte{shade(c.R), shade(c.G), shade(c.B), 255})
	}
	t.ramps = append(t.ramps, placed{r, x, y})
	return x, y
}

func shade(v float32) byte { return byte(255*min(max(v, 0), 1) + 0.5) }

// A texel can hold levels from lowestLevel to lowestLevel + levels. This range is wider than the
// range of a ramp, so that a spike survives smoothing.
const lowestLevel, levels = -2, 8

// Field appends a function on the rectangle r. The value v has the level `middle` + gain·v. A level
// from 0 to 1 is coloured by the ramp. The first row of cells is at the top or, if r has a negative
// height, at the bottom. Weights that are not finite count as 0. Field draws nothing if there are no
// cells in r, or more than TexelsWide along an axis.
func (b *Batch) Field(r Rect, g *Grid, middle, gain float32, ramp *Ramp) {
	nx, ny := g.NX, g.NY
	if nx <= 2*g.Pad || ny <= 2*g.Pad || nx > TexelsWide || ny > TexelsWide || r.W <= 0 || r.H == 0 {
		return
	}
	t := &b.Texels
	rx, ry := t.ramp(ramp)
	x0, y0 := t.place(nx, ny)
	const most = 65535
	zero, unit := (middle-lowestLevel)/levels*most+0.5, gain/levels*most
	for j := range ny {
		row := unsafe.Slice((*uint32)(unsafe.Pointer(&t.Pix[4*((y0+j)*TexelsWide+x0)])), nx)
		for i, v := range g.Weights[j*nx : (j+1)*nx] {
			n := zero + unit*v
			switch {
			case n >= 0 && n <= most:
			case n > most && v-v == 0:
				n = most
			case n < 0 && v-v == 0:
				n = 0
			default:
				n = zero
			}
			k := uint32(int32(n))
			row[i] = k>>8 | k&255<<8 | 255<<24
		}
	}
	i, pad := uint32(len(b.Vertices)), float32(g.Pad)
	for _, s := range [...][2]float32{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
		b.Vertices = append(b.Vertices, Vertex{
			DstX: r.X + s[0]*r.W, DstY: r.Y + s[1]*r.H, SrcY: field,
			ColorR: float32(nx - 1), ColorG: float32(ny - 1), ColorB: float32(rx), ColorA: float32(ry),
			Custom0: s[0]*(float32(nx)-2*pad) + pad - 0.5, Custom1: s[1]*(float32(ny)-2*pad) + pad - 0.5, Custom2: float32(x0), Custom3: float32(y0),
		})
	}
	b.quad(i)
}

// color returns the colour of a field at a place. It computes the colour like the shader.
func (t *Texels) color(v *Vertex, x, y float64) (c [3]float64) {
	nx, ny := int(v.ColorR)+1, int(v.ColorG)+1
	fx, fy := math.Floor(x), math.Floor(y)
	wx, wy := spline(float32(x-fx)), spline(float32(y-fy))
	level := float64(lowestLevel)
	for j, w := range wy {
		for i, u := range wx {
			p := t.at(int(v.Custom2)+min(max(int(fx)+i-1, 0), nx-1), int(v.Custom3)+min(max(int(fy)+j-1, 0), ny-1))
			level += levels * float64(w) * float64(u) * float64(int(p[0])<<8+int(p[1])) / 65535
		}
	}
	at := min(max(level, 0), 1) * float64(len(Ramp{})-1)
	k := min(int(at), len(Ramp{})-2)
	p, q := t.at(int(v.ColorB)+k, int(v.ColorA)), t.at(int(v.ColorB)+k+1, int(v.ColorA))
	for i := range c {
		c[i] = (float64(p[i]) + (float64(q[i])-float64(p[i]))*(at-float64(k))) / 255
	}
	return c
}
