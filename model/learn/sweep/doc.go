// Package sweep trains models over values of settings and keeps the results in one file,
// which the page draws. The command line runs the trainings in processes (serve/reproduce),
// the page in pieces of work (Run). Both take the configurations, the measures, the paper's
// figures and the format of the file from this package.
package sweep
