// Package firefox tests the lab in Firefox, by make firefox: another engine for the same
// page.
package firefox
