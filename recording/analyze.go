package recording

import "slices"

// Source:     R. Brent, The parallel evaluation of general arithmetic expressions, J. ACM 1974 (the
//             bounds); R. Blumofe and C. Leiserson, Scheduling multithreaded computations by work
//             stealing, J. ACM 1999 (work, span and parallelism); C.-Q. Yang and B. Miller,
//             Critical path analysis for the execution of parallel and distributed programs, ICDCS
//             1988 (one pass over what happened, in order of time)
// Sketch:     depth of a run = depth at its begin + time for which it has run since
//             depth at its begin = the greatest of the depth of the sender at the send, the depth
//             of each outcome that it needs, after a wait, its own depth before, and that of the
//             run that woke it
//             depth of an outcome = depth of the message at its return, or that of an outcome that
//             it needs in turn, if that is greater
//             depth of what a timer sends or resolves = depth of the message that has set the
//             timer, and the wait for the timer on top (S. Muller and U. Acar, Latency-hiding work
//             stealing, SPAA 2016: latencies are part of the span)
//             span = the greatest depth; the path leads from it back to the beginning

// segment is a time in which a message ran. The path consists of segments.
type segment struct {
	message  uint32
	begin    int64
	from     int32 // the segment that this one follows from, −1 for none
	fromTime int64 // when that one sent or returned
}

// runState is the state of a message, or of an ordinary goroutine, during the analysis.
type runState struct {
	depth   int64 // at the begin; at the end, once it does not run
	start   int64 // its depth at the begin is at least this
	since   int64 // when it began to run last
	segment int32 // the current one; −1 before the begin
	from    int32 // the segment that start comes from
	at      int64 // the time in that segment
	running bool
	begun   bool
	sent    bool
	sealed  bool // its outcome is there, and outcome is the depth
	outcome int64
	needs   []uint32 // the messages whose outcomes its own outcome needs
}

// analyzer reads the events once.
type analyzer struct {
	t          *Trace
	a          *Analysis
	messages   []runState
	outside    map[int32]*runState // by goroutine
	timers     map[uint32]timer    // by the message that they will send
	waited     int64               // for all timers that have fired
	segments   []segment
	processors map[int16]*busy
	units      []int64
	unit       []uint32 // by message: the unit that it runs on
	first      int64
	last       int64
	deepest    int32 // segment
	deepEnd    int64
}

// timer is a timer that is set. What it sends follows from the message that has set it, as late as
// the timer fires: more processors do not shorten that wait.
type timer struct {
	depth int64 // of the message that has set it, at that time
	from  int32 // its segment
	at    int64 // the time in that segment
	set   int64
}

// busy is the present work of a processor.
type busy struct {
	message  uint32
	branches []int64 // by branch: since when it runs
	inside   bool    // the outermost branch runs within a message
}

// Analyze returns what follows from a recording. It reads the events once, in order of time. It
// does not know what was lost and what was before the recording; [Analysis.Lost] and
// [Analysis.Unknown] say how much that is. Of operations that fork and join it knows the branches
// that were stolen, not those that could have been.
func Analyze(t *Trace) *Analysis {
	z := &analyzer{
		t: t, a: &Analysis{Processors: max(t.Processors, 1), Lost: t.Lost}, messages: make([]runState, t.Sent+1), outside: map[int32]*runState{}, timers: map[uint32]timer{},
		processors: map[int16]*busy{}, units: make([]int64, len(t.Units)), unit: make([]uint32, t.Sent+1), first: -1, deepest: -1,
	}
	for i := range z.messages {
		z.messages[i].segment, z.messages[i].from = -1, -1
	}
	for i := range t.Events {
		z.take(&t.Events[i])
	}
	for i := range z.messages {
		z.pause(uint32(i), t.End)
	}
	z.conclude()
	return z.a
}

