// Package scene holds the pictures of the labs. A scene is a list of panels from package
// panel, with a layout for every size of the page; labs.go lists all scenes.
//
// A picture is made from the newest frame. It keeps nothing else but the pointer's state
// and values that glide. It is appended to a plot.Batch and knows no screen, so it can be
// drawn anywhere.
package scene
