package httpview

import (
	"cmp"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/freerun-go/freerun/recording"
)

// section is how long a set of histograms grows. The page shows the growing section together with
// the last whole one.
const section = 30 * time.Second

// mostOperations is how many operations are told apart; later ones go under [others]. A program has
// as many operations as its source has, so only closures reach the limit.
const mostOperations = 100

const others = "(others)"

// Latencies are kept from a nanosecond to two minutes, with two significant digits.
const (
	longestLatency = 2 * time.Minute
	digits         = 2
)

// operation has the page's figures of one operation, in nanoseconds.
type operation struct {
	Name     string    `json:"name"`
	Messages int       `json:"messages"` // in the window's samples
	Older    int       `json:"older"`    // of those, sent before their sample
	Share    float64   `json:"share"`    // share of the time that operations ran
	Wait     quantiles `json:"wait"`     // from send to begin
	Run      quantiles `json:"run"`      // from begin to end, without waits off the processor
}

type quantiles struct {
	Count int64 `json:"count"`
	P50   int64 `json:"p50"`
	P99   int64 `json:"p99"`
	P999  int64 `json:"p999"`
	Max   int64 `json:"max"`
}

// window keeps the latencies of the last one or two sections. The zero window is empty.
type window struct {
	growing, whole map[string]*latency
	since          time.Time // when the growing section began
	// Scratch: the sum of both sections for one operation at a time.
	sum *latency
}

type latency struct {
	wait, run *hdrhistogram.Histogram
	messages  int
	older     int
	ran       int64 // nanoseconds
}

func newLatency() *latency {
	return &latency{wait: newHistogram(), run: newHistogram()}
}

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(longestLatency), digits)
}

// add adds the messages of a sample.
func (w *window) add(t *recording.Trace, messages []recording.Message, now time.Time) {
	w.turn(now)
	known := make([]*latency, len(t.Operations)+1)
	for i := range messages {
		m := &messages[i]
		if m.Begin < 0 {
			continue
		}
		n := min(int(m.Operation), len(t.Operations))
		if known[n] == nil {
			known[n] = w.of(t.Operation(m.Operation))
		}
		known[n].add(m)
	}
}

// turn begins another section when the growing one has its length.
func (w *window) turn(now time.Time) {
	switch age := now.Sub(w.since); {
	case w.growing == nil || age >= 2*section:
		w.whole, w.growing, w.since = nil, map[string]*latency{}, now
	case age >= section:
		w.whole, w.growing, w.since = w.growing, map[string]*latency{}, now
	}
}

func (w *window) of(name string) *latency {
	l := w.growing[name]
	if l != nil {
		return l
	}
	if len(w.growing) >= mostOperations && name != others {
		return w.of(others)
	}
	l = newLatency()
	w.growing[name] = l
	return l
}

func (l *latency) add(m *recording.Message) {
	l.messages++
	if m.Waited >= 0 {
		record(l.wait, m.Waited)
	} else {
		l.older++
	}
	l.ran += m.Ran
	if m.End >= 0 && !m.Activity { // an activity ends in pieces
		record(l.run, m.Ran)
	}
}

func record(h *hdrhistogram.Histogram, nanoseconds int64) {
	// A value in range cannot fail.
	_ = h.RecordValue(min(max(nanoseconds, 0), int64(longestLatency)))
}

// operations returns the operations in the window, those first that ran longest.
func (w *window) operations() []operation {
	var all []operation
	var total int64
	names := map[string]bool{}
	for _, some := range []map[string]*latency{w.growing, w.whole} {
		for name, l := range some {
			names[name] = true
			total += l.ran
		}
	}
	if w.sum == nil {
		w.sum = newLatency()
	}
	for name := range names {
		both := w.sum
		both.wait.Reset()
		both.run.Reset()
		both.messages, both.older, both.ran = 0, 0, 0
		for _, l := range []*latency{w.growing[name], w.whole[name]} {
			if l != nil {
				both.wait.Merge(l.wait)
				both.run.Merge(l.run)
				both.messages, both.older, both.ran = both.messages+l.messages, both.older+l.older, both.ran+l.ran
			}
		}
		all = append(all, operation{
			Name: name, Messages: both.messages, Older: both.older, Share: float64(both.ran) / float64(max(1, total)),
			Wait: quantilesOf(both.wait), Run: quantilesOf(both.run),
		})
	}
	slices.SortFunc(all, func(a, b operation) int { return cmp.Or(-cmp.Compare(a.Share, b.Share), cmp.Compare(a.Name, b.Name)) })
	return all
}

func quantilesOf(h *hdrhistogram.Histogram) quantiles {
	at := h.ValueAtPercentiles([]float64{50, 99, 99.9})
	return quantiles{Count: h.TotalCount(), P50: at[50], P99: at[99], P999: at[99.9], Max: h.Max()}
}
