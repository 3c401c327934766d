// Package sweeper is a sweep that a visitor runs beside what else a lab does: what is
// asked for (Asked), and the sweep.Run that is under way, stopped or done, if there is
// one (Sweeper). It knows nothing of the lab's own training and its models on show: what
// it has to be told of them is a Given.
package sweeper
