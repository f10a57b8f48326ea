package recording

// Analysis says how much of a recording could have run at the same time. Times are in nanoseconds.
type Analysis struct {
	Work        int64   // T₁: sum of all run times
	Span        int64   // T∞: longest chain of runs, and of waits for timers, each after the other
	Parallelism float64 // Work / Span: how many processors could have been busy, on average
	Elapsed     int64   // from the first event of a message to the last

	// How many of the processors of the recording ran messages, on average: at most possible, at
	// least reached by greedy scheduling (Brent), and really. That is no speed-up: Work contains
	// the cost of the recording, cache misses that one processor alone would not have, and the time
	// for which the operating system ran other threads in the middle of a run. A speed-up is the
	// quotient of two times that were measured without a recorder, with one processor and with P.
	Processors int
	AtMost     float64 // T₁ / max(T₁/P, T∞)
	AtLeast    float64 // T₁ / (T₁/P + T∞)
	Busy       float64 // T₁ / elapsed

	// Path is the longest chain, in order of time.
	Path []Step
	// Chain is the longest time that the messages of one unit took together. They had to run one
	// after another, but Span does not contain that. Chained is the unit.
	Chain   int64
	Chained uint32

	// Lost is the number of events that the recording lacks. Unknown is the number of runs whose
	// send it lacks; the true span may be longer because of them.
	Lost    uint64
	Unknown int
}

// Step is a part of the critical path: a message ran from Begin to End, and the next step followed
// from that. A wait for a timer is a step, too, of the message that the timer sent, and its
// Processor is [Outside].
type Step struct {
	Message    uint32
	Operation  uint32
	Unit       uint32
	Processor  int16
	Begin, End int64 // nanoseconds since the start
}
