// Package engines tests the lab in other browser engines than Chromium's: Gecko (Firefox) and
// WebKit (Safari). Run the tests with `make firefox` and `make webkit`.
package engines
