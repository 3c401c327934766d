// Package engines tests the lab in other browser engines than Chromium's: Gecko (Firefox) and
// WebKit (Safari). make firefox and make webkit run it.
package engines
