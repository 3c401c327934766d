//go:build js && wasm

// Command app is the picture of the lab for the page that holds its canvas.
package main

import (
	"macroscope/ui"
	"macroscope/wasm/bridge"
)

func main() {
	page := bridge.OpenCanvas()
	app := ui.New(page)
	page.Attach(app)
	if err := app.Run(); err != nil {
		page.Fail(err)
	}
}
