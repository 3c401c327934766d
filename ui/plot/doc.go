// Package plot turns numbers into geometry: scales and ticks, and triangles
// for lines, areas, boxes, meshes of colours, contours and glyphs in one vertex
// buffer. Lengths are device pixels, y grows downwards.
//
// The package draws nothing itself. A Batch is meant for one call of a shader
// that knows the three kinds of Vertex, so that a picture is one draw call
// however much is in it, and everything here can be tested without a screen.
// In the steady state nothing allocates: every function appends to a slice
// that the caller keeps.
package plot
