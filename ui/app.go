//go:build js && wasm

package ui

import (
	"bytes"
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/hajimehoshi/ebiten/v2"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
	"macroscope/ui/scene"
)

// Each kind of triangles in a plot.Batch has its own shader.
var (
	//go:embed shape.kage
	shapeSource []byte
	//go:embed plain.kage
	plainSource []byte
	//go:embed field.kage
	fieldSource []byte
)

// Page is the HTML page around the canvas.
type Page interface {
	// Animate switches the animation frames on or off.
	Animate(on bool)
	// Keep tells the page whether vertical drags of a finger go to the picture. Otherwise they
	// scroll the page.
	Keep(on bool)
	// Command sends a wire.Command to the worker.
	Command(kind, value string)
	// Ready tells the page that the first picture has been drawn.
	Ready()
	// Answer tells the page that the latest frame has been drawn, so that the next frame can be
	// sent.
	Answer()
	// Drawn passes the total number of frames drawn.
	Drawn(frames int)
	// Signs passes the names of the symbols in the picture and their places: x, y, width and
	// height in CSS pixels.
	Signs(names []string, places []float64)
	// Spoken passes a text with the values under the pointer, or "" if there are none.
	Spoken(text string)
	// Picture passes the pixels of a snapshot (h, w, 4).
	Picture(pixels []byte, w, h int)
}

// App is the canvas.
type App struct {
	page  Page
	scene *scene.Scene // scene of the lab to which the last frame belongs
	lab   string
	theme brush.Theme
	still bool
	atlas *glyph.Atlas

	shaders [plot.Kinds]*ebiten.Shader
	glyphs  *ebiten.Image
	texels  *ebiten.Image
	sent    []byte // a copy of the bytes in texels
	batch   plot.Batch
	draw    ebiten.DrawTrianglesShaderOptions

	stale  bool // whether the screen does not show the latest picture yet
	moving bool // whether values still glide; if so, the animation goes on after the next picture
	last   time.Time

	// The size of the canvas is (w, h), in units of `zoom` CSS pixels. One such unit has `unit`
	// device pixels.
	w, h, unit float64
	zoom       float64
	lit        string // the highlighted part of the picture; "": all parts
	plain      bool   // whether the picture is plain
	snapshot   bool   // whether the page has requested a snapshot

	started  bool
	arrived  int // number of frames that have arrived
	drawn    int // number of frames that were drawn
	reported time.Time
	waiting  bool // whether a report to the page is scheduled
	signs    []brush.Sign
	speech   *time.Timer
	said     string
}

// New returns an App on a page.
func New(page Page) *App {
	a := &App{page: page, atlas: glyph.New(), theme: brush.Light(), zoom: 1, stale: true}
	a.open(wire.Demo) // until the first frame names its lab
	return a
}

// open displays a lab's picture and reports whether the lab exists.
func (a *App) open(lab string) bool {
	next := scene.Open(lab, a.atlas, a.page.Command)
	if next == nil {
		return false
	}
	a.scene, a.lab = next, lab
	next.SetTheme(a.theme, a.still)
	next.Light(a.lit)
	next.SetPlain(a.plain)
	if a.unit > 0 {
		next.Resize(float32(a.w), float32(a.h), float32(a.unit))
	}
	return true
}

// Run draws until an error that it cannot recover from.
func (a *App) Run() error {
	for kind, source := range [plot.Kinds][]byte{plot.Shapes: shapeSource, plot.Flat: plainSource, plot.Fields: fieldSource} {
		shader, err := ebiten.NewShader(source)
		if err != nil {
			return fmt.Errorf("ui: shader %d does not compile: %w", kind, err)
		}
		a.shaders[kind] = shader
	}
	a.glyphs = ebiten.NewImageWithOptions(image.Rect(0, 0, glyph.Side, glyph.Side), &ebiten.NewImageOptions{Unmanaged: true})
	a.draw.Images[0] = a.glyphs
	a.growTexels(plot.TexelsWide / 4)
	ebiten.SetScreenClearedEveryFrame(false)
	ebiten.SetTPS(ebiten.SyncWithFPS)
	return ebiten.RunGame(a)
}

// Frame decodes the next frame and schedules a picture of it. If the frame belongs to another
// lab, Frame opens this lab's picture first.
func (a *App) Frame(b []byte) error {
	if lab := wire.LabOf(b); lab != a.lab && !a.open(lab) {
		return fmt.Errorf("ui: there is no picture of a lab called %.24q", lab)
	}
	if err := a.scene.Decode(b); err != nil {
		return err
	}
	a.arrived++
	a.refresh()
	return nil
}

