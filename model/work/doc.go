// Package work runs long work that is written in straight lines. The work calls a Pause every few
// milliseconds. On the command line the Pause returns the error of a context. In a page the work runs
// in pieces: each Pause hands control back to the page.
package work
