package polymer

import (
	"slices"

	"macroscope/model/system"
	"macroscope/sim/polymer/video"
	"macroscope/sim/rng"
)

// Changes of a film's pictures before the model receives them.
const (
	wholePicture     = "whole"
	movedPicture     = "moved"
	croppedPicture   = "cropped"
	scrambledPicture = "scrambled"
)

// orderStream names the random stream of shuffled pixels.
const orderStream = "polymer pixels"

// moves is how far a moved picture is shifted along both axes, in pixels.
const moves = 3

// A Filmed presents a chain's run as a film. Each frame is a picture of the chain, as a set of
// pixels. The predicted variable is the span of the picture. A Filmed is not safe for concurrent
// use.
type Filmed struct {
	*Live
	spans     []float64    // span of every frame from 0 to the last frame for which Macro was called
	of        uint64       // generation of the run for which spans were computed
	shown     system.Frame // scratch memory
	described system.Run
}

// Film returns the displayed run with its frames as pictures.
func (l *Live) Film() *Filmed { return &Filmed{Live: l} }

// FilmMethod returns the method of the model that reads the film, or "" if there is none.
func (l *Live) FilmMethod() string {
	if l.settings.film == noFilm {
		return ""
	}
	return l.settings.film
}

// Picture says how pictures are changed before the model receives them. The result is one of the
// constants wholePicture, movedPicture, ….
func (l *Live) Picture() string { return l.settings.picture }

// Run implements system.Live.
func (l *Filmed) Run() *system.Run {
	l.described = *l.Live.Run()
	l.described.Variables = spanAlone
	return &l.described
}

// Frame implements system.Live. It returns the pixels of frame k, changed as the settings say.
func (l *Filmed) Frame(dst *system.Frame, k int) {
	pixels(dst, l.Points(k))
	switch l.settings.picture {
	case movedPicture:
		for i := 0; i < len(dst.Points); i += dim {
			dst.Points[i] += moves
			dst.Points[i+1] += moves
		}
	case croppedPicture:
		dst.Points = crop(dst.Points)
		dst.Ends[0] = len(dst.Points) / dim
	case scrambledPicture:
		n := len(dst.Points) / dim
		rng.New(l.settings.seed, orderStream, uint64(k)).Shuffle(n, func(i, j int) {
			for axis := range dim {
				a, b := dim*i+axis, dim*j+axis
				dst.Points[a], dst.Points[b] = dst.Points[b], dst.Points[a]
			}
		})
	}
}

// crop keeps only the pixels (n, 3) in the left three quarters of the occupied columns. It
// overwrites its argument.
func crop(pixels []float32) []float32 {
	if len(pixels) == 0 {
		return pixels
	}
	edge := pixels[0]
	for i := 0; i < len(pixels); i += dim {
		edge = min(edge, pixels[i])
	}
	edge += 0.75 * float32(extension(pixels))
	kept := pixels[:0]
	for i := 0; i < len(pixels); i += dim {
		if pixels[i] <= edge {
			kept = append(kept, pixels[i:i+dim]...)
		}
	}
	return kept
}

// Macro implements system.Live: the span of frame k.
func (l *Filmed) Macro(k int) []float64 {
	if g := l.Live.Run().Generation; l.of != g {
		l.of, l.spans = g, l.spans[:0]
	}
	for i := len(l.spans); i <= k; i++ {
		l.spans = append(l.spans, span(l.Points(i)))
	}
	return l.spans[k : k+1]
}

// Middle appends the middle of the displayed picture to dst. The picture is the one that the model
// receives. The values are the brightness from 0 to 1, row by row from the largest y. The middle is
// large enough for an unfolded chain.
func (l *Filmed) Middle(dst []float32) (pixels []float32, columns, rows int) {
	columns, rows = min(video.Width, l.About.Particles+10)&^1, min(video.Height, max(20, l.About.Particles/4))&^1
	l.Frame(&l.shown, l.Player().Now())
	from := len(dst)
	dst = slices.Grow(dst, columns*rows)[:from+columns*rows]
	clear(dst[from:])
	for i := 0; i+dim <= len(l.shown.Points); i += dim {
		x, y := int(l.shown.Points[i])-(video.Width-columns)/2, int(l.shown.Points[i+1])-(video.Height-rows)/2
		if x >= 0 && x < columns && y >= 0 && y < rows {
			dst[from+(rows-1-y)*columns+x] = l.shown.Points[i+2] / 255
		}
	}
	return dst, columns, rows
}

// Beside reports whether a second chain is displayed.
func (l *Live) Beside() bool { return l.settings.beside == secondChain && !l.Recorded() }

// The result of Many is true if many realisations of the start are displayed.
func (l *Live) Many() bool { return l.settings.beside == manyRuns && !l.Recorded() }

// Counterpart returns the second chain's run. The counterpart of a hairpin is the strand of the
// same seed and extension, and the counterpart of a strand is the hairpin. Any other chain's
// counterpart is the same chain with other noise.
func (l *Live) Counterpart() (*Live, error) {
	c := newLive(l.settings)
	c.Edited = l.Edited
	switch start := c.settings.start; {
	case c.Edited == nil && start == hairpinStart:
		c.settings.start = strandStart
	case c.Edited == nil && start == strandStart:
		c.settings.start = hairpinStart
	default:
		c.otherKicks = true
	}
	return c, c.simulate()
}

// Called returns a short name for the run, such as "yours" for a chain that the user has pulled.
func (l *Live) Called() string {
	switch {
	case l.otherKicks:
		return "other kicks"
	case l.Edited != nil:
		return "yours"
	case l.settings.start == drawnStart:
		return "the chain"
	}
	return l.settings.start
}

// Places returns the beads of the displayed frame, seen along z (N, 2). The result is valid
// until the next call.
func (l *Live) Places() []float32 {
	beads := l.Now()
	l.numbers = l.numbers[:0]
	for i := 0; i < len(beads); i += dim {
		l.numbers = append(l.numbers, beads[i], beads[i+1])
	}
	return l.numbers
}
