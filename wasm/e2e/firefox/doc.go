// Package firefox tests the lab in Firefox, a second browser engine. make firefox runs it.
package firefox
