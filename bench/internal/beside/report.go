//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// report prints the medians of a row, and their ratios to those of the first server. The least and
// the greatest figure stand behind.
func report(out io.Writer, name string, kinds []kind, samples [][]sample) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, figure := range []string{"a second", "CPU µs a request", "client's CPU µs", "p50 ms", "p99 ms", "p99.9 ms", "bytes a key"} {
		if _, has := samples[0][0][figure]; !has {
			continue
		}
		base := 0.0
		for i, k := range kinds {
			all := figures(samples[i], figure)
			middle := median(all)
			if i == 0 {
				base = middle
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%.6g\tratio %.2f\t(%.4g to %.4g, %d runs)\n",
				name, figure, k.name, middle, middle/base, all[0], all[len(all)-1], len(all))
		}
	}
	w.Flush()
}

// figures returns the samples' figures of one name, sorted.
func figures(samples []sample, name string) (all []float64) {
	for _, s := range samples {
		all = append(all, s[name])
	}
	slices.Sort(all)
	return all
}

// median returns the middle of sorted figures, the mean of the middle two if their number is even.
func median(all []float64) float64 {
	n := len(all)
	return (all[(n-1)/2] + all[n/2]) / 2
}
