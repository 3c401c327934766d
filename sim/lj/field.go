package lj

import "unsafe"

// maxWidth is the number of float32s in the widest vector.
const maxWidth = 16

// The force loops read a field and a list. The arrays x and y of a field extend maxWidth elements
// beyond the atoms, because vectors read past the end.
type field struct {
	x, y   []float32 // coordinates, by slot
	square float32   // squared cutoff

	// guard is added to squared distances. Its first half is zero; its second half exceeds
	// every squared cutoff. Lanes beyond a block's neighbours read the second half, so they lie
	// outside the cutoff.
	guard []float32 // (2 maxWidth)
}

// core is a lower bound for squared distances, so that an atom's force on itself is 0 and not
// 0·∞.
const core = 1e-4

func newField(n int) *field {
	f := &field{
		x: alignedOf[float32](n + maxWidth), y: alignedOf[float32](n + maxWidth),
		guard: alignedOf[float32](2 * maxWidth),
	}
	for k := maxWidth; k < len(f.guard); k++ {
		f.guard[k] = 1e9
	}
	return f
}

// refForces is the plain form of a pass: it writes the forces (N, 2) on all atoms to dst, by
// slot. It computes every pair twice, once for each of its atoms.
func refForces(dst []float32, f *field, l *list) {
	for i, k := range l.kind {
		var fx, fy float64
		a, b := l.a[k], l.b[k]
		for _, n := range l.near[l.row[i]:l.row[i+1]] {
			for j := n.begin; j < n.begin+n.lanes; j++ {
				dx, dy := float64(f.x[i]-f.x[j]), float64(f.y[i]-f.y[j])
				square := dx*dx + dy*dy
				if square >= float64(f.square) {
					continue
				}
				inv := 1 / max(square, core)
				inv6 := inv * inv * inv
				force := inv * inv6 * (float64(a[j])*inv6 - float64(b[j]))
				fx += force * dx
				fy += force * dy
			}
		}
		dst[2*i], dst[2*i+1] = float32(fx), float32(fy)
	}
}

// padded rounds n up to whole vectors and adds one vector.
func padded(n int) int { return (n+maxWidth-1)/maxWidth*maxWidth + maxWidth }

// alignedOf returns n zeros that begin on a cache line, because a vector across two
// lines costs twice as much.
func alignedOf[T float32 | float64](n int) []T {
	const line = 64
	var zero T
	size := int(unsafe.Sizeof(zero))
	s := make([]T, n+line/size-1)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(s)))%line) / size
	return s[skip : skip+n : skip+n]
}
