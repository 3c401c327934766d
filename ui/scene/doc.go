// Package scene holds the pictures of the labs. A scene is a list of panels from package panel,
// with a layout for every size of the page. labs.go lists all scenes.
//
// A picture is made from the newest frame. In addition to this frame, a scene stores only the
// pointer's state and the gliding values. A picture is appended to a plot.Batch, which needs no
// screen.
package scene
