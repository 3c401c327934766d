// Package httpd serves the built lab. It reads the lab's folder once when the program starts, and
// then serves the files from memory.
//
// A request selects among known names, so no spelling of a path can reach a file outside the
// bundle. If the folder is rebuilt while the server runs, no request sees a half-built bundle.
package httpd
