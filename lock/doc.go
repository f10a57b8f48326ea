// Package lock has mutual exclusion locks that are queues: who comes first gets in first. All are a [sync.Locker] with TryLock, which
// never waits, and LockContext, which waits until a context ends. A lock may be unlocked by another goroutine than locked it; unlocking
// a lock that is not locked panics.
//
// # Which one to choose
//
//	type        admits              places              who gives up                          for
//	sync.Mutex  whoever is awake    unbounded           cannot                                nearly everything: see below
//	MCS         in order            unbounded           leaves a node, swept now and then     long lines on many cores
//	CLH         in order            unbounded           is out of the line at once            the same, where many give up
//	Anderson    in order            fixed               keeps the place until its turn        refusing waiters beyond a number
//	FIFO        as its queue says   those of the queue  stays in the queue until its turn     an order of one's own
//	Backoff     whoever is awake    unbounded           is gone at once                       sections far shorter than a wake-up
//
// MCS, CLH, FIFO and Backoff are ready as zero values; [NewAnderson] makes an Anderson and [NewFIFO] a FIFO with a given queue. None
// must be copied after first use. Locking and unlocking without contention allocates nothing.
//
// # How they wait
//
// Who has only the holder ahead spins for some microseconds, yields once, and parks. Everybody else parks at once: with more goroutines
// than cores, spinning takes the processor from the holder, and a goroutine that has yielded comes back behind all others that are ready,
// while one that is woken is next (letting all yield before they park made 64 goroutines 2.4 times slower here). Who unlocks hands the
// lock to the next in line, so nobody else can take it in between, and wakes it if it sleeps.
//
// A context that ends makes its waiter leave, whatever the others do: nobody behind waits for it, and the lock is never handed to one who
// has left. If the lock is handed over at the very time at which the context ends, LockContext may return nil: then the
// caller has the lock. What those who left leave behind is bounded in a CLH and an MCS by the number of those who waited at one
// time; in an Anderson and a FIFO their places are cleared when their turn comes.
//
// # When to prefer sync.Mutex
//
// In application code: nearly always. A lock that is a queue hands over to a goroutine that sleeps, and until that runs nobody is
// in. A sync.Mutex lets a goroutine that happens to run take the lock again and again (it barges), which keeps the core and the
// cache busy, and only when somebody has waited for a millisecond does it hand over too. With more goroutines than cores that wins
// by more than ten to one where the section is short:
//
//	ns per turn (unfairness)    1 goroutine   2     8             64             1000
//	sync.Mutex                  9             6     19 (358%)     14 (3504%)     15 (53517%)
//	Backoff                     7             8     8 (425%)      6 (4804%)      9 (56541%)
//	CLH                         18            34    308 (8.8%)    303 (2.3%)     316 (1.9%)
//	MCS                         10            26    320 (7.1%)    238 (2.3%)     330 (2.3%)
//	FIFO                        8             47    291 (6.1%)    292 (2.2%)     347 (2.0%)
//	Anderson                    20            131   246 (5.8%)    247 (2.2%)     342 (2.9%)
//
// A turn is Lock, an addition, Unlock, and nothing else, on a virtual machine with two cores of an
// AMD EPYC, Go 1.26: the median of five runs of a million turns of BenchmarkLock. Unfairness is
// what the goroutine with the most turns has more than the one with the fewest, in percent of the
// mean. It is what the queue is paid for: with 64 goroutines and a sync.Mutex the difference
// between the first and the last was 35 times the mean.
//
// So take a lock of this package if order itself is what is wanted: no waiter may be overtaken, the worst wait must be bounded by
// the number of those ahead, waiting must be cancellable or refusable, or an order of admission is to be tried out. And hold it for
// long compared with a wake-up (0.3 µs here), or have few contenders. For the rest there is sync.Mutex, which the runtime knows,
// profiles and reports in stack dumps.
package lock
