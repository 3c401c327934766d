// Package stats has measures of models that only the command line asks for: first passages, the support of
// states, and how well states determine a system's quantities. It uses gonum, which the page's first program
// should not contain.
package stats
