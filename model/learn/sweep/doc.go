// Package sweep trains models over values of settings and keeps the results in one file. The page
// draws a figure of this file. On the command line, each training is a process (serve/reproduce).
// On the page, a Run trains in short pieces of work. Both use the configurations, the measures, the
// paper's figures and the file format of this package.
package sweep
