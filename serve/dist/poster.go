package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"slices"
	"strings"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session"
	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
	"macroscope/ui/scene"
)

// A poster is the still picture of a lab that the page shows until the lab draws. The build
// draws it from a frame of a session, with the code that also draws the picture on the page.
const (
	posterWidth, posterHeight = 1280, 600 // size in CSS pixels of the simple view's picture in a window of 1280×800
	posterUnit                = 1.25      // device pixels per CSS pixel: a compromise between screens with 1 and with 2
	posterPatience            = 2 * time.Minute
)

// posterLinks contains links for some labs. The poster of such a lab shows the state that the link
// opens. The posters of other labs show the opening state.
var posterLinks = map[string]string{
	"particles": "lab=particles&frame=60", "mixing": "lab=mixing&frame=60", "polymer": "lab=polymer&start=hairpin&beside=second&film=flow&frame=100",
	"flock": "lab=flock&frame=60",
}

var posterThemes = []struct {
	suffix string
	theme  brush.Theme
}{{"", brush.Light()}, {"-dark", brush.Dark()}}

// posterName returns the name of a poster's file.
func posterName(name, suffix string) string { return "posters/" + name + suffix + ".png" }

// isPoster reports whether a file is a poster.
func isPoster(name string) bool { return strings.HasPrefix(name, "posters/") }

// hasPoster reports whether a lab has a poster. A lab of the user's own system has nothing to show before there is a file.
func hasPoster(l lab.Lab) bool { return l.Describe == nil }

// addPosters draws the posters of all labs that have one, and adds the style rules that select one of them.
func (b bundle) addPosters(list session.List) error {
	for _, l := range list {
		if !hasPoster(l) {
			continue
		}
		frame, err := b.still(l)
		if err != nil {
			return fmt.Errorf("the poster of %s: %w", l.Link(), err)
		}
		for _, t := range posterThemes {
			img, err := draw(l.Link(), frame, t.theme)
			if err != nil {
				return fmt.Errorf("the poster of %s: %w", l.Link(), err)
			}
			if b[posterName(l.Link(), t.suffix)], err = encodeFew(img); err != nil {
				return err
			}
		}
		b[styleFile] = fmt.Appendf(b[styleFile], posterRules, l.Link(), posterName(l.Link(), ""), posterName(l.Link(), "-dark"))
	}
	return nil
}

// posterRules is the format of a lab's style rules. The arguments are the lab's name, its poster,
// and its poster in the dark theme.
const posterRules = `
:root[data-lab="%[1]s"] { --still: url("%[2]s"); }
@media (prefers-color-scheme: dark) {
  :root[data-lab="%[1]s"]:not([data-theme="light"]) { --still: url("%[3]s"); }
}
:root[data-lab="%[1]s"][data-theme="dark"] { --still: url("%[3]s"); }
`

// The method `still` returns the frame of a lab's poster.
func (b bundle) still(l lab.Lab) ([]byte, error) {
	s := session.New(l)
	if link := posterLinks[l.Link()]; link != "" {
		if n := s.Apply(wire.Command{Kind: wire.Link, Value: link}); n != nil && n.Error {
			return nil, fmt.Errorf("its link %s: %s", link, n.Text)
		}
	}
	drawn := false
	for began := time.Now(); ; {
		if err := b.fetch(s); err != nil {
			return nil, err
		}
		busy, n := s.Work(10 * time.Millisecond)
		switch {
		case n != nil && n.Error:
			return nil, fmt.Errorf("%s", n.Text)
		case time.Since(began) > posterPatience:
			return nil, fmt.Errorf("it has not come to rest within %v", posterPatience)
		case busy || s.Wants() != "":
			continue
		}
		// The first picture may be coarse. The picture is complete when no other frame follows.
		if next := s.AppendFrame(nil); len(next) > 0 {
			drawn = true
		} else if drawn {
			s.Forget() // the next frame is whole instead of the differences from the last one
			return s.AppendFrame(nil), nil
		}
	}
}

// draw draws a frame with the page's drawing code.
func draw(name string, frame []byte, theme brush.Theme) (*image.RGBA, error) {
	atlas := glyph.New()
	picture := scene.Open(name, atlas, func(kind, value string) {})
	if picture == nil {
		return nil, fmt.Errorf("there is no picture of it")
	}
	if err := picture.Decode(frame); err != nil {
		return nil, err
	}
	picture.SetTheme(theme, true)
	picture.SetPlain(true) // as on a first visit
	picture.Resize(posterWidth, posterHeight, posterUnit)
	for range 100 { // until gliding values have reached their goals
		if !picture.Advance(0.1) {
			break
		}
	}
	var batch plot.Batch
	picture.Draw(&batch)
	img := image.NewRGBA(image.Rect(0, 0, posterUnit*posterWidth, posterUnit*posterHeight))
	plot.Raster(img, &batch, atlas.Image)
	return img, nil
}

// reduceFigures reduces the figures of the guide and of the paper page to 256 colours.
func (b bundle) reduceFigures() error {
	for name, content := range b {
		if !strings.HasSuffix(name, ".png") || !strings.HasPrefix(name, "figures/") && !strings.HasPrefix(name, "paper/") {
			continue
		}
		img, err := png.Decode(bytes.NewReader(content))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all := image.NewRGBA(img.Bounds())
		imagedraw.Draw(all, all.Rect, img, all.Rect.Min, imagedraw.Src)
		few, err := encodeFew(all)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(few) < len(content) {
			b[name] = few
		}
	}
	return nil
}

// encodeFew returns the image as a PNG file with 256 colours.
func encodeFew(img *image.RGBA) ([]byte, error) {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&out, fewColours(img))
	return out.Bytes(), err
}

// fewColours reduces the image to 256 of its colours, which makes the file a third as large. It
// first takes the most frequent colours that are far apart, then the most frequent colours that
// are closer to one another.
func fewColours(img *image.RGBA) *image.Paletted {
	count := map[color.RGBA]int{}
	for i := 0; i < len(img.Pix); i += 4 {
		count[color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}]++
	}
	colours := make([]color.RGBA, 0, len(count))
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(c, d color.RGBA) int {
		if n := count[d] - count[c]; n != 0 {
			return n
		}
		return slices.Compare([]uint8{c.R, c.G, c.B}, []uint8{d.R, d.G, d.B})
	})
	var palette color.Palette
	taken := map[color.RGBA]bool{}
	for _, apart := range []int{2000, 500, 120, 30, 8, 0} {
		for _, c := range colours {
			if len(palette) < 256 && !taken[c] && far(c, palette, apart) {
				palette, taken[c] = append(palette, c), true
			}
		}
	}
	out := image.NewPaletted(img.Rect, palette)
	index := map[color.RGBA]uint8{}
	for i := range out.Pix {
		c := color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], 255}
		at, ok := index[c]
		if !ok {
			at = uint8(palette.Index(c))
			index[c] = at
		}
		out.Pix[i] = at
	}
	return out
}

// far reports whether the squared distance of c from every colour of the palette is larger than
// `apart`.
func far(c color.RGBA, palette color.Palette, apart int) bool {
	for _, p := range palette {
		q := p.(color.RGBA)
		dr, dg, db := int(c.R)-int(q.R), int(c.G)-int(q.G), int(c.B)-int(q.B)
		if dr*dr+dg*dg+db*db <= apart {
			return false
		}
	}
	return true
}
