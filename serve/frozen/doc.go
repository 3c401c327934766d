// Package frozen holds no code, only tests of what a rebuild of the labs must
// leave as it is, at boundaries that outlive it: the command line, checkpoints,
// and wire.Session with the frames and pictures that come of it.
//
// What is compared is in testdata. Bits come from the plain kernels on amd64,
// so the tests are built there alone:
//
//	GOEXPERIMENT=nosimd go test -count=1 ./serve/frozen
//	GOEXPERIMENT=nosimd go test ./serve/frozen -update   # after a change that is wanted
//
// The program is built by the tests, which go test does not know when it caches
// results: hence -count=1. A failure prints the first line that differs. What
// names the packages of models is in adaptor_test.go, and every command line in
// one table of command_test.go: these are to be edited when packages or flags
// move.
//
// The clock of a session comes from testing/synctest: it stands still while the
// session computes and moves by what the script says.
//
// BenchmarkFrames measures, on any kernel, what a playing lab sends a frame and
// how long the worker takes to make it:
//
//	go test -run '^$' -bench Frames ./serve/frozen
//	GOOS=js GOARCH=wasm go test -run '^$' -bench Frames -exec="$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./serve/frozen
package frozen
