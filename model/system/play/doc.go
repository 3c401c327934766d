// Package play is the clock of a run. It plays, stops, steps and seeks, within a budget of
// computing time between two updates of the page. A Run is simulated as it plays, or recorded.
package play
