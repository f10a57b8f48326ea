package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// table shows medians of the rounds, and the best one of them beside.
func table(chosen []variant, rows []row) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tone: p50 µs\tleast\tp99 µs\tleast\tCPU µs\tgoroutines: calls/s\tmost\tCPU µs\tfutures: calls/s\tmost\tCPU µs\t")
	for _, v := range chosen {
		of := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Variant != v.name })
		fmt.Fprintf(w, "%s\t", v.name)
		for _, look := range []struct {
			how  string
			of   func(m measure) float64
			best func(all []float64) float64
		}{
			{"one", func(m measure) float64 { return micros(m.P50) }, slices.Min[[]float64]},
			{"one", func(m measure) float64 { return micros(m.P99) }, slices.Min[[]float64]},
			{"one", measure.cost, nil},
			{"goroutines", measure.rate, slices.Max[[]float64]},
			{"goroutines", measure.cost, nil},
			{"futures", measure.rate, slices.Max[[]float64]},
			{"futures", measure.cost, nil},
		} {
			var all []float64
			for _, r := range of {
				if m, has := r.Measures[look.how]; has {
					all = append(all, look.of(m))
				}
			}
			fmt.Fprint(w, shown(all, median), "\t")
			if look.best != nil {
				fmt.Fprint(w, shown(all, look.best), "\t")
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	b.WriteString("\nMedians of the rounds, and the best round beside. CPU: of all processes, for each call. What a call is:\n")
	w = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, v := range chosen {
		fmt.Fprintf(w, "  %s\t%s\n", v.name, v.promises)
	}
	w.Flush()
	return b.String()
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// shown shows a figure; nothing where there was none.
func shown(all []float64, of func([]float64) float64) string {
	if len(all) == 0 {
		return "–"
	}
	v := of(all)
	if v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	n := len(all)
	return (all[(n-1)/2] + all[n/2]) / 2
}
