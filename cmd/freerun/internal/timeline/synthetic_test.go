package timeline

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/freerun-go/freerun/recording"
)

// known returns a recording that is small enough to be understood by reading. An ordinary goroutine
// sends "start" to the unit "desk", which sends "count" twice. Processor 0 runs one of the two
// itself. Processor 1 runs the other, which it had to search for and to steal from processor 0.
//
//	P0  |start 1000–5000|count#2 5100–7100|          parked 7200–10000
//	P1  parked 0–2500, searching 2500–2900, |count#3 3000–9000|
func known() (*recording.Trace, *recording.Analysis) {
	t := &recording.Trace{
		Start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), End: 10_000, Program: "known", Processors: 2, Sent: 3, Lost: 7,
		Operations: []string{"", "programs/known.start", "programs/known.count"},
		Units:      []recording.Unit{{}, {Name: "desk"}, {State: "known.table"}},
		Events: []recording.Event{
			{Time: 0, Kind: recording.KindPark, Processor: 1},
			{Time: 500, Kind: recording.KindSend, Message: 1, Operation: 1, Unit: 1, Processor: recording.Outside},
			{Time: 1000, Kind: recording.KindRunBegin, Message: 1, Operation: 1, Unit: 1, Processor: 0},
			{Time: 2000, Kind: recording.KindSend, Message: 2, Other: 1, Operation: 2, Unit: 2, Processor: 0},
			{Time: 2400, Kind: recording.KindSend, Message: 3, Other: 1, Operation: 2, Processor: 0},
			{Time: 2500, Kind: recording.KindUnpark, Processor: 1},
			{Time: 2500, Kind: recording.KindSearchBegin, Processor: 1},
			{Time: 2900, Kind: recording.KindSearchEnd, Processor: 1, N: 1},
			{Time: 2900, Kind: recording.KindSteal, Processor: 1, Other: 0, N: 1},
			{Time: 3000, Kind: recording.KindRunBegin, Message: 3, Other: 1, Operation: 2, Processor: 1},
			{Time: 5000, Kind: recording.KindRunEnd, Message: 1, Operation: 1, Unit: 1, Processor: 0},
			{Time: 5100, Kind: recording.KindRunBegin, Message: 2, Other: 1, Operation: 2, Unit: 2, Processor: 0},
			{Time: 7100, Kind: recording.KindRunEnd, Message: 2, Operation: 2, Unit: 2, Processor: 0},
			{Time: 7200, Kind: recording.KindPark, Processor: 0},
			{Time: 9000, Kind: recording.KindRunEnd, Message: 3, Operation: 2, Processor: 1},
			{Time: 9500, Kind: recording.KindLost, Processor: 1, N: 7},
		},
	}
	return t, &recording.Analysis{
		Work: 12_000, Span: 7_400, Parallelism: 12.0 / 7.4, Elapsed: 8_500, Processors: 2, AtMost: 1.62, AtLeast: 0.9, Busy: 12.0 / 8.5, Lost: 7,
		Path: []recording.Step{
			{Message: 1, Operation: 1, Unit: 1, Processor: 0, Begin: 1000, End: 2400},
			{Message: 3, Operation: 2, Processor: 1, Begin: 3000, End: 9000},
		},
		Chain: 4_000, Chained: 1,
	}
}

