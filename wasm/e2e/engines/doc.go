// Package engines tests the lab in other browser engines than Chromium's, Gecko (Firefox) and
// WebKit (Safari), and in the oldest Chromium that is promised. Run the tests with `make firefox`, `make webkit`
// and `make oldest`.
package engines
