package timeline

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/freerun-go/freerun/recording"
)

// meta is the data that the page's program gets beside the packed recording.
type meta struct {
	shape
	Processors int      `json:"processors"`
	Operations []string `json:"operations"`
	// Units are the names of the units. A unit without a name has the type of its state and its
	// number.
	Units []string `json:"units"`
	Kinds kinds    `json:"kinds"`
}

// kinds are the numbers of the kinds of slices.
type kinds struct {
	Run    recording.Kind `json:"run"`
	Branch recording.Kind `json:"branch"`
	Switch recording.Kind `json:"switch"`
	Search recording.Kind `json:"search"`
	Park   recording.Kind `json:"park"`
	Block  recording.Kind `json:"block"`
}

func describe(t *recording.Trace, s shape) meta {
	m := meta{
		shape: s, Processors: t.Processors, Operations: append([]string{}, t.Operations...), Units: []string{},
		Kinds: kinds{recording.KindRunBegin, recording.KindBranchBegin, recording.KindSwitchIn, recording.KindSearchBegin, recording.KindPark, recording.KindBlockBegin},
	}
	for i, u := range t.Units {
		m.Units = append(m.Units, unitName(i, u))
	}
	return m
}

func unitName(number int, u recording.Unit) string {
	switch {
	case number == 0:
		return ""
	case u.Name != "":
		return u.Name
	case u.State != "":
		return u.State + " #" + strconv.Itoa(number)
	}
	return "unit #" + strconv.Itoa(number)
}

// Header holds the facts above the timeline. They can be read without JavaScript, too.
type Header struct {
	*recording.Analysis
	Program  string
	Name     string // the program's name, up to a space
	Settings string // the rest of the name
	Start    string
	Elapsed  int64
	Virtual  bool
	Messages int
	Events   int
	Lost     uint64
	// Low, High and At place the predicted band and the busy processors in the gauge, in percent
	// of its width.
	Low, High, At float64
	Scale         int // the processors at its right end
	Chain         string
}

func header(t *recording.Trace, a *recording.Analysis) Header {
	h := Header{
		Analysis: a, Program: t.Program, Virtual: t.Virtual, Messages: t.Sent, Events: len(t.Events), Lost: t.Lost,
		Elapsed: a.Elapsed, Scale: max(1, a.Processors),
	}
	h.Name, h.Settings, _ = strings.Cut(cmp.Or(t.Program, "recording"), " ")
	if !t.Start.IsZero() {
		h.Start = t.Start.Format(time.DateTime + " MST")
	}
	percent := func(busy float64) float64 {
		return math.Round(1000*min(1, max(0, busy/float64(h.Scale)))) / 10
	}
	h.Low, h.High, h.At = percent(a.AtLeast), percent(a.AtMost), percent(a.Busy)
	if int(a.Chained) < len(t.Units) && a.Chained != 0 {
		h.Chain = unitName(int(a.Chained), t.Units[a.Chained])
	}
	return h
}

// Width returns the width of the predicted band, in percent.
func (h Header) Width() float64 { return max(0.5, h.High-h.Low) }

// Duration writes nanoseconds with three digits.
func Duration(ns int64) string {
	value, unit := float64(ns), "ns"
	for _, next := range []struct {
		factor float64
		name   string
	}{{1e3, "µs"}, {1e3, "ms"}, {1e3, "s"}} {
		if math.Abs(value) < 999.5 {
			break
		}
		value, unit = value/next.factor, next.name
	}
	if unit == "ns" {
		return fmt.Sprintf("%.0f ns", value)
	}
	return strconv.FormatFloat(value, 'f', digits(value), 64) + " " + unit
}

// digits returns how many digits after the point make three in all.
func digits(value float64) int {
	switch v := math.Abs(value); {
	case v >= 99.95:
		return 0
	case v >= 9.995:
		return 1
	}
	return 2
}

// ratio writes a quotient with three digits.
func ratio(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', digits(v), 64)
}

// count writes a whole number that is not negative in groups of three digits.
func count(n any) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	return digits
}
