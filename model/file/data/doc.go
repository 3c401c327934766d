// Package data reads numbers that come from outside: text in columns (CSV and
// its relatives), LAMMPS dump files, and NumPy's NPY and NPZ files, and writes
// the latter two. Particles1D makes one set of particles on a line of any but a
// dump, which a Dump reads; ReadTrack makes a trajectory of columns.
//
// A file is never trusted: no memory is taken for a size that it only claims,
// and what is wrong with it comes back as one sentence that says where, what
// was found and what to do.
//
// NPY is described in NumPy's NEP 1 and in the documentation of numpy.lib.format:
//
//	6 bytes   "\x93NUMPY"
//	2 bytes   version, 1.0 to 3.0
//	2 bytes   length n of the header, little-endian; 4 bytes from version 2.0
//	n bytes   a Python dict: {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
//	the rest  the elements
//
// NPZ is a zip archive of such files. The NPY header is parsed here, for
// github.com/sbinet/npyio allocates what a header claims before it looks at
// the file (80 bytes can end the program), leaves Fortran order as it lies in
// all but matrices, and brings gonum/mat along: with it a WebAssembly program
// grows by 332 kB, compressed, with this package by 187. In the tests it is an
// independent witness.
package data
