package scene

import (
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Picture is the picture of a lab.
type Picture interface {
	// Decode takes an encoded frame, which may say no more than what has changed
	// since the last one. On an error the last one stays.
	Decode(b []byte) error
	// SetTheme chooses the colours, and whether things jump instead of gliding.
	SetTheme(t Theme, still bool)
	// Resize lays the picture out for w×h CSS pixels of unit device pixels each.
	Resize(w, h, unit float32)
	// Advance moves the picture on by dt seconds to the newest frame, and reports
	// whether it is still moving.
	Advance(dt float64) (moving bool)
	// Draw appends the picture to b, back to front.
	Draw(b *plot.Batch)
	// Pointer takes an event at (x, y) in CSS pixels.
	Pointer(e Event, x, y float32, touch bool)
	// Key takes a key by its DOM name and reports whether the picture used it.
	Key(key string, shift bool) bool
	// Shape is how the pointer should look.
	Shape() Shape
	// Spoken is what the pointer or the keys read, in words; "" is nothing.
	Spoken() string
}

// Keeper is a Picture that may want drags in every direction for itself, those
// of a finger up and down too, which otherwise scroll the page.
type Keeper interface {
	// Keeps reports whether it does at present.
	Keeps() bool
}

// Opener makes a lab's Picture, which draws with glyphs of atlas and gives what
// the visitor does to command, as a wire.Command's kind and value.
type Opener func(atlas *glyph.Atlas, command func(kind, value string)) Picture

var openers = map[string]Opener{}

// Register makes a lab's picture known by the lab's name. It is for init
// functions: a scene's file is all that adds it.
func Register(lab string, o Opener) {
	if openers[lab] != nil {
		panic("scene: there are two pictures of " + lab)
	}
	openers[lab] = o
}

// Open returns the picture of a lab, nil if there is none.
func Open(lab string, atlas *glyph.Atlas, command func(kind, value string)) Picture {
	if o := openers[lab]; o != nil {
		return o(atlas, command)
	}
	return nil
}
