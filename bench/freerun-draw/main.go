// Command freerun-draw draws the rows that `freerun bench --json` writes: from standard input, one
// page to standard output, or each figure to a file of a folder. freerun-bench runs it for --report
// and --svg. It is a command of its own because it links the libraries that plot, with their fonts.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/bench/report"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run carries out one command line and returns the exit status.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	c := newDraw()
	c.SetArgs(args)
	c.SetIn(in)
	c.SetOut(out)
	c.SetErr(errs)
	return commandline.Report(errs, c.Execute())
}

func newDraw() *cobra.Command {
	var from report.Run
	var svg string
	c := &cobra.Command{
		Use:   "freerun-draw",
		Short: "Draw the rows that freerun bench --json writes",
		Long: `Draw the rows that freerun bench --json writes, from standard input: as one page to standard output,
or each figure to a file of its own. freerun bench --report and --svg do the same, and read files.`,
		Example:           `  freerun-draw < rows.jsonl > report.html`,
		Args:              commandline.NoArguments,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(c *cobra.Command, _ []string) error {
			rows, failed := bench.ReadRows(c.InOrStdin(), append(catalogue.WithRivals(), catalogue.Apart()...))
			from.Rows = rows
			if svg == "" {
				return errors.Join(failed, report.Write(c.OutOrStdout(), from))
			}
			names, err := report.WriteSVGs(svg, from)
			for _, name := range names {
				fmt.Fprintln(c.OutOrStdout(), name)
			}
			return errors.Join(failed, err)
		},
	}
	c.SetFlagErrorFunc(commandline.ExplainFlag)
	c.Flags().StringVar(&svg, "svg", "", "draw each figure to a file of its own in `FOLDER`, and write the files' names")
	c.Flags().StringVar(&from.Note, "note", "", "begin the page with a remark about the run: `TEXT`")
	c.Flags().StringVar(&from.Partial, "partial", "", "say on the page why rows are missing: `TEXT`")
	return c
}
