package report

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/programs"
)

// role is the purpose of a drawn element. It has a colour in each theme: cool ones for freerun,
// warm ones for plain Go, purple for other libraries, greys for the rest. The colours of one chart
// differ in lightness too, for readers who cannot tell the hues apart.
type role int

const (
	ink      role       = iota // text
	faint                      // labels of axes
	rule                       // lines of the grid
	baseline                   // a variant without concurrency, or the ideal
	printed                    // a paper's printed numbers
	ours                       // the first of freerun's colours
	theirs   = ours + 5        // the first of plain Go's colours
	rivals   = theirs + 4
	roles    = rivals + 6
)

// colours are the colours of each role, for the light and the dark theme. All differ, because
// svg.go finds the role of an element by its colour.
var colours = [roles][2]uint32{
	{0x1b2430, 0xe6eaf0},
	{0x5b6675, 0x9aa6b5},
	{0xdfe3e8, 0x2c3541},
	{0x7b8592, 0x7d8896},
	{0x3d4650, 0xc3cad3},
	{0x0b62c4, 0x5aa9ff}, // ours
	{0x00897b, 0x3fd0bd},
	{0x2f8fd6, 0xa6d4ff},
	{0x0a3a7a, 0x2f7fe0},
	{0x4f9a2f, 0x9be37a},
	{0xd9480f, 0xff8f5a}, // theirs
	{0xb7791f, 0xf2c14e},
	{0x9c2a2a, 0xf26d6d},
	{0x8a5a00, 0xffd699},
	{0x7b3fb5, 0xc79bff}, // rivals
	{0xb0369a, 0xff8fe0},
	{0x9b86d6, 0xe0d2ff},
	{0x5a2a6e, 0xa86fd0},
	{0xd16fb0, 0xffc2ea},
	{0x6a5acd, 0x9a8cff},
}

// paint returns the role's colour in the light theme, to draw with.
func (r role) paint() color.Color { return r.veil(1) }

// veil returns the role's colour with an opacity.
func (r role) veil(opacity float64) color.Color {
	c := colours[r][0]
	return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), uint8(255 * opacity)}
}

// hex returns the role's light colour as SVG writes it.
func (r role) hex() string { return fmt.Sprintf("#%06X", colours[r][0]) }

// sheet returns the rules that give each role its colour in a theme: 0 for light, 1 for dark.
func sheet(theme int, scope string) string {
	var b strings.Builder
	for r := range roles {
		c := colours[r][theme]
		fmt.Fprintf(&b, "%s.f%d{fill:#%06x}%s.s%d{stroke:#%06x}", scope, r, c, scope, r, c)
	}
	return b.String()
}

// cast gives each of a program's variants its role, in order of appearance.
type cast struct {
	names []string
	kinds []programs.Kind
}

// role returns the role of a variant. The first variant of a kind has the kind's first colour. When
// the colours run out, they begin again.
func (c *cast) role(variant string, kind programs.Kind) role {
	if !slices.Contains(c.names, variant) {
		c.names, c.kinds = append(c.names, variant), append(c.kinds, kind)
	}
	nth := 0
	for i, name := range c.names {
		if name == variant {
			break
		}
		if c.kinds[i] == kind {
			nth++
		}
	}
	switch kind {
	case programs.Freerun:
		return ours + role(nth)%(theirs-ours)
	case programs.PlainGo:
		return theirs + role(nth)%(rivals-theirs)
	case programs.Rival:
		return rivals + role(nth)%(roles-rivals)
	default:
		return baseline
	}
}
