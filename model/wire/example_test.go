package wire_test

import (
	"fmt"

	"macroscope/model/wire"
)

// A worker sends a frame, and the canvas draws it.
func Example() {
	var sent wire.Frame
	sent.Begin("particles")
	sent.Put("time", 0.25)
	sent.Put("x", 1, 2, 3)
	sent.PutText("note", "12 particles")
	message := sent.AppendTo(nil)

	var got wire.Frame // used for every message, because Decode reuses its memory
	if err := got.Decode(message); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(got.Lab, got.Number("time"), got.Numbers("x"), string(got.Text("note")))
	fmt.Println(got.Number("energy"), got.On("energy")) // a row that the worker did not send
	fmt.Println(got.Decode(message[:20]))
	// Output:
	// particles 0.25 [1 2 3] 12 particles
	// NaN false
	// wire: frame is cut short
}