// Snapshot makes the app pass the pixels of the next picture to the page.
func (a *App) Snapshot() {
	a.snapshot = true
	a.refresh()
}

// SetTheme chooses the dark or the light theme. If `still` is true, values jump instead of gliding.
func (a *App) SetTheme(dark, still bool) {
	t := brush.Light()
	if dark {
		t = brush.Dark()
	}
	a.theme, a.still = t, still
	a.scene.SetTheme(t, still)
	a.refresh()
}

// SetZoom draws everything larger by a factor of 1 to 10.
func (a *App) SetZoom(factor float64) {
	if factor >= 1 && factor <= 10 {
		a.zoom = factor
		a.refresh()
	}
}

// SetLight dims all but one part of the picture (see scene.Scene.Light).
func (a *App) SetLight(part string) {
	a.lit = part
	a.scene.Light(part)
	a.refresh()
}

// SetPlain makes the picture plain, or whole again (see scene.Scene.SetPlain).
func (a *App) SetPlain(on bool) {
	a.plain = on
	a.scene.SetPlain(on)
	a.refresh()
}

// Pointer handles a pointer event, given by its DOM name, in CSS pixels.
func (a *App) Pointer(event string, x, y float64, touch bool) {
	a.scene.Pointer(scene.Event(event), float32(x/a.zoom), float32(y/a.zoom), touch)
	a.refresh()
	a.speak()
}

// refresh schedules another picture.
func (a *App) refresh() {
	a.stale = true
	a.page.Animate(true)
}

// Key handles a key, given by its DOM name, and returns whether the picture used it.
func (a *App) Key(key string, shift bool) bool {
	used := a.scene.Key(key, shift)
	if used {
		a.refresh()
		a.speak()
	}
	return used
}

// Ebitengine calls LayoutF instead.
func (a *App) Layout(w, h int) (int, int) { return w, h }

// LayoutF makes the picture as large as the canvas, in device pixels.
func (a *App) LayoutF(w, h float64) (float64, float64) {
	scale := ebiten.Monitor().DeviceScaleFactor()
	wide, high, unit := w/a.zoom, h/a.zoom, scale*a.zoom
	if wide != a.w || high != a.h || unit != a.unit {
		a.w, a.h, a.unit = wide, high, unit
		a.scene.Resize(float32(wide), float32(high), float32(unit))
		a.refresh()
	}
	// Ebitengine rounds the size of its canvas down.
	return math.Max(1, math.Floor(w*scale)), math.Max(1, math.Floor(h*scale))
}

// longest limits the time step between two pictures, so that axes still glide after a pause.
const longest = 100 * time.Millisecond

// Update advances the scene.
func (a *App) Update() error {
	if !a.stale {
		return nil
	}
	now := time.Now()
	dt := min(now.Sub(a.last), longest)
	a.last = now
	a.moving = a.scene.Advance(dt.Seconds())
	ebiten.SetCursorShape(shapes[a.scene.Shape()])
	a.page.Keep(a.scene.Keeps())
	return nil
}

var shapes = [...]ebiten.CursorShapeType{
	panel.Arrow: ebiten.CursorShapeDefault,
	panel.Cross: ebiten.CursorShapeCrosshair,
	panel.Hand:  ebiten.CursorShapePointer,
	panel.Slide: ebiten.CursorShapeEWResize,
}

// This line compiles only if plot.Vertex has the same fields as Ebitengine's Vertex.
var _ = ebiten.Vertex(plot.Vertex{})

// Draw draws the scene if it has changed.
func (a *App) Draw(screen *ebiten.Image) {
	if !a.stale {
		return
	}
	a.stale = a.moving
	a.page.Animate(a.moving)
	// If drawing the scene has emptied the full atlas, the batch refers to deleted glyphs. The
	// scene is then drawn again.
	for range 2 {
		a.atlas.Emptied = false
		a.batch.Reset()
		a.scene.Draw(&a.batch)
		if !a.atlas.Emptied {
			break
		}
	}
	a.upload()
	a.uploadTexels()
	// Ebitengine calls DrawFinalScreen only if Draw has drawn something, so Draw fills one pixel.
	screen.SubImage(image.Rect(0, 0, 1, 1)).(*ebiten.Image).Fill(color.Black)
	if a.snapshot {
		a.snapshot = false
		a.paint(screen)
		size := screen.Bounds().Size()
		pixels := make([]byte, 4*size.X*size.Y)
		screen.ReadPixels(pixels)
		a.page.Picture(pixels, size.X, size.Y)
	}
	a.drawn = a.arrived
	a.page.Answer()
	a.report()
}

