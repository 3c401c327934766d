// Command bench measures the kernels and a few trainings in WebAssembly. It runs
// under Node.
package main

import (
	"context"
	"fmt"
	"os"

	"macroscope/model/bench"
)

func main() {
	if err := bench.Run(context.Background(), os.Stdout, "wasm"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
