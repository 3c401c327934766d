// Package sweep trains models over values of settings and keeps the results in one file,
// which the page draws. The command line runs the trainings in processes (serve/reproduce),
// the page in pieces of work (Run). Both use this package's list of configurations,
// measures, figures of the paper and form of the file.
package sweep
