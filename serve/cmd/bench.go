package cmd

import (
	"context"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/bench"
)

func benchCommand(stdout io.Writer) *ffcli.Command {
	return newCommand(newFlags("bench"), func(ctx context.Context, args []string) error {
		if err := noArgs(args); err != nil {
			return err
		}
		return bench.Run(ctx, stdout, "native")
	})
}
