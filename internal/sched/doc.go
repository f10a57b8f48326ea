// Package sched is a work-stealing scheduler: it runs [Task]s on a number of processors, each with queues of its own. A
// processor is not its goroutine, which is a [Host]: a task that must block leaves its processor ([Processor.Leave]), and one
// that must wait for others in its middle waits for a [Strand]; both keep no processor from working. No other task may wait.
//
// A processor has five places that tasks wait in:
//
//	slot    the one task to run next (PushNext); nobody else is woken for it, and thieves may take it only when
//	        the running task has kept it waiting for SlotPatience
//	ring    first in first out (PushBack); thieves take half of it
//	deque   last in first out (Push); thieves take the oldest
//	offer   the oldest part of the running task that others could do; only thieves take from it ([Offer])
//	share   a part of the inbox, which tasks from outside (Inject) and what overflows a ring come through
//
// There are four priorities, each with a ring, a deque and an inbox of its own. High comes before Normal, Normal before Low, and Low
// before Idle, on all processors together: a task of High, wherever it is queued, is what a busy processor runs next, or next but one;
// one that has nothing better than Low asks others first. Lower levels have a turn in 8, 32 and 256 steps, so they move under any flood.
//
// A processor without work searches the others, then parks; gate.go has the protocol that loses no wake-up. Guarantees:
// while a task is queued (but for a slot, as above) and a processor is parked, one processor searches or is being woken;
// no more than one searches; every queued task is run in a bounded number of steps of some processor, whatever else is
// queued; a processor whose tasks call [Processor.Spend] lets Go run other goroutines about every 50 µs, however busy it is; a
// parked scheduler uses no CPU and has no timer running. Processors park on a channel, so a scheduler made in a
// testing/synctest bubble is durably blocked when it is idle.
//
// Tasks do not start goroutines, and are not moved from theirs once they run. Queueing allocates nothing.
//
// With [Config.Choose] a scheduler is deterministic: the same code runs on one goroutine, in an order that is chosen from outside, so
// that every schedule can be drawn from a seed and replayed; driver.go says how.
//
// Source: R. Blumofe and C. Leiserson, Scheduling Multithreaded Computations by Work Stealing, J. ACM 1999; L. Quirk,
// Ownership of a queue for practical lock-free scheduling, 2008; the schedulers of Go and Tokio for slot, ring and
// parking.
package sched
