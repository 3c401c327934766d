// Package bridge joins Go to the page: it is the only package, beside the
// canvas's Ebitengine, that knows JavaScript. Structs cross as objects by way of
// vert, data crosses as bytes in one piece.
package bridge
