package main

import (
	"fmt"
	"strconv"
	"testing"

	"macroscope/ui/brush"
	"macroscope/ui/glyph"
)

// TestProjectedText checks that text in plots on a projector is at least 1.9 % of the screen's
// height.
func TestProjectedText(t *testing.T) {
	t.Parallel()
	const page = `
let zoom = 1, press;
const names = new Set();
const document = {
	documentElement: { classList: { contains: (name) => names.has(name), toggle: (name, on) => (on ? names.add(name) : names.delete(name)) } },
	addEventListener() {},
};
const addEventListener = () => {};
createProjector({ setAttribute() {}, addEventListener: (_, listen) => (press = listen) }, (factor) => (zoom = factor));
press();` + settled + `return zoom; // known once the browser grants full screen`
	screens := [][2]float32{{1024, 768}, {1280, 720}, {1280, 800}, {1920, 1080}, {2560, 1440}, {3840, 2160}}
	var scripts []string
	for _, screen := range screens {
		scripts = append(scripts, fmt.Sprintf("const innerHeight = %g;", screen[1])+module(t, "shell/projector.js")+page)
	}
	for i, got := range inNode(t, scripts...) {
		screen := screens[i]
		zoom, err := strconv.ParseFloat(got, 32)
		if err != nil {
			t.Fatal(err)
		}
		b := brush.New(glyph.New())
		b.Resize(screen[0]/float32(zoom), screen[1]/float32(zoom), float32(zoom))
		if share := b.Size / screen[1]; share < 0.019 {
			t.Errorf("on %v the labels are %.1f px high, %.2f %%", screen, b.Size, 100*share)
		}
	}
}

// TestLostRelease presses a slider and loses the release. The slider must follow the worker's values again as
// soon as the pointer moves with no button pressed.
func TestLostRelease(t *testing.T) {
	t.Parallel()
	const start = `
		globalThis.matchMedia = () => ({ matches: true });
		globalThis.requestAnimationFrame = (act) => act(0);
		globalThis.cancelAnimationFrame = () => {};
		const listen = {};
		const input = { value: "0", style: { setProperty() {} }, setAttribute() {}, addEventListener: (type, act) => (listen[type] = act) };
		const { createSlider } = await import("./shell/slider.js");
		const slider = createSlider(input, { scale: { min: 0, max: 10, step: 1, place: Number, at: Number }, words: String }, () => {});
		slider.show(1);
		listen.pointerdown({ buttons: 1 });
		slider.show(5);
		const held = input.value;
`
	checkInNode(t, []nodeTest{
		{"held", start + `listen.pointermove({ buttons: 1 }); return [held, input.value].join();`, "1,1"},
		{"a move without a button", start + `listen.pointermove({ buttons: 0 }); return [held, input.value].join();`, "1,5"},
		{"a lost capture", start + `listen.lostpointercapture({}); return [held, input.value].join();`, "1,5"},
	})
}
