package recording

// Analysis says how much of a recording could have run at the same time. Times are in nanoseconds.
type Analysis struct {
	Work        int64   // T₁: sum of all run times
	Span        int64   // T∞: longest chain of runs that had to follow one another
	Parallelism float64 // Work / Span: how many processors could have been busy, on average
	Elapsed     int64   // from the first event of a message to the last

	// Speeds compared with one processor, for the number of processors of the recording: at most
	// possible, at least reached by greedy scheduling (Brent), and measured.
	Processors int
	AtMost     float64 // T₁ / max(T₁/P, T∞)
	AtLeast    float64 // T₁ / (T₁/P + T∞)
	Measured   float64 // T₁ / elapsed

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
// from that.
type Step struct {
	Message    uint32
	Operation  uint32
	Unit       uint32
	Processor  int16
	Begin, End int64 // nanoseconds since the start
}
