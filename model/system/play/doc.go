// Package play lets a run go by in time: it plays, stops, steps, seeks, and
// keeps to a budget of computing time between two looks of the page. What is
// played is a Run, which is simulated as time goes on or was recorded before.
package play
