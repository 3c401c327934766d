// Package runs contains the list of models that a session keeps. Each model has a unique name. If
// the training of a model has not ended, the list keeps the training too, so that the training can
// continue. The package limits the number and the size of the models, removes the oldest
// automatically kept models, and writes runs to a saved session.
//
// The user gives names to some runs. Others are kept automatically, so that no trained model is
// lost when a new training begins. If there are too many of these, the oldest are removed. Runs
// named by the user stay until the user deletes them.
package runs
