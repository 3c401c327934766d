// Package ui shows a scene on an Ebitengine canvas: it uploads glyphs and draws the scene's
// triangles, each kind with its shader, and only after a change.
//
// Packages ui/scene and ui/panel decide the content and its reactions. Ebitengine's input
// is not used, because its handlers would take every key and every swipe from the page.
package ui
