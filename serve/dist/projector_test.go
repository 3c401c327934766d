package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"macroscope/ui/brush"
	"macroscope/ui/glyph"
)

// TestProjectedText checks that text in plots on a projector is at least 1.9 % of the screen's
// height.
func TestProjectedText(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../assets/shell/projector.js")
	if err != nil {
		t.Fatal(err)
	}
	const page = `
let zoom = 1, press;
const names = new Set();
const document = {
	documentElement: { classList: { contains: (name) => names.has(name), toggle: (name, on) => (on ? names.add(name) : names.delete(name)) } },
	addEventListener() {},
};
const addEventListener = () => {};
createProjector({ setAttribute() {}, addEventListener: (_, listen) => (press = listen) }, (factor) => (zoom = factor));
press();`
	for _, screen := range [][2]float32{{1024, 768}, {1280, 720}, {1280, 800}, {1920, 1080}, {2560, 1440}, {3840, 2160}} {
		vm := goja.New()
		_ = vm.Set("innerHeight", screen[1])
		if _, err := vm.RunString(strings.ReplaceAll(string(source), "export ", "") + page); err != nil {
			t.Fatal(err)
		}
		v, err := vm.RunString("zoom") // known once the browser grants full screen
		if err != nil {
			t.Fatal(err)
		}
		zoom := float32(v.ToFloat())
		b := brush.New(glyph.New())
		b.Resize(screen[0]/zoom, screen[1]/zoom, zoom)
		if share := b.Size / screen[1]; share < 0.019 {
			t.Errorf("on %v the labels are %.1f px high, %.2f %%", screen, b.Size, 100*share)
		}
	}
}
