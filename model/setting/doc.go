// Package setting describes settings once: a Table lists what can be set, by
// name, with its bounds, its unit, its words and the place of its value.
// Everything that shows, reads or writes settings walks such a table: the
// controls of the page, links, flags of the command line, the fields of a
// checkpoint and sweeps.
package setting
