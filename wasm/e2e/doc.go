// Package e2e holds the tests that open the built lab in headless Chromium and
// use it as a visitor does. They serve the folder dist of the repository. With
//
//	go test ./wasm/e2e -shots
//
// they write the screens that they come by to the folder shots, to be looked at.
package e2e
