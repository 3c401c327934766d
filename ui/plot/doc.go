// Package plot turns numbers into geometry: scales and ticks, and triangles for lines, areas,
// boxes, meshes of colours, contours and glyphs in one vertex buffer. Lengths are device
// pixels, y grows downwards.
//
// The package draws nothing itself, so all of it can be tested without a screen. A Batch is
// drawn in pieces, each by the shader of its Kind. After the first pictures nothing allocates:
// every function appends to a slice that the caller keeps.
package plot
