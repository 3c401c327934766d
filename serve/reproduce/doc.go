// Package reproduce computes the paper's tables as far as possible, as a graph of tasks:
// simulate, train, eval, table. A task is one process of this program that reads and writes
// files of one folder. A file has the key of its task in its name, and a task is done if its files
// exist. A run can therefore be stopped, killed and repeated, and several machines can work on the
// same folder. Run runs several tasks at a time on this machine; Submit uses a cluster with Slurm.
//
// tables.txt lists the tables and their rows. paper.go makes tables of them, and builder.go the tasks
// of a row's trainings. render.go fills in the results.
package reproduce
