// Package runs is the list of models that a session keeps, each under a name of
// its own, with the training that it may go on with: what there is room for, which
// goes first where there is none, and how runs are written to a saved session.
//
// The visitor names some; the others are kept by themselves, so that nothing that
// was trained is lost when another training begins. Of those the oldest go where
// there are too many; those with a name stay until the visitor deletes them.
package runs
