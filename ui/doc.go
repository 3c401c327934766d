// Package ui shows a scene on an Ebitengine canvas. It uploads glyphs and draws the scene's
// triangles, each kind with its shader, and draws again only after a change.
//
// Packages ui/scene and ui/panel decide what is shown and how it reacts. Ebitengine's input
// is not used: its handlers would take every key and every swipe from the page.
package ui
