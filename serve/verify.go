package main

import (
	"context"
	"fmt"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/serve/verify"
)

func verifyCommand(stdout io.Writer) *ffcli.Command {
	return &ffcli.Command{
		Name: "verify", ShortUsage: "macroscope verify FOLDER", ShortHelp: "recompute the reference cases in a folder",
		LongHelp: "Every .npz of a known kind is recomputed and a line says how far the results are apart:\n" +
			"verify CASE max_abs max_rel ok|FAIL. Kinds that are not known are named. A FAIL is an error.",
		FlagSet: newFlags("macroscope verify"),
		Exec: func(ctx context.Context, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("verify takes one folder of reference cases")
			}
			return verify.Dir(ctx, args[0], stdout)
		},
	}
}
