package sched

// Tasks of a deterministic scheduler that wait for what only trying tells: a lock of package sync,
// a channel. They know of no one who would wake them.
//
// Sketch:     a task that has tried in vain waits, in no queue; the driver wakes all such tasks
//             when something else has run, for what they want may be there now; each tries again
// Invariants: T1 A task that waits has tried since anything ran that may have changed the outcome,
//             or the driver wakes it before it chooses again. So no wake-up is lost.
//             T2 A try in vain changes nothing, so it wakes nobody. If all that is left are such
//             tasks, they have tried in vain each, and then nothing is left to run: under every
//             kind of schedule, and in as many steps as there are tasks.
// Checked by: TestTries; of package main TestUnaware, TestUnawareExplored, TestUnawareStalls

// tries are the tasks of a driver that wait so, known by their pointers.
type tries[T comparable] struct {
	waiting []try[T]   // in the order in which they began to wait
	woken   map[T]bool // those that have been woken, and have not come to try
	// ran is whether anything has run since those that wait were woken last, but for tries in vain.
	ran bool
	// moved is the same since InVain was called last, but for the goroutine that drives.
	moved bool
	// The latest task that came to try, at which choice of the driver's, and what ran and moved
	// were before.
	last                   T
	at                     uint64
	ranBefore, movedBefore bool
	choices                uint64
}

// try is a task that waits.
type try[T comparable] struct {
	task T
	wake func()
}

// resumed notes that the task t has begun, or goes on in its middle.
func (x *tries[T]) resumed(t T) {
	if len(x.woken) == 0 || !x.woken[t] {
		x.ran, x.moved = true, true
	}
}

// areDue reports whether there are tasks to be woken.
func (x *tries[T]) areDue() bool { return x.ran && len(x.waiting) > 0 }

// wakeDue wakes those that are to be woken. By the driver.
func (x *tries[T]) wakeDue() {
	if x.areDue() {
		x.wake()
	}
	x.ran = false
}

// wake wakes all that wait.
func (x *tries[T]) wake() {
	x.ran = false
	waiting := x.waiting
	x.waiting = nil
	for _, w := range waiting {
		if x.woken == nil {
			x.woken = map[T]bool{}
		}
		x.woken[w.task] = true
		w.wake()
	}
}

// begins notes that t is about to try for the first time: what it has run before may be of use to
// others.
func (x *tries[T]) begins(t T) {
	if x.last == t {
		x.last = *new(T)
	}
}

// comes notes that t, which was woken, is about to try again.
func (x *tries[T]) comes(t T) {
	delete(x.woken, t)
	x.last, x.at, x.ranBefore, x.movedBefore = t, x.choices, x.ran, x.moved
	x.ran, x.moved = true, true // if it succeeds
}

// fails notes that t has tried in vain.
func (x *tries[T]) fails(t T) {
	if x.last == t && x.at == x.choices {
		x.ran, x.moved = x.ranBefore, x.movedBefore
	}
}

// inVain is [Scheduler.InVain].
func (x *tries[T]) inVain() (some, all bool) {
	some, all = len(x.waiting) > 0, !x.moved
	x.moved = false
	return some, all
}
