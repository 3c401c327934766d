package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/file/ckpt"
	"macroscope/serve/output"
)

func exportCommand(stderr io.Writer) *ffcli.Command {
	fs := newFlags("export")
	model := fs.String("model", "", "checkpoint to read, or a bundle saved by the page, for the model shown in it")
	out := fs.String("out", "", "`file` to write; an existing file is replaced")
	eps := fs.Float64("eps", 0, "write a tunable model as the ordinary one that it is at this `ε` (default: as it is)")
	zdim := fs.Int("zdim", 0, "the same at this ẑ `dim`")
	half := fs.Bool("half", false, "weights of 16 bits (F16), half the bytes; eval measures the loss of accuracy")
	return newCommand(fs, func(_ context.Context, args []string) error {
		if err := noArgs(args); err != nil {
			return err
		}
		if *model == "" || *out == "" {
			return errors.New("export needs -model, the file to read, and -out, the file to write")
		}
		m, err := load(*model)
		if err != nil {
			return err
		}
		if *eps != 0 || *zdim != 0 {
			if m, err = m.At(cmp.Or(*eps, m.Config.Eps()), cmp.Or(*zdim, m.Config.UsualZDim())); err != nil {
				return err
			}
		}
		to, err := output.New("-out", *out, output.Input{Flag: "-model", Path: *model})
		if err != nil {
			return err
		}
		f := m.Checkpoint()
		if *half {
			f.Halve()
		}
		if err := to.Write(func(w io.Writer) error { return ckpt.Encode(w, f) }); err != nil {
			return err
		}
		_, err = fmt.Fprintf(stderr, "wrote %s\n", *out)
		return err
	})
}
