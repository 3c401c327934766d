// Package sweep trains models over the values of settings and keeps the results in one
// file, which the page draws. The command line runs the trainings in processes
// (serve/reproduce), the page in pieces of work (Run). Both take from here the list of
// configurations, the measures, the paper's figures and the form of the file.
package sweep
