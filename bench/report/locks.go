package report

// queueLocks are the locks of package lock.
var queueLocks = figure{
	id: "locks", title: "Queue locks", source: "lecture 13, queues for mutual exclusion", command: "freerun bench locks --processors 1,2",
	about:   "Time to lock and unlock one lock, against the goroutines that contend for it. Queue locks are fair, which costs a hand-over for each turn; with sync.Mutex a running goroutine may overtake those that wait.",
	printed: "The lecture describes Anderson’s, the CLH and the MCS lock and has no measurements.",
	draw: func(all rows) ([]chart, rows) {
		return against(all.of("locks"), "goroutines", axis{label: "goroutines", log: true, ticks: []float64{1, 2, 8, 64}}, axis{label: "ns for lock and unlock", log: true}, "ns")
	},
}
