// Package simhost is the protocol through which the packages freeruntest, simulate and
// cluster/clustertest decide what happens next in a deterministic runtime of package freerun.
//
// Programs choose among schedules by a seed ([freerun.Deterministic]). These packages bring
// schedules of their own. They meet package freerun here, so that the protocol is no promise to
// programs, and can change with the scheduler.
//
//	freerun      freeruntest, simulate, clustertest
//	Provide  ──→ Option                 how a runtime gets a Schedule
//	Schedule ←── the schedule           called at each step of the runtime
package simhost

import "time"

// Schedule decides what happens next in a deterministic runtime. One goroutine at a time calls its
// methods; they must not use the runtime.
type Schedule interface {
	// Choose returns the index in ready of the processor that goes on. ready has the numbers of the
	// processors that can, in rising order. A [Timed] schedule may choose outside goroutines, too.
	Choose(ready []int) int
	// Began tells that a processor begins to run an operation: the operation's name, or that of its
	// function.
	Began(processor int, operation string)
}

// Limited is a [Schedule] of a run that may have to end early.
type Limited interface {
	Schedule
	// Over returns why the run is to end: what waits in an ordinary goroutine fails with that
	// error, which then says who waits besides. It returns nil while the run may go on. The driver
	// asks between any two steps.
	Over() error
}

// Timed is a [Schedule] that simulates how long the program would take (package simulate). Such a
// schedule keeps the time, and is told of what takes time.
//
// The runtime calls Choose at every instant at which other processors may see what a processor has
// done, before they do. So the schedule can let processors that are behind go on first. Processors
// are given by their numbers; units by a pointer that stands for them, nil for none; messages and
// activities by a pointer.
type Timed interface {
	Schedule
	// Now returns how much time has passed.
	Now() time.Duration
	// Outside reports whether the time of goroutines outside is simulated, too. They have the
	// numbers that follow those of the processors; the one that has made the runtime has the first.
	// Choose chooses among all, and Sends tells of their sends. They pause at each send and where
	// they read the time, and wait where ordinary goroutines do. The runtime calls Outside once.
	// start starts another one. wait waits for its end, and returns an error if that never comes.
	// Such goroutines alone may call these. abandon ends those that have not ended, where they
	// wait; the one that has made the runtime calls it when that is closed.
	Outside(start func(f func()) (wait func() error), abandon func()) bool
	// Refuse tells that the program does what cannot be simulated, and why. The run goes on, and
	// its times mean nothing.
	Refuse(why error)
	// Enter tells that an ordinary goroutine begins to wait, and so to drive the runtime. If the
	// time of such goroutines is not simulated, then all that it has sent since its last wait
	// counts as sent now: no processor may be earlier than this instant.
	Enter()
	// Idle lets time pass until an instant, unless that has passed. Nothing is left to run.
	Idle(until time.Duration)
	// On tells, after Began, which unit the operation is on, by which message, and whether its
	// result has a future.
	On(processor int, unit, message any, answers bool)
	// Sends tells that the running operation, or the goroutine outside of that number, is about to
	// send a message to a unit. Choose comes next. message is nil for a promise, which is not
	// queued. A message is told of at most once until On or Drops tells of it.
	Sends(processor int, unit, message any)
	// Drops tells that a message ends without being run, as it was refused, or canceled, or its
	// argument failed. Sends need not have told of it.
	Drops(message any)
	// Ends tells that the running operation has come to its end, before any other processor sees
	// that. Choose comes next.
	Ends(processor int)
	// Forks tells that the running operation, or a stolen branch, is at a fork or a join. Choose
	// comes next.
	Forks(processor int)
	// Rests tells that a processor has no task at hand. Until the next Began it looks elsewhere, or
	// sleeps.
	Rests(processor int)
	// Stole tells that a thief has stolen from a victim, and how many units and free operations the
	// thief has stolen so far.
	Stole(thief, victim int, tasks uint64)
}

// World is a [Timed] schedule that also simulates what is around the program, as a disk, and that
// may end the process in the middle.
type World interface {
	Timed
	// Surround is called once, when the runtime is made. after calls f once d has passed, also
	// while the runtime drains: between two steps of the program, and no operation runs on f's
	// goroutine. f may do what any goroutine may, but wait. crash ends the process: no operation
	// begins any more, and no wait goes on; those fail with freerun.ErrClosed, and so do sends. An
	// operation that runs goes on to its end when the runtime is closed, which must follow. Choose,
	// and f, may call crash.
	Surround(after func(d time.Duration, f func()), crash func())
}

// provided is a func(Schedule) O. Provide alone writes it, during initialization.
var provided any

// Provide sets the function behind Option. Package freerun calls it once, when it is initialized.
func Provide[O any](option func(s Schedule) O) { provided = option }

// Option returns the option that makes a runtime deterministic, under schedule s. O is
// [freerun.Option]: this package lies below package freerun and cannot name it.
func Option[O any](s Schedule) O { return provided.(func(s Schedule) O)(s) }
