package main

import (
	"context"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/bench"
)

func benchCommand(stdout io.Writer) *ffcli.Command {
	return &ffcli.Command{
		Name: "bench", ShortUsage: "macroscope bench", ShortHelp: "measure the speed of this machine",
		LongHelp: "Prints a line a figure: bench NAME VALUE UNIT, each on one core.",
		FlagSet:  newFlags("macroscope bench"),
		Exec: func(ctx context.Context, args []string) error {
			if err := noArgs(args); err != nil {
				return err
			}
			return bench.Run(ctx, stdout, "native")
		},
	}
}
