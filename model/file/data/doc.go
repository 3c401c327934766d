// Package data reads numbers from external files: text in columns (CSV and its relatives),
// LAMMPS dump files, and NumPy's NPY and NPZ files. It also writes NPY and NPZ. Particles1D
// reads one set of particles on a line from any format except a dump. Dump reads dumps, and
// ReadTrack reads a trajectory from columns.
//
// No file is trusted: memory grows with the bytes read, not with the size that a header claims.
// Every error is one sentence that says where the problem is, what was found and what to do.
//
// NPY is described in NumPy's NEP 1 and in the documentation of numpy.lib.format:
//
//	6 bytes   "\x93NUMPY"
//	2 bytes   version, 1.0 to 3.0
//	2 bytes   length n of the header, little-endian; 4 bytes from version 2.0
//	n bytes   a Python dict: {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
//	the rest  the elements
//
// NPZ is a zip archive of such files. This package has its own parser of the NPY header for three
// reasons. github.com/sbinet/npyio allocates the size that a header claims (a file of 80 bytes can
// end the program), it converts Fortran order only for matrices, and it depends on gonum/mat. In a
// WebAssembly program, npyio takes 332 kB after compression, and this package 187 kB. The tests use
// npyio as an independent check.
package data
