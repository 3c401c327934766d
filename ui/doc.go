// Package ui shows a scene on an Ebitengine canvas: it uploads glyphs and draws
// the scene's triangles, each kind with its shader, and only when something has
// changed.
//
// What there is to see and to touch is decided in ui/scene and ui/panel;
// Ebitengine's input is not used, since its handlers would take every key and
// every swipe from the page.
package ui
