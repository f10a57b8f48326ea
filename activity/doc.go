// Package activity has tasks with a stack of their own: they may wait in their middle, for each
// other, for time, for futures, and they keep no processor while they wait. They are switched
// cooperatively, on the same processors that run units and free operations.
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
// A unit is best for state: its operations never wait and need no stack, and one of them costs
// about a fifth of what a wait of an activity costs. An activity is best for a course of events: a
// protocol, a session, a simulated customer, anything that reads more clearly as a loop than as a
// set of messages.
//
// # Waiting
//
// Every method that waits takes a [context.Context] first, except [Activity.Sleep], which waits
// with the activity's own context, and panics on any other goroutine. If that context, or the scope
// of the activity, is canceled, the method returns the error of the cancellation. Its other errors
// are those that its own documentation names, and those below for a caller that must not wait. An
// activity passes itself, which costs nothing; a context that is derived from it, say with a
// timeout, works too. An ordinary goroutine passes any context but nil: best that of the runtime
// ([freerun.Runtime.Context]), or one derived from it, since its wait then ends with the runtime,
// which ends the activities that would wake it. The caller is recognised by its goroutine, so an
// activity and an ordinary goroutine cannot be mistaken for each other.
//
// An operation must not wait, nor may what it calls in [freerun.Context.Block]: there these methods
// return an error that is [ErrWouldBlock]. They do so, too, in a coroutine that an activity has
// made with iter.Pull, where that can be told (amd64 and arm64 without the build tag
// freerun_portable). Have such a coroutine yield, and wait in the activity.
//
// In package freerun an activity waits with [freerun.Future.Await], which takes the activity and no
// context. For a deadline, another activity awaits the future in a scope that has that deadline.
// The waits of ordinary goroutines in package freerun (Wait of futures and scopes, Call, Quiesce,
// Shutdown, Close) return an error that is [ErrWouldBlock] in an activity, also in
// [Activity.Block]; it names what to do instead. The examples of Future.Await and Scope.Wait have a
// deadline, and show how an activity waits for a scope.
//
// # Stacks
//
// An activity has a stack, which is a goroutine's, from its beginning to its end; later activities
// use the stack again. A processor keeps up to 256 unused stacks until it goes out of service or
// the runtime ends. The goroutines of further stacks end, some of them late: Go can end a goroutine
// of iter.Pull only where iter.Pull has parked it. Because stacks switch to one another directly,
// the goroutine of another stack may be parked there instead. Then the first goroutine stays until
// that other stack runs again. So more goroutines than the kept ones remain after a burst: when
// 5000 activities had waited at the same time on two processors, 800 to 1400 were left, 512 of them
// kept. Most of the others end as later activities run. All end with the runtime, some of them
// shortly after Close has returned. No stack ends because it was unused for some time: that would
// take a timer, which would wake an idle runtime.
//
// # Synchronization: which one to choose
//
//	type       for                             admits                        a waiter gives up
//	Mutex      short sections, any contention  any running goroutine; a      the next is woken
//	                                           waiter woken 4 times without
//	                                           success is handed the lock
//	FairMutex  no waiter may be overtaken      in order, handed over         the next gets it
//	RWMutex    readers beside each other       in order; readers in a row    those behind move up
//	                                           together
//	Semaphore  permits, several at once        in order, many or few         those behind move up
//	Monitor    data with conditions to await   awaiters whose condition      it comes inside again
//	                                           holds, then in order
//	Cond       the same with a separate lock   in order                      the next is signaled;
//	                                                                         it locks again
//	Mailbox    messages, many to many, bounded in order on both sides        the next sends, or
//	                                                                         receives
//	Event      a flag that can be reset        all that came before Set      -
//	Latch      a count that reaches 0, once    all                           -
//	Barrier    rounds                          all when the last arrives     its arrival is taken
//	                                                                         back
//
// All are ready as zero values, except those that need a size ([NewSemaphore], [NewMailbox],
// [NewLatch], [NewBarrier]) and a Cond, which needs its lock. A call that need not wait costs at
// most three compare-and-swaps, more if it admits a waiter, and does not look at the context. A
// call that waits takes no lock to enter the list of waiters. What waiters that gave up leave
// behind is dropped in time and does not accumulate. For state that is only ever sent to, nothing
// fits better than a unit; for a result that comes once, nothing better than a future.
//
// In a FairMutex, and in every type that admits in order, each wait costs a switch at least: a lock
// that was handed over stays idle until its new holder runs. So on several processors, with short
// sections and many contenders, a Mutex is many times faster; on one processor it is not.
//
// # Cancellation
//
// When the scope of an activity is canceled, activities of it that have not begun do not begin. Its
// activities that wait are woken with the scope's error, and their later waits return it at once.
// Yield and Check continue: the activity decides how it ends.
//
// When a runtime gives up what has not ended (Close, or the deadline of a Shutdown), activities end
// where they wait or yield, as by [runtime.Goexit]: their deferred functions run, and nothing else.
// An activity that was just granted what it waited for, such as a lock, runs on until it waits or
// yields again.
//
// Two waits give something up meanwhile, and have it again however they end: [Cond.Wait] its lock,
// and [Monitor.Await] the inside of the monitor. An activity that is being ended there waits for
// that before its deferred functions run. So `defer l.Unlock()` unlocks what the activity has
// locked, and deferred functions may use what the lock guards. If the lock is held past the end of
// the runtime, the deferred functions run when it is unlocked, on the goroutine that unlocks it.
//
// Only these two waits take back what they gave up. A function that unlocks a lock itself, waits,
// and locks again must not defer the Unlock: an activity that is ended in that wait does not hold
// the lock, and the deferred call would unlock it for another holder, or panic. (A panic between
// the two calls does the same to a sync.Mutex.) Use a Cond, a Monitor, or two functions.
//
// # Cooperation
//
// An activity keeps its processor until it waits, yields, or has used up its quantum. Calls of
// [Activity.Check] subtract from the quantum, and yield when it is used up; `freerun build` inserts
// them. In a program of `freerun build` an activity is also preempted after about a millisecond, in
// whatever code it runs (docs/cooperation.md). So there other activities may run between any two of
// its statements, as between those of goroutines: what they share needs a lock or a unit.
//
// # What must not be done
//
// Waiting for anything that this package does not know (a channel, a lock of package sync, a system
// call that takes long) keeps a processor from working; use [Activity.Block]. In a program that
// `freerun build` has compiled, all of these are known, in all code (docs/cooperation.md).
//
// An activity that is locked to its thread, by [runtime.LockOSThread] or in a callback from C, may
// wait: it keeps the thread, and then costs as much as a goroutine. Its checks do not yield. In a
// deterministic runtime it must not wait: see [ErrThreadLocked]. A branch of a join
// ([freerun.Join]) must not wait, even if an activity has called the join.
//
// # How it works
//
// stack.go has how activities come to a stack, waiter.go how they wait, locked.go how they do that
// without a switch, and internal/sched/coroutine.go how they are switched. wait_queue.go and
// broadcast.go have the two lists of waiters: one whose waiters are admitted one after another, and
// one for something that happens once. counter.go has what most locks are. host.go has how package
// freerun runs activities. preempted.go, unaware.go and in_call.go have what programs of
// `freerun build` do besides: activities are preempted, and give their processors away where they
// block.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015 (implicit cooperation, the quantum, and switch
// finalizers: functions that run on behalf of an activity after its processor has left it). Ours:
// an activity gets a stack only when it begins, and later activities use the stack again; each
// processor has run queues of its own; activities and goroutines wait in the same way.
package activity
