package timeline

import (
	"encoding/binary"
	"slices"

	"github.com/freerun-go/freerun/recording"
)

// The packed recording is a sequence of columns. A column has the values of one field of all rows,
// as integers of variable length. Values that can be negative, and differences, are in zigzag form.
// Columns of one kind of value compress well, and JavaScript fills a typed array from each in one
// loop. page/unpack.js reads the columns in the order in which this file writes them; [shape] has
// the numbers of rows.

// shape holds the numbers of packed rows.
type shape struct {
	Messages int    `json:"messages"`
	Rows     []row  `json:"rows"`
	Steals   int    `json:"steals"`
	Lost     int    `json:"lost"`
	Path     int    `json:"path"`
	End      int64  `json:"end"`
	Span     int64  `json:"span"`
	Chained  uint32 `json:"chained"`
}

// row is a row of slices that do not overlap: those of one processor at one depth of nesting.
type row struct {
	Processor int16 `json:"processor"`
	Depth     int16 `json:"depth"`
	Slices    int   `json:"slices"`
}

// packer appends to the columns.
type packer struct{ bytes []byte }

func (p *packer) uint(v uint64) { p.bytes = binary.AppendUvarint(p.bytes, v) }
func (p *packer) int(v int64)   { p.bytes = binary.AppendVarint(p.bytes, v) }

// column appends f of 0, 1, …, n-1.
func (p *packer) column(n int, f func(i int) uint64) {
	for i := range n {
		p.uint(f(i))
	}
}

// steps appends the differences between f of 0, 1, …, n-1, the first of them to 0.
func (p *packer) steps(n int, f func(i int) int64) {
	before := int64(0)
	for i := range n {
		v := f(i)
		p.int(v - before)
		before = v
	}
}

// pack packs the parts of the recording that the page needs.
func pack(t *recording.Trace, a *recording.Analysis) ([]byte, shape) {
	var p packer
	s := shape{End: t.End, Span: a.Span, Chained: a.Chained}
	s.Messages = p.messages(t)
	s.Rows = p.slices(t)
	s.Steals = p.steals(t)
	s.Lost = p.lost(t)
	s.Path = p.path(a)
	return p.bytes, s
}

func (p *packer) messages(t *recording.Trace) int {
	all := t.Messages()
	all = all[min(1, len(all)):] // number 0 is no message
	n := len(all)
	sent := int64(0)
	p.steps(n, func(i int) int64 {
		if all[i].Sent >= 0 {
			sent = all[i].Sent
		}
		return sent
	})
	// The sender: 0 is unknown, 1 is an ordinary goroutine, 2 is the first processor.
	p.column(n, func(i int) uint64 {
		if all[i].Sent < 0 {
			return 0
		}
		return uint64(all[i].SentBy + 2)
	})
	p.column(n, func(i int) uint64 { return uint64(max(0, all[i].Ready-all[i].Sent)) })
	p.column(n, func(i int) uint64 { return uint64(all[i].Sender) })
	p.column(n, func(i int) uint64 { return uint64(all[i].Operation) })
	p.column(n, func(i int) uint64 { return uint64(all[i].Unit) })
	p.column(n, func(i int) uint64 { return uint64(max(0, all[i].Ran)) })
	return n
}

func (p *packer) slices(t *recording.Trace) []row {
	all := t.Slices()
	spread(all)
	slices.SortStableFunc(all, func(a, b recording.Slice) int {
		if a.Processor != b.Processor {
			return int(a.Processor) - int(b.Processor)
		}
		return int(a.Depth) - int(b.Depth)
	})
	rows := []row{} // not nil, which would be null for the page
	for i, s := range all {
		if i == 0 || s.Processor != all[i-1].Processor || s.Depth != all[i-1].Depth {
			rows = append(rows, row{Processor: s.Processor, Depth: s.Depth})
		}
		rows[len(rows)-1].Slices++
	}
	n := len(all)
	p.steps(n, func(i int) int64 { return all[i].Begin })
	p.column(n, func(i int) uint64 { return uint64(max(0, all[i].End-all[i].Begin)) })
	p.steps(n, func(i int) int64 { return int64(all[i].Message) })
	p.column(n, func(i int) uint64 { return uint64(all[i].Operation) })
	p.column(n, func(i int) uint64 { return uint64(all[i].Unit) })
	p.column(n, func(i int) uint64 { return uint64(all[i].Kind) })
	return rows
}

// spread distributes the slices outside the processors, which may overlap, over rows in which they
// do not.
func spread(all []recording.Slice) {
	var ends []int64 // the end of the last slice of each row
	for i := range all {
		s := &all[i]
		if s.Processor != recording.Outside {
			continue
		}
		free := slices.IndexFunc(ends, func(end int64) bool { return end <= s.Begin })
		if free < 0 {
			free = len(ends)
			ends = append(ends, 0)
		}
		s.Depth, ends[free] = int16(free), s.End
	}
}

func (p *packer) steals(t *recording.Trace) int {
	some := of(t, recording.KindSteal)
	p.steps(len(some), func(i int) int64 { return some[i].Time })
	p.column(len(some), func(i int) uint64 { return uint64(some[i].Processor + 1) })
	p.column(len(some), func(i int) uint64 { return uint64(some[i].Other) })
	p.column(len(some), func(i int) uint64 { return uint64(max(0, some[i].N)) })
	return len(some)
}

func (p *packer) lost(t *recording.Trace) int {
	some := of(t, recording.KindLost)
	p.steps(len(some), func(i int) int64 { return some[i].Time })
	p.column(len(some), func(i int) uint64 { return uint64(some[i].Processor + 1) })
	p.column(len(some), func(i int) uint64 { return uint64(max(0, some[i].N)) })
	return len(some)
}

func (p *packer) path(a *recording.Analysis) int {
	n := len(a.Path)
	p.steps(n, func(i int) int64 { return a.Path[i].Begin })
	p.column(n, func(i int) uint64 { return uint64(max(0, a.Path[i].End-a.Path[i].Begin)) })
	p.column(n, func(i int) uint64 { return uint64(a.Path[i].Message) })
	p.column(n, func(i int) uint64 { return uint64(a.Path[i].Operation) })
	p.column(n, func(i int) uint64 { return uint64(a.Path[i].Unit) })
	p.column(n, func(i int) uint64 { return uint64(a.Path[i].Processor + 1) })
	return n
}

// of returns the events of one kind.
func of(t *recording.Trace, kind recording.Kind) []*recording.Event {
	var some []*recording.Event
	for i := range t.Events {
		if t.Events[i].Kind == kind {
			some = append(some, &t.Events[i])
		}
	}
	return some
}
