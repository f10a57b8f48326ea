package report

import (
	"math"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/programs"
)

// TestColoursAreLegible checks the contrast of every drawn colour against the page behind it. The
// guidelines for accessible pages ask for 3 to 1, and for 4.5 to 1 for text.
func TestColoursAreLegible(t *testing.T) {
	seen := make(map[string]bool)
	for r := range roles {
		if seen[role(r).hex()] {
			t.Errorf("role %d has the colour of another, so it cannot be told from it in an SVG", r)
		}
		seen[role(r).hex()] = true
		for theme, behind := range []uint32{0xffffff, 0x12171e} {
			least := 3.0
			switch r {
			case rule:
				continue // the grid may be faint
			case ink, faint:
				least = 4.5
			}
			if got := contrast(colours[r][theme], behind); got < least {
				t.Errorf("role %d, theme %d: #%06x on #%06x has a contrast of %.2f, want %.1f", r, theme, colours[r][theme], behind, got, least)
			}
		}
	}
}

// contrast returns the ratio of luminances as WCAG 2 defines it.
func contrast(a, b uint32) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c uint32) float64 {
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		v := float64(c>>(8*i)&255) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func TestCastTellsKindsApart(t *testing.T) {
	var c cast
	first, second := c.role("units", programs.Freerun), c.role("channels", programs.PlainGo)
	if first != ours || second != theirs || c.role("pond", programs.Rival) != rivals || c.role("serial", programs.Baseline) != baseline {
		t.Errorf("roles %d, %d", first, second)
	}
	if c.role("activities", programs.Freerun) != ours+1 || c.role("units", programs.Freerun) != first {
		t.Error("a variant does not keep its colour, or shares it")
	}
	for range 20 { // more often than there are colours
		if r := c.role(strings.Repeat("x", len(c.names)), programs.Freerun); r < ours || r >= theirs {
			t.Errorf("freerun is drawn in role %d", r)
		}
	}
}
