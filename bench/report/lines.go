package report

import (
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// point is the result of several runs: the median, the least and the greatest value. Where only one
// value is known, all three are equal.
type point struct{ x, y, low, high float64 }

// series is the points of one curve.
type series struct {
	name   string
	role   role
	dashed bool // whether the points were simulated, not measured
	points []point
}

// lines is a chart of curves, each with the band between the least and the greatest value.
type lines struct {
	frame
	series []series
	ideal  bool   // whether to draw the line y = x
	unit   string // the unit of the values, for hints
}

// XY and Len implement plotter.XYer.
func (s series) XY(i int) (x, y float64) { return s.points[i].x, s.points[i].y }
func (s series) Len() int                { return len(s.points) }

// YError implements plotter.YErrorer.
func (s series) YError(i int) (low, high float64) {
	p := s.points[i]
	return p.y - p.low, p.high - p.y
}

// dashes is the pattern of simulated curves.
var dashes = []vg.Length{4, 2.5}

func (l *lines) draw(c draw.Canvas) []hint {
	p := l.plot()
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color, grid.Horizontal.Width = rule.paint(), 0.6
	p.Add(grid)
	var keys []key
	if l.ideal {
		keys = append(keys, l.addIdeal(p))
	}
	for _, s := range l.series {
		addBand(p, s)
	}
	for _, s := range l.series {
		curve, dots, err := plotter.NewLinePoints(s)
		if err != nil {
			panic(err) // cannot occur: rows have finite numbers only
		}
		curve.Color, curve.Width = s.role.paint(), 1.5
		if s.dashed {
			curve.Dashes, curve.Width = dashes, 1.1
		}
		dots.Color, dots.Radius, dots.Shape = s.role.paint(), 2.2, draw.CircleGlyph{}
		if s.dashed {
			dots.Radius, dots.Shape = 1.9, draw.RingGlyph{}
		}
		p.Add(curve, dots)
		if !l.continues(s) {
			keys = append(keys, key{strings.TrimSuffix(s.name, simulation), curve})
		}
	}
	if slices.ContainsFunc(l.series, func(s series) bool { return s.dashed }) {
		simulated := &plotter.Line{LineStyle: draw.LineStyle{Color: printed.paint(), Width: 1.1, Dashes: dashes}}
		keys = append(keys, key{strings.TrimPrefix(simulation, ", "), simulated})
	}
	data := l.frame.draw(c, p, keys)
	x, y := p.Transforms(&data)
	var hints []hint
	for _, s := range l.series {
		for _, at := range s.points {
			hints = append(hints, hint{vg.Point{X: x(at.x), Y: y(at.y)}, s.name + ", " + precise(at.x) + ": " + at.words(l.unit)})
		}
	}
	return hints
}

// simulation ends the names of simulated curves.
const simulation = ", simulated"

// continues reports whether a curve continues a measured one. Then the legend has its colour
// already.
func (l *lines) continues(s series) bool {
	return s.dashed && slices.ContainsFunc(l.series, func(other series) bool { return !other.dashed && other.name+simulation == s.name })
}

// words writes a value and, if it has one, its range.
func (p point) words(unit string) string {
	text := precise(p.y)
	if p.low < p.high {
		text += " (" + precise(p.low) + " to " + precise(p.high) + ")"
	}
	if unit != "" {
		text += " " + unit
	}
	return text
}

// addIdeal adds the line of perfect speed-up: n processors are n times as fast as one.
func (l *lines) addIdeal(p *plot.Plot) key {
	high := 1.0
	for _, s := range l.series {
		for _, at := range s.points {
			high = max(high, at.x)
		}
	}
	line, err := plotter.NewLine(plotter.XYs{{X: 1, Y: 1}, {X: high, Y: high}})
	if err != nil {
		panic(err)
	}
	line.Color, line.Width = baseline.veil(0.6), 0.8
	p.Add(line)
	return key{"ideal", line}
}

// addBand adds the band between the least and the greatest values, or bars where a band would have
// no width.
func addBand(p *plot.Plot, s series) {
	if len(s.points) < 2 {
		bars, err := plotter.NewYErrorBars(s)
		if err != nil {
			panic(err)
		}
		bars.Color, bars.Width, bars.CapWidth = s.role.veil(0.6), 1, 4
		p.Add(bars)
		return
	}
	outline := make(plotter.XYs, 0, 2*len(s.points))
	for _, at := range s.points {
		outline = append(outline, plotter.XY{X: at.x, Y: at.high})
	}
	for i := range s.points {
		at := s.points[len(s.points)-1-i]
		outline = append(outline, plotter.XY{X: at.x, Y: at.low})
	}
	band, err := plotter.NewPolygon(outline)
	if err != nil {
		panic(err)
	}
	band.Color, band.LineStyle.Width = s.role.veil(0.18), 0
	p.Add(band)
}
