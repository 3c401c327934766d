package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/serve/verify"
)

func verifyCommand(stdout io.Writer) *ffcli.Command {
	return newCommand(newFlags("verify"), func(ctx context.Context, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("verify takes one folder of reference cases")
		}
		return verify.Dir(ctx, args[0], stdout)
	})
}