func (z *analyzer) conclude() {
	a := z.a
	if z.first >= 0 {
		a.Elapsed = z.last - z.first
	}
	// A recording without its beginning may have less work than span.
	a.Span = min(a.Span, a.Work+z.waited)
	for u, ran := range z.units {
		if ran > a.Chain {
			a.Chain, a.Chained = ran, uint32(u)
		}
	}
	work, span, p := float64(a.Work), float64(a.Span), float64(a.Processors)
	if a.Span > 0 {
		a.Parallelism = work / span
		a.AtMost, a.AtLeast = work/max(work/p, span), work/(work/p+span)
	}
	if a.Elapsed > 0 {
		a.Busy = work / float64(a.Elapsed)
	}
	end := z.deepEnd
	for at := z.deepest; at >= 0; {
		s := z.segments[at]
		step := Step{Message: s.message, Begin: s.begin, End: max(end, s.begin), Processor: Outside, Unit: z.unit[s.message]}
		a.Path = append(a.Path, step)
		at, end = s.from, s.fromTime
	}
	slices.Reverse(a.Path)
	z.describe()
}

// describe sets the operations and processors of the steps.
func (z *analyzer) describe() {
	on := map[uint32][]int{}
	for i, s := range z.a.Path {
		on[s.Message] = append(on[s.Message], i)
	}
	for i := range z.t.Events {
		e := &z.t.Events[i]
		if e.Kind == KindTimer && e.Message != 0 {
			for _, k := range on[e.Message] {
				if s := &z.a.Path[k]; e.Time == s.Begin {
					s.Operation = e.Operation
				}
			}
		}
		if e.Kind != KindRunBegin && e.Kind != KindSwitchIn {
			continue
		}
		for _, k := range on[e.Message] {
			if s := &z.a.Path[k]; e.Time <= s.Begin {
				s.Operation, s.Processor = e.Operation, e.Processor
			}
		}
	}
}

func (z *analyzer) processor(p int16) *busy {
	b := z.processors[p]
	if b == nil {
		b = &busy{}
		z.processors[p] = b
	}
	return b
}

// now returns the depth at a time.
func (s *runState) now(at int64) int64 {
	if s.running {
		return s.depth + at - s.since
	}
	return s.depth
}

// follows has s begin with at least a depth, which the segment from had at a time.
func (s *runState) follows(depth int64, from int32, at int64) {
	if depth > s.start || s.from < 0 {
		s.start, s.from, s.at = depth, from, at
	}
}

// outcomeOf returns the depth of the outcome of m, and the segment that it comes from.
func (z *analyzer) outcomeOf(m uint32, at int64) (depth int64, from int32) {
	s := &z.messages[m]
	if s.sealed {
		depth = s.outcome
	} else {
		depth = s.now(at)
	}
	from = s.segment
	needs := s.needs
	s.needs = nil // ends the recursion in a circle
	for _, other := range needs {
		if d, f := z.outcomeOf(other, at); d > depth {
			depth, from = d, f
		}
	}
	if len(needs) > 0 {
		s.sealed, s.outcome = true, depth
		if from >= 0 {
			s.segment = from
		}
	}
	return depth, from
}

// resume has m run from a time on.
func (z *analyzer) resume(m uint32, at int64) {
	s := &z.messages[m]
	if s.running {
		return
	}
	if s.start > s.depth || s.segment < 0 {
		s.depth = max(s.start, s.depth)
		z.segments = append(z.segments, segment{message: m, begin: at, from: s.from, fromTime: s.at})
		s.segment = int32(len(z.segments) - 1)
	}
	s.since, s.running, s.begun = at, true, true
}

// pause ends the run of m at a time.
func (z *analyzer) pause(m uint32, at int64) {
	s := &z.messages[m]
	if !s.running {
		return
	}
	ran := at - s.since
	s.depth, s.running = s.depth+ran, false
	z.a.Work += ran
	if u := z.unit[m]; u != 0 {
		z.units[u] += ran
	}
	z.last = max(z.last, at)
	if s.depth > z.a.Span || z.deepest < 0 {
		z.a.Span, z.deepest, z.deepEnd = s.depth, s.segment, at
	}
}

func (z *analyzer) goroutine(n int32) *runState {
	g := z.outside[n]
	if g == nil {
		g = &runState{segment: -1, from: -1}
		z.outside[n] = g
	}
	return g
}

