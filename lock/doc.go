// Package lock has mutual exclusion locks that are queues: the first to come is the first to get
// in. Each is a [sync.Locker] with two more methods: TryLock, which never waits, and LockContext,
// which waits until a context ends (docs/adr/0048 says why both). A lock may be unlocked by another
// goroutine than the one that locked it. Unlocking a lock that is not locked panics. The locks park
// goroutines; activities use the locks of package activity.
//
// # Which one to choose
//
//	type        admits               places              a waiter that gives up
//	sync.Mutex  any running one      unbounded           cannot
//	MCS         in order             unbounded           leaves a node, swept later
//	CLH         in order             unbounded           is out of the queue at once
//	Anderson    in order             fixed               keeps the place until its turn
//	FIFO        as its queue says    those of the queue  stays in it until its turn
//	Backoff     any running one      unbounded           is gone at once
//
// MCS is for long queues on many cores, and CLH for the same where many waiters give up. Anderson
// refuses waiters beyond a number. FIFO admits in an order of the program's own. Backoff is for
// sections far shorter than a wake-up. For nearly everything else take a sync.Mutex: see below.
//
// MCS, CLH, FIFO and Backoff are ready as zero values; [NewAnderson] makes an Anderson and
// [NewFIFO] a FIFO with a given queue. None must be copied after first use. Locking and unlocking
// without contention allocates nothing.
//
// # How they wait
//
// A waiter with only the holder ahead spins for some microseconds, yields once, and parks. All
// others park at once. With more goroutines than cores, spinning takes the processor from the
// holder, and a goroutine that has yielded comes back behind all others that are ready, while one
// that is woken is next (letting all yield before they park made 64 goroutines 2.4 times slower
// here). Unlock hands the lock to the next waiter, so that no other goroutine can take it in
// between, and wakes that waiter if it sleeps.
//
// A waiter whose context ends leaves, whatever the others do: no waiter behind it is delayed, and
// the lock is never handed to a waiter that has left. If the lock is handed over at the very time
// at which the context ends, LockContext may return nil: then the caller has the lock. The nodes of
// waiters that gave up are bounded in a CLH and an MCS by the number of waiters at one time; in an
// Anderson and a FIFO such places are cleared when their turn comes.
//
// # When to prefer sync.Mutex
//
// In application code: nearly always. A lock that is a queue hands over to a goroutine that
// sleeps, and until that runs the lock stands still. A sync.Mutex lets a running goroutine take
// the lock again and again (it barges), which keeps the core and the cache busy, and hands over
// only after a waiter has waited for a millisecond. With more goroutines than cores that wins by
// more than ten to one where the section is short:
//
//	ns per turn (unfairness)  1 goroutine  2    8           64           1000
//	sync.Mutex                9            6    19 (358%)   14 (3504%)   15 (53517%)
//	Backoff                   7            8    8 (425%)    6 (4804%)    9 (56541%)
//	CLH                       18           34   308 (8.8%)  303 (2.3%)   316 (1.9%)
//	MCS                       10           26   320 (7.1%)  238 (2.3%)   330 (2.3%)
//	FIFO                      8            47   291 (6.1%)  292 (2.2%)   347 (2.0%)
//	Anderson                  20           131  246 (5.8%)  247 (2.2%)   342 (2.9%)
//
// A turn is Lock, an addition, Unlock, and nothing else, on a virtual machine with two cores of an
// AMD EPYC, Go 1.26: the median of five runs of a million turns of BenchmarkLock. Unfairness is
// the difference between the goroutine with the most turns and the one with the fewest, in percent
// of the mean. A queue costs time and buys fairness: with 64 goroutines and a sync.Mutex the
// difference between the first and the last was 35 times the mean.
//
// So take a lock of this package if order itself is wanted: no waiter may be overtaken, the worst
// wait must be bounded by the number of waiters ahead, waiting must be cancellable or refusable,
// or an order of admission is to be tried out. Hold it for long compared with a wake-up (0.3 µs
// here), or have few contenders. For the rest there is sync.Mutex, which Go's runtime knows,
// profiles and reports in stack dumps.
package lock
