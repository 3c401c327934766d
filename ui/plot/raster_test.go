package plot

import "image"

// raster draws a batch in white on black and returns each pixel's value. Glyphs are filled
// rectangles.
func raster(b *Batch, w, h int) []float64 {
	white := Batch{Indices: b.Indices}
	for _, v := range b.Vertices {
		v.ColorR, v.ColorG, v.ColorB = v.ColorA, v.ColorA, v.ColorA
		white.Vertices = append(white.Vertices, v)
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	Raster(img, &white, nil)
	cover := make([]float64, w*h)
	for i := range cover {
		cover[i] = float64(img.Pix[4*i]) / 255
	}
	return cover
}

func total(img []float64) (sum float64) {
	for _, v := range img {
		sum += v
	}
	return sum
}