// fires has m follow from its timer, which fires now, and reports whether m has one. The wait is a
// segment of its own.
func (z *analyzer) fires(m uint32, now int64) bool {
	t, ok := z.timers[m]
	if !ok {
		return false
	}
	delete(z.timers, m)
	z.segments = append(z.segments, segment{message: m, begin: t.set, from: t.from, fromTime: t.at})
	z.messages[m].follows(t.depth+now-t.set, int32(len(z.segments)-1), now)
	z.waited += now - t.set
	return true
}

// sender returns the depth of the message or goroutine that an event names as a sender, at the time
// of the event, with its segment and the time in that.
func (z *analyzer) sender(e *Event) (depth int64, from int32, at int64) {
	if e.Other != 0 && int(e.Other) < len(z.messages) {
		s := &z.messages[e.Other]
		return s.now(e.Time), s.segment, e.Time
	}
	if e.Processor == Outside {
		g := z.goroutine(e.N)
		return g.depth, g.segment, g.at
	}
	return 0, -1, 0
}

func (z *analyzer) take(e *Event) {
	m := e.Message
	if int(m) >= len(z.messages) || int(e.Unit) >= len(z.units) || e.Kind == KindNeed && int(e.Other) >= len(z.messages) {
		return // no reader makes such an event
	}
	s := &z.messages[m]
	switch e.Kind {
	case KindSend:
		z.begins(e.Time)
		s.sent = true
		if !z.fires(m, e.Time) {
			s.follows(z.sender(e))
		}
	case KindTimer:
		z.begins(e.Time)
		if m != 0 {
			depth, from, at := z.sender(e)
			z.timers[m] = timer{depth, from, at, e.Time}
		}
	case KindNeed:
		s.needs = append(s.needs, e.Other)
	case KindRunBegin, KindSwitchIn:
		z.begins(e.Time)
		z.processor(e.Processor).message = m
		if !s.begun {
			if !s.sent {
				z.a.Unknown++
			}
			needs := s.needs
			s.needs = nil
			for _, other := range needs {
				depth, from := z.outcomeOf(other, e.Time)
				s.follows(depth, from, e.Time)
			}
		}
		if e.Unit != 0 {
			z.unit[m] = e.Unit
		}
		z.resume(m, e.Time)
	case KindRunEnd, KindSwitchOut, KindBlockBegin:
		z.pause(m, e.Time)
		if b := z.processor(e.Processor); b.message == m {
			b.message = 0
		}
	case KindBlockEnd:
		z.resume(m, e.Time)
	case KindReady:
		if r := z.processor(e.Processor).message; r != 0 && r != m {
			s.follows(z.messages[r].now(e.Time), z.messages[r].segment, e.Time)
		}
	case KindFulfilled:
		if e.Processor == Outside && z.fires(m, e.Time) { // the future of After
			s.depth, s.segment = s.start, s.from
		}
		if len(s.needs) == 0 {
			s.sealed, s.outcome = true, s.now(e.Time)
		}
	case KindSeen:
		depth, from := z.outcomeOf(m, e.Time)
		if g := z.goroutine(e.N); depth > g.depth {
			g.depth, g.segment, g.at = depth, from, e.Time
		}
	case KindBranchBegin:
		b := z.processor(e.Processor)
		if len(b.branches) == 0 {
			b.inside = b.message != 0 // its time counts as that of the message
		}
		b.branches = append(b.branches, e.Time)
	case KindBranchEnd:
		b := z.processor(e.Processor)
		if n := len(b.branches); n > 0 {
			if n == 1 && !b.inside {
				z.a.Work += e.Time - b.branches[0]
				z.last = max(z.last, e.Time)
			}
			b.branches = b.branches[:n-1]
		}
	case KindLost:
		b := z.processor(e.Processor)
		if b.message != 0 {
			z.pause(b.message, e.Time)
		}
		*b = busy{}
	}
}

// begins notes the first time at which there was something to do.
func (z *analyzer) begins(at int64) {
	if z.first < 0 {
		z.first = at
	}
}
