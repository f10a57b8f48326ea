package mandelbrot

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramParts: 1, paramIterations: 1},
		{programs.Size: 50, paramParts: 7, paramIterations: 1000},
		{programs.Size: 21, paramParts: 30, paramIterations: 77},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if n := uint64(v[programs.Size]); r.Operations != n*n {
				t.Errorf("%s: %d points, want %d", name, r.Operations, n*n)
			}
		}
	}
}

// TestEscape checks some points whose iterations are known.
func TestEscape(t *testing.T) {
	for _, c := range []struct {
		x, y   float64
		inside bool
	}{{0, 0, true}, {-1, 0, true}, {-2, 0, true}, {0.25, 0, true}, {0, 1, true}, {0.26, 0, false}, {1, 0, false}, {-2.01, 0, false}, {0.5, 0.5, false}} {
		if got := escape(c.x, c.y, 1000); (got == 1000) != c.inside {
			t.Errorf("%v%+vi: %d iterations", c.x, c.y, got)
		}
	}
	if got := escape(1, 0, 1000); got != 3 { // 0, 1, 2, 5
		t.Errorf("1 escapes after %d iterations, want 3", got)
	}
}

// TestShortCuts: the check computes the same as the program.
func TestShortCuts(t *testing.T) {
	for _, side := range []int{1, 2, 99, 150} {
		p := newPlane(programs.Values{programs.Size: side, paramParts: 1, paramIterations: 3000})
		for row := range side {
			p.parts[0].found.row(p, row)
			for column := range side {
				x, y := p.at(row, column)
				if mirrored := escape(x, -y, p.limit); mirrored != escape(x, y, p.limit) || mirrored != escapeOrReturn(x, y, p.limit) {
					t.Fatalf("%v%+vi: %d, mirrored %d, with the short cut %d", x, y, escape(x, y, p.limit), mirrored, escapeOrReturn(x, y, p.limit))
				}
			}
		}
		if p.checksum() != p.due() {
			t.Errorf("side %d: checksum %s, due %s", side, p.checksum(), p.due())
		}
	}
}

// TestChecksumKnowsWhere: the checksum depends on which points took how many iterations.
func TestChecksumKnowsWhere(t *testing.T) {
	var one, other tally
	one.add(3, 10, 99)
	one.add(4, 20, 99)
	other.add(3, 20, 99)
	other.add(4, 10, 99)
	if one == other || !strings.HasPrefix(one.String(), "0 points inside, 30 iterations") {
		t.Errorf("%v and %v", one, other)
	}
}
