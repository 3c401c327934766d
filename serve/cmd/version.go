package cmd

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/serve/embedded"
)

// version is the released version. serve/release sets it with the linker's flag -X.
var version = "development version"

func versionCommand(stdout io.Writer) *ffcli.Command {
	return newCommand(newFlags("version"), func(ctx context.Context, args []string) error {
		if err := noArgs(args); err != nil {
			return err
		}
		lab := "serves the folder dist"
		if embedded.Lab != nil {
			lab = "contains the lab"
		}
		_, err := fmt.Fprintf(stdout, "macroscope %s, %s, %s/%s, %s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, lab)
		return err
	})
}
