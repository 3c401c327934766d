// Package play is the clock of a run. It plays and stops the run, and goes to other frames.
// Advance takes a budget of computing time, so that the page can be updated between its calls. A
// Run is simulated while it plays, or is a recording.
package play
