// Package setting describes settings in one place. A Table lists settings by name, each with
// its bounds, its texts and a pointer to its value. All code that shows, reads or writes
// settings uses such a table: the controls of the page, links, flags of the command line, the
// fields of a checkpoint and sweeps.
package setting
