// Package scene holds the pictures of the labs. A scene is a layout, for any size, and a list
// of the panels of package panel; labs.go lists all scenes.
//
// A picture reads the newest frame and keeps nothing else, except the pointer and gliding
// values. It appends to a plot.Batch and knows no screen: a picture can be drawn anywhere.
package scene
