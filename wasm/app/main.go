//go:build js && wasm

// Command app draws the picture of the lab. It runs in the page inside the picture's iframe.
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
