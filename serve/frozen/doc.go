// Package frozen holds only tests. They check what a rebuild of the labs must leave unchanged, at
// boundaries that outlive the rebuild: the command line, checkpoints, and wire.Session with its
// frames and pictures.
//
// The expected results are in testdata. Their bits depend on the kernels and on the processor, so
// the tests are built only on amd64 and switch to the plain kernels, as a build without SIMD has
// them:
//
//	go test ./serve/frozen
//	go test ./serve/frozen -update   # after an intended change
//
// The test program itself is the program whose command lines are compared. A failure prints the
// first line that differs. adaptor_test.go names the packages of models, and one table of
// command_test.go has every command line. Edit these two when packages or flags move.
//
// The clock of a session comes from testing/synctest. It stands still while the session computes,
// and the script moves it.
//
// BenchmarkFrames measures, on any kernel, how much a playing lab sends per frame, and how long the
// worker takes to make a frame:
//
//	go test -run '^$' -bench Frames ./serve/frozen
//	GOOS=js GOARCH=wasm go test -run '^$' -bench Frames -exec="$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./serve/frozen
package frozen
