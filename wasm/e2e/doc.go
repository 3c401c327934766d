// Package e2e contains the tests that open the built lab in headless Chromium and use it like a
// user. They serve the folder dist of the repository. With
//
//	go test ./wasm/e2e -shots
//
// they also write screenshots to the folder shots.
package e2e
