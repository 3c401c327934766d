// Package lab holds the experiments, one file each: what is simulated, which
// model learns it and how, and the session through which a page or a command
// drives it. It is the only place where sim and model meet.
package lab
