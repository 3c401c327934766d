// Package frozen contains only tests. They check that a redesign of the labs changes no
// results. They use interfaces that a redesign keeps: the command line, checkpoints, and
// wire.Session with its frames and pictures.
//
// The expected results are in testdata:
//
//   - presets.txt: the settings of all presets
//   - tasks.txt: the keys of the tasks of reproduce
//   - help.txt: the help of all subcommands
//   - eval.txt: figures of all shipped models, on few data
//   - shipped.txt: the shipped checkpoints, read and written again
//   - train.txt: checkpoints of trainings that were stopped
//   - steps.txt: weights after a few steps, for all systems and methods
//   - scripts.txt: the state and the frame after each of forty short sessions
//   - LAB.*.txt: long sessions of the labs
//
// The bits depend on the kernels and the processor, so the tests use the plain kernels and are built only
// for amd64:
//
//	go test ./serve/frozen
//	go test ./serve/frozen -update   # after an intended change
//
// Some tests run the program in other processes. go test does not notice changes of files that
// only these processes read, so -count=1 is needed. A failure prints the first line that
// differs. adaptor_test.go imports the packages of models, and the tables of command_test.go have
// every command line. Edit these two files when packages or flags change.
//
// The clock of a session comes from testing/synctest. It stands still while the session
// computes, and moves when a test's script says so.
//
// BenchmarkFrames measures, on any kernel, how much a playing lab sends per frame, and how long
// the worker takes to make a frame:
//
//	go test -run '^$' -bench Frames ./serve/frozen
//	GOOS=js GOARCH=wasm go test -run '^$' -bench Frames -exec="$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./serve/frozen
package frozen
