// Package scene is the pictures of the labs. A scene is a layout, for whatever size
// there is, and a list of the panels of package panel; labs.go lists them all.
//
// A picture reads the newest frame and keeps nothing that the next one does not
// bring again, but for the pointer and what glides. It appends to a plot.Batch and
// knows no screen: a picture can be drawn anywhere.
package scene