// random returns a recording of about that many events: messages that send messages, on units with
// mailboxes, on processors that steal from each other. The same arguments give the same recording.
func random(events, processors, units int) (*recording.Trace, *recording.Analysis) {
	r := rand.New(rand.NewPCG(uint64(events), uint64(processors)))
	t := &recording.Trace{
		Start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Program: "random", Processors: processors,
		Operations: []string{"", "demo.request", "demo.query", "demo.insert", "demo.answer", "demo.index"}, Units: make([]recording.Unit, units+1),
	}
	for i := 1; i <= units; i++ {
		t.Units[i].State = []string{"demo.table", "demo.client", "demo.index"}[i%3]
	}
	type task struct {
		message, sender, operation, unit uint32
		at                               int64
	}
	queues := make([][]task, processors)
	clock := make([]int64, processors)
	parked := make([]bool, processors)
	send := func(p int, at int64, by uint32) {
		t.Sent++
		k := task{message: uint32(t.Sent), sender: by, operation: 1 + r.Uint32N(5), unit: 1 + uint32(float64(units)*r.Float64()*r.Float64()), at: at}
		e := recording.Event{Time: at, Kind: recording.KindSend, Message: k.message, Other: by, Operation: k.operation, Unit: k.unit, Processor: int16(p)}
		t.Events = append(t.Events, e)
		queues[max(0, p)] = append(queues[max(0, p)], k)
	}
	for i := range 4 * processors {
		send(recording.Outside, int64(1+i*700), 0)
	}
	for len(t.Events) < events {
		p := 0
		for q := range clock {
			if clock[q] < clock[p] {
				p = q
			}
		}
		add := func(e recording.Event) { e.Processor = int16(p); t.Events = append(t.Events, e) }
		if len(queues[p]) == 0 {
			victim := r.IntN(processors)
			begin := clock[p]
			add(recording.Event{Time: begin, Kind: recording.KindSearchBegin})
			clock[p] += 300 + r.Int64N(700)
			if n := len(queues[victim]); n > 1 && queues[victim][n-1].at < clock[p] {
				half := n / 2
				queues[p] = slices.Clone(queues[victim][n-half:])
				queues[victim] = queues[victim][:n-half]
				add(recording.Event{Time: clock[p], Kind: recording.KindSearchEnd, N: 1})
				add(recording.Event{Time: clock[p], Kind: recording.KindSteal, Other: uint32(victim), N: int32(half)})
				continue
			}
			add(recording.Event{Time: clock[p], Kind: recording.KindSearchEnd})
			add(recording.Event{Time: clock[p], Kind: recording.KindPark})
			clock[p] += 2000 + r.Int64N(20000)
			add(recording.Event{Time: clock[p], Kind: recording.KindUnpark})
			parked[p] = true
			if victim == p {
				send(recording.Outside, clock[p], 0)
			}
			continue
		}
		k := queues[p][0]
		queues[p] = queues[p][1:]
		clock[p] = max(clock[p], k.at) + 60
		run := recording.Event{Time: clock[p], Kind: recording.KindRunBegin, Message: k.message, Other: k.sender, Operation: k.operation, Unit: k.unit}
		add(run)
		length := 400 + r.Int64N(3000)*int64(k.operation)
		busy := 0
		for _, q := range queues {
			busy += len(q)
		}
		for range r.IntN(3) {
			if busy < 60*processors {
				clock[p] += length / 3
				send(p, clock[p], k.message)
			}
		}
		clock[p] += length / 3
		run.Time, run.Kind = clock[p], recording.KindRunEnd
		add(run)
	}
	slices.SortStableFunc(t.Events, func(a, b recording.Event) int { return int(a.Time - b.Time) })
	t.End = slices.Max(clock)
	return t, analyze(t)
}

// analyze computes the conclusions that the page needs. Tests with random recordings do not check
// its figures.
func analyze(t *recording.Trace) *recording.Analysis {
	a := &recording.Analysis{Processors: t.Processors, Elapsed: t.End}
	messages := t.Messages()
	at := make([]int64, len(messages)) // the longest chain up to the beginning of the message
	longest := uint32(0)
	for i, m := range messages {
		a.Work += m.Ran
		if m.Begin < 0 {
			continue
		}
		if s := messages[m.Sender]; m.Sender != 0 {
			at[i] = at[m.Sender] + max(0, m.Sent-s.Begin)
		}
		if at[i]+m.Ran > a.Span {
			a.Span, longest = at[i]+m.Ran, uint32(i)
		}
	}
	for m := longest; m != 0; m = messages[m].Sender {
		k := messages[m]
		a.Path = append(a.Path, recording.Step{Message: m, Operation: k.Operation, Unit: k.Unit, Processor: k.RanOn, Begin: k.Begin, End: k.End})
	}
	slices.Reverse(a.Path)
	for i := range a.Path[:max(0, len(a.Path)-1)] {
		a.Path[i].End = messages[a.Path[i+1].Message].Sent
	}
	p, work, span := float64(t.Processors), float64(a.Work), float64(max(1, a.Span))
	a.Parallelism, a.Busy = work/span, work/float64(a.Elapsed)
	a.AtMost, a.AtLeast = work/max(work/p, span), work/(work/p+span)
	return a
}
