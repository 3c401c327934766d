// Package reproduce computes the paper's tables as far as possible, as a graph of
// tasks: simulate, train, eval, table. A task is one process of this program that
// reads and writes files of one folder. The content of these files shows which
// tasks are done, so a run can be stopped, killed, repeated, and shared between
// machines that see the folder: on this machine with several tasks at a time
// (Run), on a cluster with Slurm (Submit).
//
// paper.go lists the tables and their rows, builder.go the tasks of a row's trainings;
// table.go and render.go make the tables.
package reproduce
