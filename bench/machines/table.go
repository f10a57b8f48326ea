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
	fmt.Fprintln(w, "\tone: p50 µs\tleast\tp99 µs\tleast\tCPU µs\tgoroutines: calls/s\tmost\tCPU µs\tallocs\tfutures: calls/s\tmost\tCPU µs\t")
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
			{"goroutines", measure.allocs, nil},
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
	b.WriteString("\nMedians of the rounds, and the best round beside. CPU and allocations: of all processes, for each call. What a call is:\n")
	w = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, v := range chosen {
		fmt.Fprintf(w, "  %s\t%s\n", v.name, v.promises)
	}
	w.Flush()
	for _, r := range []struct{ name, base, how string }{
		{volatileUnits.name, natsRequests.name, "goroutines"},
		{volatileUnits.name, protoGrains.name, "goroutines"},
		{volatileUnits.name, goaktGrains.name, "goroutines"},
		{directUnits.name, rawPairs.name, "futures"},
		{loggedUnits.name, rawPairs.name, "futures"},
	} {
		if all := ratios(rows, r.name, r.base, r.how); len(all) > 0 {
			fmt.Fprintf(&b, "%s has %.2f of the calls/s of %s (%s; %.2f to %.2f)\n", r.name, median(all), r.base, r.how, slices.Min(all), slices.Max(all))
		}
	}
	return b.String()
}

// ratios returns how many times the calls a second of base a variant has, round by round.
func ratios(rows []row, name, base, how string) (all []float64) {
	for _, r := range rows {
		for _, other := range rows {
			if r.Variant == name && other.Variant == base && r.Round == other.Round && len(r.Measures) > 0 && other.Measures[how].Calls > 0 {
				all = append(all, r.Measures[how].rate()/other.Measures[how].rate())
			}
		}
	}
	return all
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
