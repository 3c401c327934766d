// Package e2e holds the tests that open the built lab in headless Chromium and
// use it as a visitor does. They serve the folder dist of the repository, and
// write the screenshots they look at to the folder shots.
package e2e
