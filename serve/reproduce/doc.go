// Package reproduce computes the paper's tables as far as possible, as a graph of tasks:
// simulate, train, eval, table. A task is one process of this program that reads and writes
// files of one folder. The content of these files shows which tasks are done. A run can
// therefore be stopped, killed and repeated, and several machines can work on the same folder.
// Run runs several tasks at a time on this machine; Submit uses a cluster with Slurm.
//
// paper.go lists the tables and their rows, and builder.go the tasks of a row's trainings.
// table.go and render.go make the tables.
package reproduce
