package report

import (
	"slices"
	"testing"

	"gonum.org/v1/plot"
)

func TestNumbers(t *testing.T) {
	for v, want := range map[float64][2]string{
		0: {"0", "0"}, 0.5: {"0.5", "0.5"}, 0.12345: {"0.123", "0.123"}, 2: {"2", "2"}, 81.456: {"81.5", "81.5"}, 1000: {"1000", "1,000"}, 9999: {"9999", "9,999"},
		20_000: {"20k", "20,000"}, 1_500_000: {"1.5M", "1,500,000"}, 999_999: {"1000k", "999,999"}, -250: {"-250", "-250"}, -1234: {"-1234", "-1,234"}, 54_495: {"54.5k", "54,495"},
	} {
		if got := short(v); got != want[0] {
			t.Errorf("short(%v) = %s, want %s", v, got, want[0])
		}
		if got := precise(v); got != want[1] {
			t.Errorf("precise(%v) = %s, want %s", v, got, want[1])
		}
	}
}

// TestAxes: every axis has numbers, which lie within its ends, and the ends enclose the data.
func TestAxes(t *testing.T) {
	for name, c := range map[string]struct {
		axis      axis
		low, high float64
		want      []float64 // nil if any numbers will do
	}{
		"from zero":   {axis{zero: true}, 5, 20, nil},
		"below zero":  {axis{zero: true}, -5, 20, nil},
		"only zeros":  {axis{zero: true}, 0, 0, nil},
		"given":       {axis{ticks: []float64{1, 2, 4, 99}}, 1, 4, []float64{1, 2, 4}},
		"one value":   {axis{log: true}, 50, 50, nil},
		"near":        {axis{log: true}, 11, 14, nil},
		"a decade":    {axis{log: true}, 10, 100, []float64{10, 20, 30, 50, 100}},
		"decades":     {axis{log: true}, 1, 1_000_000, []float64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000}},
		"two decades": {axis{log: true}, 10, 1000, []float64{10, 30, 100, 300, 1000}},
	} {
		p := plot.New()
		p.Y.Min, p.Y.Max = c.low, c.high
		c.axis.settle(&p.Y)
		if p.Y.Min > c.low || p.Y.Max < c.high || p.Y.Min >= p.Y.Max {
			t.Errorf("%s: from %v to %v, the data are from %v to %v", name, p.Y.Min, p.Y.Max, c.low, c.high)
		}
		var at []float64
		for _, tick := range c.axis.Ticks(p.Y.Min, p.Y.Max) {
			if tick.Label == "" || tick.Value < p.Y.Min || tick.Value > p.Y.Max {
				t.Errorf("%s: tick %+v, from %v to %v", name, tick, p.Y.Min, p.Y.Max)
			}
			at = append(at, tick.Value)
		}
		if len(at) < 2 || (c.want != nil && !slices.Equal(at, c.want)) {
			t.Errorf("%s: ticks %v, want %v", name, at, c.want)
		}
	}
}
