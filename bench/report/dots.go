package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mark is one value on a line of dots.
type mark struct {
	line  int // the line's number, from 0 at the top
	role  role
	shape int // the index of the glyph
	label string
	point // x is the value, from low to high; y is not used
}

// dots is a chart with one line per name. The values of a name lie on its line.
type dots struct {
	frame
	names  []string
	marks  []mark
	keys   []legendKey
	unit   string
	centre float64 // where a vertical line is drawn; 0 for no line
}

// legendKey is an entry of the legend: a colour, or a shape.
type legendKey struct {
	name  string
	role  role
	shape int
}

// glyphs are the shapes, in the order of their use.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.RingGlyph{}, draw.TriangleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.SquareGlyph{}, draw.CrossGlyph{},
}

func glyph(r role, shape int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: r.paint(), Radius: 3, Shape: glyphs[shape%len(glyphs)]}
}

// XY, Len and XError implement the interfaces that plotter.NewXErrorBars needs.
func (m mark) XY(int) (x, y float64) { return m.x, m.y }
func (m mark) Len() int              { return 1 }
func (m mark) XError(int) (low, high float64) {
	return m.x - m.low, m.high - m.x
}

// size returns the chart's size. Each line is as high as its marks need.
func (d *dots) size() (w, h vg.Length) {
	most := 0
	for _, n := range d.count() {
		most = max(most, n)
	}
	line := max(14, vg.Length(4*most))
	return chartWidth, 50 + vg.Length(len(d.names))*line + lineHeight*vg.Length(1+len(d.keys)/5)
}

// count returns the number of marks on each line.
func (d *dots) count() map[int]int {
	n := make(map[int]int)
	for _, m := range d.marks {
		n[m.line]++
	}
	return n
}

func (d *dots) draw(c draw.Canvas) []hint {
	p := d.plot()
	p.X.Min, p.X.Max = d.span()
	p.Y.Min, p.Y.Max = -0.6, float64(len(d.names))-0.4
	var ticks plot.ConstantTicks
	for i, name := range d.names {
		ticks = append(ticks, plot.Tick{Value: d.place(i), Label: name})
	}
	p.Y.Tick.Marker = ticks
	p.Y.Tick.Label.Color = ink.paint()
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Horizontal.Width = rule.paint(), 0.6
	grid.Vertical.Color, grid.Vertical.Width = rule.paint(), 0.6
	p.Add(grid)
	d.addCentre(p)
	for _, m := range d.spread() {
		d.add(p, m)
	}
	var keys []key
	for _, k := range d.keys {
		keys = append(keys, key{k.name, &plotter.Scatter{GlyphStyle: glyph(k.role, k.shape)}})
	}
	low, high := p.Y.Min, p.Y.Max
	d.y = axis{}
	data := d.frame.draw(c, p, keys)
	p.Y.Min, p.Y.Max = low, high
	x, y := p.Transforms(&data)
	var hints []hint
	for _, m := range d.spread() {
		at := point{y: m.x, low: m.low, high: m.high}
		hints = append(hints, hint{vg.Point{X: x(m.x), Y: y(m.y)}, m.label + ": " + at.words(d.unit)})
	}
	return hints
}

// place returns the height of a line. The first line is the highest.
func (d *dots) place(line int) float64 { return float64(len(d.names) - 1 - line) }

// span returns the least and the greatest value.
func (d *dots) span() (low, high float64) {
	low, high = d.marks[0].low, d.marks[0].high
	for _, m := range d.marks {
		low, high = min(low, m.low), max(high, m.high)
	}
	if d.centre > 0 {
		low, high = min(low, d.centre), max(high, d.centre)
	}
	return low, high
}

// spread returns the marks, with the marks of one line moved apart a little, so that none hides
// another.
func (d *dots) spread() []mark {
	count := d.count()
	seen := make(map[int]int)
	all := make([]mark, len(d.marks))
	for i, m := range d.marks {
		n := count[m.line]
		m.y = d.place(m.line)
		if n > 1 {
			m.y += 0.45 * (0.5 - float64(seen[m.line])/float64(n-1))
		}
		seen[m.line]++
		all[i] = m
	}
	return all
}

func (d *dots) add(p *plot.Plot, m mark) {
	bar, err := plotter.NewXErrorBars(m)
	if err != nil {
		panic(err)
	}
	bar.Color, bar.Width, bar.CapWidth = m.role.veil(0.5), 1.2, 0
	dot, err := plotter.NewScatter(plotter.XYs{{X: m.x, Y: m.y}})
	if err != nil {
		panic(err)
	}
	dot.GlyphStyle = glyph(m.role, m.shape)
	p.Add(bar, dot)
}

// addCentre draws the line that the values are to be compared with.
func (d *dots) addCentre(p *plot.Plot) {
	if d.centre <= 0 {
		return
	}
	line, err := plotter.NewLine(plotter.XYs{{X: d.centre, Y: -0.6}, {X: d.centre, Y: float64(len(d.names)) - 0.4}})
	if err != nil {
		panic(err)
	}
	line.Color, line.Width = faint.paint(), 1
	p.Add(line)
}
