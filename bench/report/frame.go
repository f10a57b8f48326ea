package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	xfont "golang.org/x/image/font"
)

// The measures of charts, in points. A page shows them about 1.2 times as large.
const (
	chartWidth  = vg.Length(330)
	chartHeight = vg.Length(222)
	titleSize   = vg.Length(10.5)
	labelSize   = vg.Length(9.5)
	lineHeight  = vg.Length(14)
)

// frame is the common part of all charts: a title, axes with their units, and a legend above the
// plot, where it hides nothing.
type frame struct {
	title string // the subject in a few words
	x, y  axis
}

// axis is one of a chart's two axes.
type axis struct {
	label string    // the quantity and its unit
	log   bool      // whether equal distances are equal ratios
	ticks []float64 // the places with numbers; nil for round numbers
	zero  bool      // whether the axis begins with 0
}

// key is an entry of a legend.
type key struct {
	name  string
	thumb plot.Thumbnailer
}

func (f *frame) size() (w, h vg.Length) { return chartWidth, chartHeight }

// style returns the style of texts in a colour and a size.
func style(r role, size vg.Length) text.Style {
	s := plot.New().X.Label.TextStyle // includes gonum's text handler
	s.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	s.Color = r.paint()
	s.XAlign, s.YAlign = text.XLeft, text.YBottom
	return s
}

// plot returns an empty plot with the frame's axes.
func (f *frame) plot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []struct {
		axis *plot.Axis
		with axis
	}{{&p.X, f.x}, {&p.Y, f.y}} {
		label, tick := &a.axis.Label, &a.axis.Tick
		label.Text = a.with.label
		label.TextStyle.Font = style(faint, labelSize).Font
		label.TextStyle.Color = faint.paint()
		tick.Label.Font = style(faint, labelSize).Font
		tick.Label.Color = faint.paint()
		tick.Color, a.axis.Color = rule.paint(), faint.paint()
		tick.Length, a.axis.Width = 3, 0.6
		a.axis.Padding = 2
		tick.Marker = a.with
		if a.with.log {
			a.axis.Scale = plot.LogScale{}
		}
	}
	p.Y.Width, p.Y.Tick.Length = 0, 0 // the grid shows the same
	p.Y.Label.Padding = 3
	return p
}

// settle fits the axes to the plot's data. Call it after the data have been added.
func (f *frame) settle(p *plot.Plot) {
	f.x.settle(&p.X)
	f.y.settle(&p.Y)
}

// draw draws title, legend and plot, one below the other, and returns the canvas of the data.
func (f *frame) draw(c draw.Canvas, p *plot.Plot, keys []key) draw.Canvas {
	bold := style(ink, titleSize)
	bold.Font.Weight = xfont.WeightBold
	c = draw.Crop(c, 2, -8, 2, -2)
	top := c.Max.Y - lineHeight
	c.FillText(bold, vg.Point{X: c.Min.X, Y: top + 2}, f.title)
	top = legend(c, top, keys)
	c.Max.Y = top - 5
	f.settle(p)
	p.Draw(c)
	return p.DataCanvas(c)
}

// legend draws the entries below top, in as many lines as they need, and returns the height of its
// lower end.
func legend(c draw.Canvas, top vg.Length, keys []key) vg.Length {
	const gap = vg.Length(4)
	if len(keys) == 0 {
		return top
	}
	words := style(faint, labelSize)
	x, y := c.Min.X, top-lineHeight
	for _, k := range keys {
		swatch := vg.Length(16)
		if _, single := k.thumb.(*plotter.Scatter); single {
			swatch = 8
		}
		w := swatch + gap + words.Width(k.name)
		if x > c.Min.X && x+w > c.Max.X {
			x, y = c.Min.X, y-lineHeight
		}
		thumb := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y + 2}, Max: vg.Point{X: x + swatch, Y: y + 10},
		}}
		k.thumb.Thumbnail(&thumb)
		c.FillText(words, vg.Point{X: x + swatch + gap, Y: y + 2}, k.name)
		x += w + 10
	}
	return y
}
