// Package firefox tests the lab in Firefox, which make firefox runs: another engine
// for the same page.
package firefox
