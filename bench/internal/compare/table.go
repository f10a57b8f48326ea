package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// writeTable writes a line for each trial. A trial with too few pairs for an interval has no
// figures.
func writeTable(out io.Writer, trials []*trial) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "program\tvariant\tprocessors\tpairs\tratio\t95% interval\tof minima\tverdict")
	slower := 0
	for _, t := range trials {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t", t.program.Name, t.variant.Name, t.processors, len(t.pairs))
		if len(t.pairs) < minPairs {
			fmt.Fprintln(w, "\t\t\ttoo few pairs")
			continue
		}
		c := compare(t.pairs)
		if c.verdict() == "slower" {
			slower++
		}
		fmt.Fprintf(w, "%.3f\t%.3f to %.3f\t%.3f\t%s\n", c.median, c.low, c.high, c.minima, c.verdict())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d of %d slower\n", slower, len(trials))
	return err
}
