// Package httpd serves the built lab: a folder of files, read once as the
// program starts and then served from memory.
//
// A request chooses among names that are already known, so no spelling of a
// path can reach a file outside the bundle. A folder that is rebuilt while the
// server runs never shows half of itself.
package httpd
