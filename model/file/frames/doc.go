// Package frames reads trajectories of particles from text files, frame by frame: LAMMPS dumps,
// XYZ and extended XYZ, and tables with a row for each particle of each frame.
//
// A Reader reads one file. Survey reads a list of files once, joins the files that continue one
// another, and checks what a single frame cannot show: equal intervals, the same particles, digits
// that single precision would lose, and coordinates far outside of all others. Its Survey knows the
// facts about all runs, and Run then reads a run again, in single precision.
//
// No file is trusted: memory grows with the bytes read, not with the size that a header claims.
// Every error is one sentence that says where the problem is, what was found and what to do.
package frames
