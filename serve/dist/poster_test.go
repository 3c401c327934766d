package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// TestReduceFigures reduces a figure with more than 256 colours. The result must have the same size
// and nearly the same colours. Other pictures must not change.
func TestReduceFigures(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 64 * 64 {
		img.SetRGBA(i%64, i/64, color.RGBA{uint8(r.Uint32()), uint8(r.Uint32()), 128, 255})
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	b := bundle{"paper/laptop/a.png": file.Bytes(), "icon.png": file.Bytes(), "figures/b.svg": []byte("<svg/>")}
	if err := b.reduceFigures(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b["icon.png"], file.Bytes()) {
		t.Error("a picture that is no figure has changed")
	}
	got, err := png.Decode(bytes.NewReader(b["paper/laptop/a.png"]))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := got.(*image.Paletted); !ok || got.Bounds() != img.Rect || len(b["paper/laptop/a.png"]) >= file.Len() {
		t.Errorf("%T, %v, %d bytes of %d", got, got.Bounds(), len(b["paper/laptop/a.png"]), file.Len())
	}
	for i := range 64 * 64 {
		red, green, _, _ := got.At(i%64, i/64).RGBA()
		want := img.RGBAAt(i%64, i/64)
		if dr, dg := int(red>>8)-int(want.R), int(green>>8)-int(want.G); dr*dr+dg*dg > 40*40 {
			t.Fatalf("pixel %d differs by %d and %d", i, dr, dg)
		}
	}
	b["figures/c.png"] = []byte("no picture")
	if err := b.reduceFigures(); err == nil {
		t.Error("a spoilt figure is taken")
	}
}
