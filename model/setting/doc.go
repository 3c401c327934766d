// Package setting describes settings in one place. A Table lists settings by name, each with
// its bounds, its texts and a pointer to its value. All code that shows, reads or writes
// settings uses such a table: for the page's controls, links, command-line flags, sweeps and
// checkpoints. The package also has the words that messages share, such as quotation marks and plurals.
package setting
