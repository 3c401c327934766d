package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/model"
	"macroscope/serve/input"
	"macroscope/serve/output"
	"macroscope/serve/reproduce"
)

func exportCommand(stderr io.Writer) *ffcli.Command {
	fs := newFlags("export")
	path := fs.String(modelName, "", "checkpoint to read, or a bundle saved by the page, for the model shown in it; MODEL without a flag is the same")
	out := fs.String("out", "", "`file` to write; an existing file is kept as FILE.bak")
	eps := fs.Float64("eps", 0, "write a tunable model as the ordinary one that it is at this `ε` (default: as it is)")
	zdim := fs.Int("zdim", 0, "the same at this ẑ `dim`")
	half := fs.Bool("half", false, "weights of 16 bits (F16), half the bytes; eval measures the loss of accuracy")
	exact := fs.Bool("exact", false, "with -half: the weights of the dynamics keep 32 bits, for predictions that err so little that rounding shows")
	records := fs.String("records", "", "with -record and -result: `file` of records that reproduce -publish writes, records.jsonl")
	record := fs.String("record", "", "`name` of the recorded training of this model, as \"particles/flow@laptop seed 1\"; the file then says from which training it comes, with the figures of its tests")
	result := fs.String("result", "", "what eval -json printed for the exported `file`; its figures must be those of the record within 2 %")
	return newCommand(fs, func(_ context.Context, args []string) error {
		if err := noArgs(args); err != nil {
			return err
		}
		if *path == "" || *out == "" {
			return errors.New("export needs -model, the file to read, and -out, the file to write")
		}
		if isBundle(*out) {
			return fmt.Errorf("-out %s: export writes a checkpoint; choose a name that ends in .safetensors", *out)
		}
		if *exact && !*half {
			return errors.New("-exact works only with -half; give both, or leave it out")
		}
		m, err := load(stderr, *path)
		if err != nil {
			return err
		}
		if *eps != 0 || *zdim != 0 {
			if m, err = m.At(cmp.Or(*eps, m.Config.Eps()), cmp.Or(*zdim, m.Config.Tuning().Usual())); err != nil {
				return err
			}
		}
		o := subcommand{stderr: stderr}
		to, err := o.output("-out", *out, output.Input{Flag: "-model", Path: *path})
		if err != nil {
			return err
		}
		defer to.Close()
		if *half {
			if m, err = rounded(m, !*exact); err != nil {
				return err
			}
		}
		if *records != "" || *record != "" || *result != "" {
			if err := setProvenance(m, *records, *record, *result); err != nil {
				return err
			}
		}
		f := m.Checkpoint()
		if *half {
			model.Halve(f, !*exact)
		}
		if err := to.Write(func(w io.Writer) error { return ckpt.Encode(w, f) }); err != nil {
			return err
		}
		_, err = fmt.Fprintf(stderr, "wrote %s\n", *out)
		return err
	})
}

// rounded returns the model as a file with weights of 16 bits contains it. The weights of the dynamics
// are rounded only if `dynamics` is set.
func rounded(m *model.Model, dynamics bool) (*model.Model, error) {
	f := m.Checkpoint()
	model.Halve(f, dynamics)
	var b bytes.Buffer
	if err := ckpt.Encode(&b, f); err != nil {
		return nil, err
	}
	f, err := ckpt.Decode(&b)
	if err != nil {
		return nil, err
	}
	return model.Open(systems, f)
}

// maxResult is the largest number of bytes in a file of results that is read.
const maxResult = 1 << 20

// setProvenance gives a model the provenance of a recorded training, with the figures in a file of
// results.
func setProvenance(m *model.Model, records, record, result string) error {
	if records == "" || record == "" || result == "" {
		return errors.New("-records, -record and -result belong together: the records, the name of the model’s training there, and the figures of the exported file")
	}
	figures, err := input.Read(result, maxResult)
	if err != nil {
		return err
	}
	p, err := reproduce.Provenance(systems, records, record, m, figures)
	if err != nil {
		return err
	}
	return m.SetProvenance(p)
}
