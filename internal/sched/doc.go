// Package sched is a work-stealing scheduler. It runs tasks ([Task]) on processors
// ([Processor]), each with its own queues. It is the engine of package freerun; nothing in it is a
// promise to users.
//
// A processor is not a goroutine. The goroutine that runs its tasks is a [Host], and a processor
// can change hosts. A task that must block gives its processor away first ([Processor.Leave]); a
// task that must wait in its middle for another task waits in a [Suspension]. In both cases the
// processor goes on with other tasks on another host. A task must not block in any other way.
//
// # The life of a task
//
//	queued  by Inject from outside, or by Push, PushBack,     scheduler.go
//	        PushNext or Hand on a processor                   processor.go, level.go
//	found   its processor picks it by priority and age        pick.go, turns.go
//	        or a processor without work steals it             steal.go
//	        or a parked processor is woken for it             parking.go
//	run     the host calls Kind.Run on its own goroutine      host.go
//	waits   the task gives its processor away, and may        leave.go
//	        get one back                                      suspension.go
//	        or is suspended with the coroutine it runs on     coroutine.go, switch.go
//	over    Kind.Run has returned: the scheduler holds no reference to the task
//
// Tasks start no goroutine, and a task stays on its goroutine once it runs. Queueing allocates
// nothing.
//
// # Where a task waits
//
//	slot    the one task to run next (PushNext). No processor is woken for it, and thieves may
//	        take it only when the running task has kept it waiting for SlotPatience
//	ring    first in, first out (PushBack); thieves take half of it
//	deque   last in, first out (Push); thieves take the oldest. Of several that are woken one
//	        after another (PushWoken), all but the newest, which is in the slot
//	offer   the oldest part of the running task that others could do; only thieves take it
//	share   a part of the inbox, through which come injected tasks and the overflow of rings
//
// There are four priorities ([Priority]). Each has its own ring, deque and inbox. They hold for
// all processors together: a busy processor runs a task of High next, or next but one, wherever it
// is queued. A processor that has nothing better than Low probes others for something better
// first. Lower priorities get a turn in 8, 32 and 256 operations, so they advance under any flood.
//
// # Protocols
//
//	parking.go       no task stays queued while processors sleep: S1–S2, F1–F2, P1–P4, W1–W2
//	spare.go         how a processor finds a new host: V1–V4, T1–T2
//	suspension.go    how a task waits in its middle: W1–W4, R1–R2, G1–G2
//	resize.go        how the number of processors changes: L1–L4, Y1–Y5, X1–X4, B1–B3
//	stop.go          how the scheduler ends
//	switch.go        how goroutines are switched; coroutine_end.go has how they end: E1–E4, W1–W2
//	stand_in.go      how another goroutine takes the place of a coroutine's own
//	ring.go slot.go board.go    the shared structures; package deque has the deque
//	poll.go          why sockets are served while every processor is busy: E1–E3
//	driver.go        how a schedule is chosen from outside, and replayed
//
// # Guarantees
//
//	While a task is queued (except in a slot, see above) and a processor is parked, one processor
//	searches or is being woken. About half as many search as work; parking.go has the bounds.
//	Every queued task is run within a bounded number of steps of some processor, whatever else is
//	queued.
//	A processor whose tasks call [Processor.Spend] lets Go run other goroutines about every 50 µs,
//	and those that its tasks wake, and say so ([NoteWoken]), within some microseconds.
//	A parked scheduler uses no CPU and has no timer running.
//
// Processors park on a channel, so an idle scheduler that was made in a testing/synctest bubble is
// durably blocked.
//
// With [Config.Choose] a scheduler is deterministic: the same code runs on one goroutine, in an
// order chosen from outside, so every schedule can be drawn from a seed and replayed.
//
// Source: R. Blumofe and C. Leiserson, Scheduling Multithreaded Computations by Work Stealing, J.
// ACM 1999; L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008; the
// schedulers of Go and Tokio for slot, ring and parking.
package sched
