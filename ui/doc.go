// Package ui shows a scene on an Ebitengine canvas. It uploads glyphs and draws the scene's
// triangles, each kind with its shader. It draws again only after a change.
//
// Packages ui/scene, ui/chart and ui/panel decide what is displayed and how it reacts. Package ui does
// not use Ebitengine's input, because the page would then receive no keys and no swipes.
package ui
