// Package httpd serves the built lab: a folder of files, read once as the
// program starts and then served from memory.
//
// A request chooses among names that are already known, so no spelling of a
// path can reach a file outside the bundle. If the folder is rebuilt while the server
// runs, no request sees a half-built bundle.
package httpd
