package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// column is a bar of a chart with its name.
type column struct {
	name  string // the name below the bar; "" for none
	label string // the full name, for hints
	role  role
	value float64
}

// columns is a bar chart of numbers of things.
type columns struct {
	frame
	columns []column
	keys    []legendKey
	unit    string
}

func (b *columns) draw(c draw.Canvas) []hint {
	p := b.plot()
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color, grid.Horizontal.Width = rule.paint(), 0.6
	p.Add(grid)
	var ticks plot.ConstantTicks
	wide := (chartWidth - 70) / vg.Length(len(b.columns)) * 0.72
	for i, col := range b.columns {
		bar, err := plotter.NewBarChart(plotter.Values{col.value}, min(wide, 40))
		if err != nil {
			panic(err)
		}
		bar.XMin, bar.Color, bar.LineStyle.Width = float64(i), col.role.paint(), 0
		p.Add(bar)
		if col.name != "" {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: col.name})
		}
	}
	var keys []key
	for _, k := range b.keys {
		keys = append(keys, key{k.name, &plotter.BarChart{Color: k.role.paint()}})
	}
	p.X.Min, p.X.Max = -0.6, float64(len(b.columns))-0.4
	p.X.Tick.Marker, p.X.Tick.Length = ticks, 0
	data := b.frame.draw(c, p, keys)
	x, y := p.Transforms(&data)
	var hints []hint
	for i, col := range b.columns {
		at := point{y: col.value}
		hints = append(hints, hint{vg.Point{X: x(float64(i)), Y: y(col.value)}, col.label + ": " + at.words(b.unit)})
	}
	return hints
}
