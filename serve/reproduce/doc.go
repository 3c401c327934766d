// Package reproduce computes all that can be computed of the paper's tables, as
// a graph of tasks: simulate, train, eval, table. A task is one process of this
// program, which reads and writes files of one folder. What has been done is
// known by the content of these files, so that a run can be stopped, killed,
// repeated, and shared between machines that see the folder: here by jobs at a
// time (Run), on a cluster by Slurm (Submit).
//
// paper.go lists the tables and their rows, builder.go the tasks of a row's trainings;
// table.go and render.go make the tables.
package reproduce
