package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/bench/commandline/companion"
	"github.com/freerun-go/freerun/bench/durable"
	"github.com/freerun-go/freerun/programs"
)

// durableCommand carries out the measurements of the program durable, beside databases that no
// other program needs. The go command fetches what it depends on, and builds it.
var durableCommand = companion.Command{Name: durable.Command, Folder: durable.Folder, Does: "the measurements of durable", Apart: true}

// known returns the programs that a command line can mean: without names, those of the overview;
// with some, those that are measured apart, too. It sees to who measures these.
func (f *benchFlags) known(c *cobra.Command, overview, apart []*programs.Program, names []string) ([]*programs.Program, error) {
	all := slices.Concat(overview, apart)
	if len(f.from) > 0 {
		return all, nil
	}
	if rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == bench.All }); len(rest) == 0 {
		return overview, nil
	}
	if !slices.Contains(names, durable.Program.Name) {
		return all, nil
	}
	if f.inProcess || f.cpuProfile != "" || f.memProfile != "" {
		return nil, commandline.Usagef("durable is measured in processes of %s: leave out --in-process, --cpuprofile and --memprofile", durable.Command)
	}
	if !c.Flags().Changed("rivals") {
		f.rivals = true // what it is beside are libraries alone
	}
	var command string
	f.prepare = func() (err error) {
		command, err = durableCommand.Find()
		return err
	}
	others := f.runner
	if others == nil {
		others = bench.InProcess
	}
	f.runner = func(ctx context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error) {
		if p.Name == durable.Program.Name {
			return bench.Isolated(command)(ctx, p, v, cfg)
		}
		return others(ctx, p, v, cfg)
	}
	return all, nil
}
