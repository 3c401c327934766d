// Package play plays a run in time: it plays, stops, steps, seeks, and keeps to a budget of
// computing time between two updates of the page. A Run is simulated as it plays, or
// recorded.
package play
