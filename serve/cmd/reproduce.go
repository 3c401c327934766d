package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/serve/output"
	"macroscope/serve/reproduce"
)

// reproduceOptions are the flags of a reproduction.
type reproduceOptions struct {
	graphOptions
	preset, only, render, publish string
}

func reproduceCommand(stdout, stderr io.Writer) *ffcli.Command {
	var o reproduceOptions
	fs := o.flags("reproduce", stderr)
	fs.StringVar(&o.dir, "dir", "reproduction", "`folder` of data, models and results; the tables are in its folder paper")
	fs.StringVar(&o.preset, "preset", "laptop", "size of everything: quick (minutes), laptop (a night) or paper")
	fs.StringVar(&o.only, "only", "", "`names` of the tables to make, with commas between them (default: all): line, table 1, table 2, sensitivity zdim, sensitivity eps, polymer or, but of quick, polymer 300")
	fs.IntVar(&o.seeds, "seeds", 0, "trainings of each row (default: 3, quick 1)")
	fs.StringVar(&o.publish, "publish", "", "another `folder` for tables, figures and records of all finished results; results with a record there are not computed again")
	fs.StringVar(&o.render, "render", "", "write the table of this `name` from the existing results")
	return o.command(fs, func(ctx context.Context) error { return o.run(ctx, stdout) })
}

func (o *reproduceOptions) run(ctx context.Context, stdout io.Writer) error {
	size, err := o.size()
	if err != nil {
		return err
	}
	tables, err := reproduce.Tables(systems, size, o.common()...)
	if err != nil {
		return err
	}
	all := tables
	if tables, err = o.choose(tables); err != nil {
		return err
	}
	common := append([]string{"-preset", size.Preset, "-seeds", fmt.Sprint(size.Seeds)}, o.common()...)
	command := reproduce.Command(common)
	g, err := reproduce.NewGraph(reproduce.Tasks(tables, common))
	if err != nil {
		return err
	}
	if o.render != "" {
		return g.Render(o.dir, o.render)
	}
	whole := g
	if o.publish != "" && o.only != "" {
		if whole, err = reproduce.NewGraph(reproduce.Tasks(all, common)); err != nil {
			return err
		}
	}
	if err := o.adopt(whole, o.publish); err != nil {
		return err
	}
	if o.only != "" {
		common = append(common, "-only", o.only)
	}
	publishes := o.publish != "" && o.here()
	if publishes { // an error about the folder must come before the work, not after it
		if err := os.MkdirAll(o.publish, 0o755); err != nil {
			return fmt.Errorf("-publish %s cannot be made: %w", o.publish, err)
		}
		page, err := output.New("-publish", filepath.Join(o.publish, "README.md"))
		if err != nil {
			return err
		}
		page.Close()
	}
	err = o.work(ctx, stdout, g, append([]string{"reproduce"}, common...))
	if publishes { // even if the run was stopped
		err = errors.Join(err, whole.Publish(all, o.dir, o.publish, "The paper’s tables and figures, preset "+size.Preset, command, o.say))
	}
	return err
}

// size returns the sizes selected by -preset and -seeds.
func (o *reproduceOptions) size() (reproduce.Size, error) {
	var names []string
	for _, s := range reproduce.Sizes() {
		names = append(names, s.Preset)
		if s.Preset != o.preset {
			continue
		}
		if o.given["seeds"] {
			s.Seeds = o.seeds
			return s, within("seeds", o.seeds, 1, 100)
		}
		return s, nil
	}
	return reproduce.Size{}, fmt.Errorf("there is no preset %q; use %s", o.preset, strings.Join(names, ", "))
}

// choose returns the tables selected by -only.
func (o *reproduceOptions) choose(all []*reproduce.Table) (chosen []*reproduce.Table, err error) {
	if o.only == "" {
		return all, nil
	}
	var names []string
	for _, t := range all {
		names = append(names, t.Name)
	}
	for name := range strings.SplitSeq(o.only, ",") {
		i := slices.Index(names, strings.TrimSpace(name))
		if i < 0 {
			return nil, fmt.Errorf("-only: there is no table %q; use %s", name, strings.Join(names, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
