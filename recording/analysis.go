package recording

// Analysis is what follows from a recording about how much of it could have run at the same time. Times are in nanoseconds.
type Analysis struct {
	Work        int64   // T₁: the sum of all run times
	Span        int64   // T∞: the longest chain of what had to come after one another
	Parallelism float64 // Work / Span: how many processors could have been kept busy, on average
	Elapsed     int64   // from the first event of a message to the last

	// Of the number of processors that there were: how much faster than one processor they could be at most, and are at least with greedy
	// scheduling (Brent), and how much faster they were.
	Processors int
	AtMost     float64 // T₁ / max(T₁/P, T∞)
	AtLeast    float64 // T₁ / (T₁/P + T∞)
	Measured   float64 // T₁ / elapsed

	// Path is the longest chain, in order of time.
	Path []Step
	// Chain is the longest time that the messages of one unit took together, which had to run one after another; it is no part of the span. Chained is
	// that unit.
	Chain   int64
	Chained uint32

	// Lost is how many events the conclusions had to do without, Unknown how many runs have no send in the recording, so that the span may be longer than it seems.
	Lost    uint64
	Unknown int
}

// Step is a part of the critical path: a message ran from Begin to End, and what the path goes on with followed from that.
type Step struct {
	Message    uint32
	Operation  uint32
	Unit       uint32
	Processor  int16
	Begin, End int64 // nanoseconds since the start
}
