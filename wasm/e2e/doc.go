// Package e2e holds the tests that open the built lab in headless Chromium and use it as a
// user does. They serve the folder dist of the repository. With
//
//	go test ./wasm/e2e -shots
//
// they write screenshots to the folder shots, for inspection.
package e2e
