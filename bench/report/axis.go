package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// settle sets the ends of a plot's axis to round numbers, or to numbers that leave some room around
// the data.
func (a axis) settle(p *plot.Axis) {
	switch {
	case a.log:
		low, high := max(p.Min, 1e-9), max(p.Max, 1e-9)
		room := math.Pow(max(high/low, 1.5), 0.04)
		p.Min, p.Max = low/room, high*room
		if a.ticks == nil && p.Max/p.Min < 4 { // so that the axis has at least two numbers
			middle := math.Sqrt(p.Max * p.Min)
			p.Min, p.Max = middle/2.2, middle*2.2
		}
	case a.zero:
		p.Min = min(p.Min, 0)
		p.Max *= 1.04
		if p.Max <= p.Min { // all data are zero
			p.Max = 1
		}
	case a.ticks != nil:
		room := max(p.Max-p.Min, 1) * 0.04
		p.Min, p.Max = p.Min-room, p.Max+room
	}
}

// Ticks implements [plot.Ticker].
func (a axis) Ticks(low, high float64) []plot.Tick {
	var at []float64
	switch {
	case a.ticks != nil:
		at = slices.Clone(a.ticks)
	case a.log:
		at = logarithmic(low, high)
	default:
		for _, t := range (plot.DefaultTicks{}).Ticks(low, high) {
			if !t.IsMinor() {
				at = append(at, t.Value)
			}
		}
	}
	var ticks []plot.Tick
	for _, v := range at {
		if v >= low && v <= high {
			ticks = append(ticks, plot.Tick{Value: v, Label: short(v)})
		}
	}
	return ticks
}

// logarithmic returns round numbers from low to high: powers of ten, with numbers between them if
// there are few powers.
func logarithmic(low, high float64) []float64 {
	steps := []float64{1}
	switch decades := math.Log10(high / low); {
	case decades < 1.2:
		steps = []float64{1, 2, 3, 5}
	case decades < 3:
		steps = []float64{1, 3}
	}
	var at []float64
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, s := range steps {
			if v := s * math.Pow(10, e); v >= low && v <= high {
				at = append(at, v)
			}
		}
	}
	return at
}

// short writes a number for an axis: 0.5, 20, 1000, 20k, 3M.
func short(v float64) string {
	unit := ""
	switch abs := math.Abs(v); {
	case abs >= 999_999.5:
		v, unit = v/1e6, "M"
	case abs >= 9_999.5:
		v, unit = v/1e3, "k"
	}
	return strconv.FormatFloat(significant(v), 'f', -1, 64) + unit
}

// precise writes a number for a table or a hint: three significant digits, with separated
// thousands.
func precise(v float64) string {
	text := strconv.FormatFloat(significant(v), 'f', -1, 64)
	whole, rest, _ := strings.Cut(text, ".")
	var b strings.Builder
	for i, digit := range whole {
		if left := len(whole) - i; i > 0 && left%3 == 0 && whole[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if rest != "" {
		b.WriteString("." + rest)
	}
	return b.String()
}

// significant rounds to three significant digits, and never before the decimal point.
func significant(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	scale := math.Pow(10, float64(min(digits, 9)))
	return math.Round(v*scale) / scale
}
