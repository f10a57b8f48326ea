package explore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/freerun-go/freerun/internal/verify/memory"
)

// trace records the steps of one execution as lines of text. A nil trace records nothing.
type trace struct {
	lines []string
	last  string
}

func (t *trace) add(who string, a memory.Access, result string) {
	if t == nil {
		return
	}
	if who == t.last {
		who = ""
	} else {
		t.last = who
	}
	what := a.Kind.String()
	if a.At != nil {
		what += " " + a.At.String()
	}
	t.lines = append(t.lines, fmt.Sprintf("%4d  %-14s %-22s %-24s %s", len(t.lines)+1, who, what, result, a.Where()))
}

// longest is the number of steps that String shows, the last ones of the trace.
const longest = 150

// String returns the steps, a line each.
func (t *trace) String() string {
	if left := len(t.lines) - longest; left > 0 {
		return fmt.Sprintf("      … %d steps\n", left) + strings.Join(t.lines[left:], "\n")
	}
	return strings.Join(t.lines, "\n")
}

// encode writes a path as text: for each run of steps the number of the process, an x and the
// number of steps; for a thread that is stopped an exclamation mark and its number. An example is
// "0x3.1x2.!0.1x4".
func encode(path []uint8) string {
	var parts []string
	for i := 0; i < len(path); {
		n := i + 1
		for n < len(path) && path[n] == path[i] {
			n++
		}
		if path[i]&stopped != 0 {
			parts = append(parts, fmt.Sprintf("!%d", path[i]&^stopped))
		} else {
			parts = append(parts, fmt.Sprintf("%dx%d", path[i], n-i))
		}
		i = n
	}
	return strings.Join(parts, ".")
}

// decode reads the text that encode wrote.
func decode(s string) ([]uint8, error) {
	var path []uint8
	for part := range strings.SplitSeq(s, ".") {
		process, times, found := strings.Cut(part, "x")
		mark := uint8(0)
		if number, stop := strings.CutPrefix(part, "!"); stop {
			process, times, found, mark = number, "1", true, stopped
		}
		p, err := strconv.ParseUint(process, 10, 8)
		n, err2 := strconv.ParseUint(times, 10, 16)
		if !found || err != nil || err2 != nil || p >= processes || n == 0 {
			return nil, fmt.Errorf("explore: %q in the schedule is not of the form 0x3, a process below %d and its steps in a row, or !0", part, processes)
		}
		for range n {
			path = append(path, uint8(p)|mark)
		}
	}
	return path, nil
}

// given is a strategy that follows a path to its end and then makes the usual choice.
type given struct {
	machine *machine
	path    []uint8
}

func (g *given) choose(s *situation) int {
	for len(g.path) > 0 {
		p := int(g.path[0] &^ stopped)
		stop := g.path[0]&stopped != 0
		g.path = g.path[1:]
		switch {
		case stop:
			g.machine.stop(p)
			s.enabled = s.enabled.without(p).without(p + memory.MaxThreads)
			continue
		case s.enabled.has(p):
			return p
		}
		return -1
	}
	if s.enabled == 0 {
		return -1
	}
	return s.usual()
}

func (g *given) did(*situation, int) {}

func (g *given) buffered(int, int) {}
