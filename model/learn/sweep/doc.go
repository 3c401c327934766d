// Package sweep trains models over the values of settings and keeps what they reach in
// one file, which the page draws: the command line does it by processes (serve/reproduce),
// the page by pieces of work (Run). Both take from here which configurations there are,
// what they are measured by, the paper's figures, and the form of the file.
package sweep
