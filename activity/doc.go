// Package activity has tasks with a stack of their own: they may wait in their middle, for each other, for time, for futures, and do so without keeping a
// processor. They are switched cooperatively, on the same processors that run units and free operations.
//
//	rt := freerun.New()
//	defer rt.Close()
//	activity.Go(rt, func(a *activity.Activity) {
//		for order := range orders(a) {
//			balance, err := deposit.Send(freerun.ContextOf(a), account, order.Amount).Await(a)
//			...
//		}
//	})
//
// # When to use which
//
// A unit is best for state: its operations never wait, need no stack, and cost a tenth of a switch. An activity is best for a course of events: a protocol, a session, a
// simulated customer, anything that reads more clearly as a loop than as a set of messages.
//
// # Waiting
//
// All that waits takes a [context.Context] first and returns an error only if that, or the scope of the activity, is canceled. An activity passes itself, which
// costs nothing; a context that is derived from it, say with a timeout, works too. An ordinary goroutine passes any. Which of the two the caller is, is found
// from its goroutine, so neither can be mistaken. Inside an operation of a unit all that would wait returns [ErrWouldBlock] instead.
//
// # Cancellation
//
// When the scope of an activity is canceled, activities of it that have not begun are not begun; those that wait are woken, with the scope's error, and whatever they
// would wait for from then on returns it at once. Yield and Check go on: it is up to the activity how it ends. When a runtime gives up what has not ended
// (Close, or the deadline of a Shutdown), activities end where they wait or yield, as by [runtime.Goexit]: what they have deferred is run, and nothing else.
//
// # Cooperation
//
// An activity keeps its processor until it waits, yields, or has used up its quantum, which it tells [Activity.Check]. `freerun build` inserts those calls.
//
// # What must not be done
//
// Waiting for anything that this package does not know (a channel, a lock of package sync, a system call that takes long) keeps a processor from working; use
// [Activity.Block]. [runtime.LockOSThread] must not be held across anything that waits: Go ends the program. A branch of a join ([freerun.Join]) must not wait
// as an activity.
//
// # How it works
//
// stack.go has how activities come to a stack, waiter.go how they wait, and sched/coroutine.go how they are switched.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015 (implicit cooperation, the
// quantum, switch finalizers). Ours: stacks that come late and are used one after another, run queues of each processor, one way of waiting for activities and goroutines.
package activity
