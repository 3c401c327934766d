// Package reproduce computes all that can be computed of the paper's tables, as
// a graph of tasks: simulate, train, eval, table. A task is one process of this
// program, which reads and writes files of one folder. What has been done is
// known by the content of these files, so that a run can be stopped, killed,
// repeated, and shared between machines that see the folder: here by jobs at a
// time (Run), on a cluster by Slurm (Submit).
//
// paper.go says which tables there are and what is in their rows, builder.go which tasks
// a row's trainings take, table.go and render.go how they become a table.
package reproduce
