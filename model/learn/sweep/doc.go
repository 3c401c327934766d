// Package sweep trains models over values of settings and keeps the results in one file, which
// the page draws. On the command line the trainings are processes (serve/reproduce), on the
// page pieces of work (Run). Both use the configurations, the measures, the paper's figures and
// the file format of this package.
package sweep
