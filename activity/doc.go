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
// All that waits takes a [context.Context] first and returns an error only if that, or the scope of
// the activity, is canceled. An activity passes itself, which costs nothing; a context that is
// derived from it, say with a timeout, works too. An ordinary goroutine passes any. Which of the
// two the caller is, is found from its goroutine, so neither can be mistaken. Inside an operation
// of a unit all that would wait returns [ErrWouldBlock] instead, and so it does in a coroutine that
// an activity has made with iter.Pull, where that can be told (amd64 and arm64 without the build
// tag freerun_portable): the coroutine yields, and the activity waits.
//
// What package freerun has for activities takes the activity itself: [freerun.Future.Await] waits
// for a future. It has no context of its own; a deadline for it is that of a scope in which another
// activity awaits. The waits of ordinary goroutines there (Wait of futures and scopes, Call,
// Quiesce, Shutdown, Close) return an error that is freerun.ErrWouldBlock in an activity, also in
// [Activity.Block]; it names what to do instead. The examples of Future.Await and Scope.Wait have a
// deadline, and how an activity waits for a scope.
//
// # Stacks
//
// An activity has a stack, which is a goroutine's, from its beginning to its end, and the next ones
// use it again. A processor keeps up to 256 that no activity has, until it goes out of service or
// the runtime ends. The goroutines of stacks beyond those end, some of them late: stacks are switched
// to one another directly, and one that is over stays until the stack that sleeps in its place runs
// again. So a burst leaves more: 5000 activities that waited at a time left 800 to 1400 goroutines on
// two processors, 512 of them kept. Later activities end most of the others, and the end of the
// runtime all, some in the moments after Close has returned. Nothing ends any by time: that would
// take a timer, and wake a runtime that is idle.
//
// # Synchronization: which one to choose
//
//	type       for                                       who is admitted                         given up meanwhile
//	Mutex      short sections, however many contend      who is there; after a few vain wakes    the next is woken
//	                                                     the one who has waited longest
//	FairMutex  nobody may be overtaken                   in order, handed over                   the next gets it
//	RWMutex    readers beside each other                 in order; readers in a row together     those behind move up
//	Semaphore  a number of units, several at once        in order, also who wants many           those behind move up
//	Monitor    data that one awaits conditions on        who awaits what holds, then in order    it comes inside again
//	Cond       the same with a lock of one's own         in order of waiting                     the next is signaled; locks again
//	Mailbox    messages from many to many, with a bound  in order on both sides                  the next sends, or receives
//	Event      a flag that can be reset                  all who came before Set                 -
//	Latch      what comes to its end once                all                                     -
//	Barrier    rounds                                    all when the last has come              its arrival is taken back
//
// All are ready as zero values but those that need a size: [NewSemaphore], [NewMailbox], [NewLatch], [NewBarrier]; a Cond needs its lock. What need not wait is one
// to three compare-and-swaps, and does not look at the context. What waits enters a list without a lock, and whoever has given up leaves nothing behind that
// grows. Nothing fits better for state that is only ever sent to than a unit, and for a result that comes once, than a future.
//
// In a FairMutex, and in whatever admits in order, each turn that was waited for costs a switch at least, since what is handed over stands still until the one who
// gets it runs. So with short sections and many who contend a Mutex is several times faster.
//
// # Cancellation
//
// When the scope of an activity is canceled, activities of it that have not begun are not begun; those that wait are woken, with the scope's error, and whatever they
// would wait for from then on returns it at once. Yield and Check go on: it is up to the activity how it ends. When a runtime gives up what has not ended
// (Close, or the deadline of a Shutdown), activities end where they wait or yield, as by [runtime.Goexit]: what they have deferred is run, and nothing else. An activity
// that was just granted what it waited for, a lock say, goes on to where it would wait next.
//
// A wait that gives something up meanwhile has it again however it ends: [Cond.Wait] its lock, and
// [Monitor.Await] the inside of the monitor. An activity that is being ended there waits for that
// before its deferred functions run; so `defer l.Unlock()` unlocks what the activity has locked, and
// deferred functions may use what the lock guards. If the lock is held past the end of the runtime,
// the deferred functions run when it is unlocked, on the goroutine that unlocks it.
//
// Other locks do not know by whom they are held. A function that unlocks in its middle, waits, and
// locks again must not have deferred the Unlock, as with a panic and package sync: an activity that is
// ended in such a wait does not have the lock. Use a Cond, a Monitor, or two functions.
//
// # Cooperation
//
// An activity keeps its processor until it waits, yields, or has used up its quantum, which it tells [Activity.Check]. `freerun build` inserts those calls.
//
// # What must not be done
//
// Waiting for anything that this package does not know (a channel, a lock of package sync, a system call that takes long) keeps a processor from working; use
// [Activity.Block]. An activity that is locked to its thread, by [runtime.LockOSThread] or in a callback from C, may wait: it keeps the thread, and costs as much as a goroutine then.
// Checks do not yield there. In a deterministic runtime it must not wait: see [ErrThreadLocked]. A branch of a join ([freerun.Join]) must not wait
// as an activity.
//
// # How it works
//
// stack.go has how activities come to a stack, waiter.go how they wait, locked.go how they do that without a switch, and internal/sched/coroutine.go how they are switched. line.go and crowd.go have the two lists that they wait
// in: those who are admitted one after another, and those who wait for something that happens once; quota.go has what most locks are.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015 (implicit cooperation, the
// quantum, switch finalizers). Ours: stacks that come late and are used one after another, run queues of each processor, one way of waiting for activities and goroutines.
package activity
