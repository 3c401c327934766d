// Package setting describes settings once: a Table lists the settings by name, each
// with its bounds, its unit, its words and a pointer to its value. Everything that shows,
// reads or writes settings walks such a table: the controls of the page, links, flags of
// the command line, the fields of a checkpoint and sweeps.
package setting