// DrawFinalScreen draws the picture on the canvas without an intermediate copy.
func (a *App) DrawFinalScreen(screen ebiten.FinalScreen, _ *ebiten.Image, _ ebiten.GeoM) {
	a.paint(screen)
}

// paint draws the batch, which covers the whole picture.
func (a *App) paint(to interface {
	DrawTrianglesShader32(v []ebiten.Vertex, indices []uint32, shader *ebiten.Shader, op *ebiten.DrawTrianglesShaderOptions)
}) {
	a.batch.Pieces(func(of plot.Kind, vertices []plot.Vertex, indices []uint32) {
		v := unsafe.Slice((*ebiten.Vertex)(unsafe.Pointer(unsafe.SliceData(vertices))), len(vertices))
		to.DrawTrianglesShader32(v, indices, a.shaders[of], &a.draw)
	})
}

// upload copies new glyphs to the texture.
func (a *App) upload() {
	r := a.atlas.Changed
	if r.Empty() {
		return
	}
	a.atlas.Changed = image.Rectangle{}
	white := image.NewRGBA(r)
	draw.DrawMask(white, r, image.White, image.Point{}, a.atlas.Image, r.Min, draw.Src)
	a.glyphs.SubImage(r).(*ebiten.Image).WritePixels(white.Pix)
}

// uploadTexels copies the batch's Texels to the texture, if they have changed.
func (a *App) uploadTexels() {
	pix := a.batch.Texels.Pix
	if bytes.Equal(pix, a.sent[:min(len(a.sent), len(pix))]) {
		return
	}
	rows := len(pix) / (4 * plot.TexelsWide)
	if rows > a.texels.Bounds().Dy() {
		a.growTexels(2 * rows)
	}
	a.texels.SubImage(image.Rect(0, 0, plot.TexelsWide, rows)).(*ebiten.Image).WritePixels(pix)
	a.sent = append(a.sent[:0], pix...)
}

// growTexels replaces the texture of the Texels by a texture with the given number of rows.
func (a *App) growTexels(rows int) {
	if a.texels != nil {
		a.texels.Deallocate()
	}
	a.texels = ebiten.NewImageWithOptions(image.Rect(0, 0, plot.TexelsWide, rows), &ebiten.NewImageOptions{Unmanaged: true})
	a.draw.Images[1], a.sent = a.texels, a.sent[:0]
}

// reportPace is the time between two reports to the page.
const reportPace = time.Second

// report sends the number of frames drawn to the page, at most once per reportPace. An
// early report is delayed, not dropped, so the last picture of a series is counted.
func (a *App) report() {
	if !a.started {
		a.started = true
		a.page.Ready()
	}
	if a.waiting {
		return
	}
	a.waiting = true
	wait := max(0, reportPace-time.Since(a.reported))
	time.AfterFunc(wait, func() {
		a.waiting, a.reported = false, time.Now()
		a.page.Drawn(a.drawn)
		a.name()
	})
}

// name() sends the names and places of the symbols in the picture to the page, if they have
// changed.
func (a *App) name() {
	signs := a.scene.Signs()
	if slices.Equal(signs, a.signs) {
		return
	}
	a.signs = append(a.signs[:0], signs...)
	names, places := make([]string, 0, len(signs)), make([]float64, 0, 4*len(signs))
	css := a.zoom / a.unit
	for i := range signs {
		at := &signs[i].At
		names = append(names, signs[i].Name())
		for _, v := range [...]float32{at.X, at.Y, at.W, at.H} {
			places = append(places, float64(v)*css)
		}
	}
	a.page.Signs(names, places)
}

// speakPace is the delay before the values under a resting pointer are spoken.
const speakPace = 400 * time.Millisecond

// speak schedules the speaking of the values under the pointer. Only the pointer and the keys
// trigger it: the data change too fast for speech.
func (a *App) speak() {
	if a.speech != nil {
		a.speech.Reset(speakPace)
		return
	}
	a.speech = time.AfterFunc(speakPace, func() {
		if text := a.scene.Spoken(); text != a.said {
			a.said = text
			a.page.Spoken(text)
		}
	})
}
