// Package freerun is a lock-free runtime for programs made of many stateful things: sessions,
// accounts, rooms, order books, shards.
//
// A program declares units and operations, and sends messages. A [Unit] is state with exclusion.
// An operation ([Op]) is a function on a unit's state; a free operation ([FreeOp]) touches no
// unit. Both run to their end and never wait. A send is asynchronous and returns a [Future] at
// once. An operation that depends on a future takes it as an argument: its message is kept until
// the future has its outcome. So no goroutine ever waits inside the runtime, there are no locks
// to take in the wrong order, and operations cannot deadlock. A [Runtime] runs operations on a
// fixed number of processors, which steal work from each other.
//
//	deposit := freerun.Op("deposit", func(c *freerun.Context, a *Account, n int) (int, error) {…})
//
//	rt := freerun.New()
//	defer rt.Close()
//	acct := freerun.NewUnit(rt, Account{Owner: "ada"})
//	f := deposit.Send(rt.Context(), acct, 5)
//	balance, err := f.Wait(ctx)               // only here, outside, by an ordinary goroutine
//
// # Which form of send
//
//	                  with a future        without           where it runs
//	named operation   Operation.Send       Operation.Tell    one at a time on the unit
//	                  FreeOperation.Send   …Tell             anywhere, in parallel
//	                  Operation2.Send      …Tell             on several units at once,
//	                                                         one at a time on each;
//	                                                         also OperationAll
//	                  ReadOperation.Send                     beside other readers of the unit
//	closure           Do                                     one at a time on the unit
//	                  Go, Then, Then2, Handle                anywhere, in parallel
//	                  When2, WhenAll                         on several units at once,
//	                                                         one at a time on each
//	                  Read                                   beside other readers of the unit
//
// The verbs of the named forms, and of closures:
//
//	                Send  Tell  Call  SendAfter  Every
//	Operation       yes   yes   yes   yes        yes
//	FreeOperation   yes   yes   yes   yes        yes
//	ReadOperation   yes   -     yes   -          -
//	Operation2      yes   yes   yes   -          -
//	OperationAll    yes   yes   yes   -          -
//	closure         yes   -     -     -          free closures
//
// What is missing takes two steps: a free operation, or a closure of the function [Every], that
// sends. ReadOperation has no Tell: a read has nothing but its result, and its message, which ends
// on any processor, could not be used again. [After] is a future that time resolves.
//
// Named operations are the fast path: Send allocates once, Tell not at all. An operation that
// takes no longer than its message is declared with [SmallOp], and runs as a call while no
// processor is idle. [Forward] makes the outcome of a future that of the running operation. A
// failed future fails every message that receives it; [Handle] handles a failure inside the
// runtime. [First] is the first of several futures, [Within] one with a time limit.
//
// # Units with keys
//
// A [Kind] is a set of units, one for each key: "one at a time for each key, in parallel for
// different keys". [NewKind] declares it with the function that makes a state, and [Kind.At]
// returns the unit of a key. A state is made by the first message, and dropped when the unit is
// idle ([PassivateAfter]), when too many are active ([MaxActive]), or at [Kind.Stop]; [OnStop]
// saves it before.
//
//	var rooms = freerun.NewKind("room", open, freerun.PassivateAfter(time.Minute))
//
//	f := say.Send(c, rooms.At(c, "r42"), "hello")
//
// [NewKeyed] makes a pool of it: jobs with keys, in order for each key.
//
// # The life of units
//
// [Suspend] has a unit lie still until a future has an outcome, [Retire] takes the state out of one
// that is not in use, and [OnIdle] tells when one is. [Stop] ends a unit in its turn, after the
// function of [OnEnd], and what comes later fails with [ErrStopped]. [Watch] is a future of the
// end, whatever its reason. A unit that panics may be restarted ([RestartOnPanic]), at once or
// after a [BackOff]; [CancelsScope] ends a scope with it.
//
// # Scopes, priorities, time
//
// A message that is sent through a [Context] belongs to the context's [Scope] and has its priority.
// So do all messages that follow from it. [Runtime.Scope] makes a scope, [Context.WithScope] leads
// into one, [Context.WithPriority] gives another priority. [Scope.Wait] waits until all messages of
// a scope are done, and returns the first failure with the chain of operations that sent it.
// [Scope.Cancel], or the end of the context with which the scope was made, fails what has not
// started; operations that run see it as the end of their context.
//
// A processor runs messages of [High] before others, and those of [Low] and [Idle] when there is
// nothing better, except for a turn now and then. Within one unit a higher priority overtakes. A
// unit can have a priority of its own ([UnitPriority]).
//
// [After], [Operation.SendAfter] and [Every] follow the clock; a [Timer] either fires or is
// stopped. Timers end with their scope, and with the runtime: a shutdown does not wait for them.
// In a testing/synctest bubble they follow the bubble's time.
//
// A [MailboxLimit] bounds what waits for a unit. Through [Context.NoWait] no send waits for room,
// and [Room] is a future of it.
//
// # Around operations
//
// [Intercept] and [InterceptAll] call functions around operations. [Context.WithValue] gives values
// to all that is sent through a context, and [CarryValues] takes some along from others.
//
// # Fork and join
//
// One operation may compute in parallel. Its results are there when the call returns, and no
// message is sent:
//
//	Join            two closures; [ForkFunc.Join] is the fast path, for a function that is
//	                declared with [NewForkFunc], on two arguments
//	For, ForRange   a loop over indices, split as far as processors ask for parts; ForRange in
//	                pieces of a given size
//	Reduce          a loop with a result, combined in the order of the indices
//
// They nest in each other to any depth. A fork that no other processor takes costs a few
// nanoseconds and allocates nothing. While a branch is with another processor, its joiner helps
// with the branch's own forks, or leaves its processor to others: a join keeps no processor from
// working. A branch that panics makes its join panic with a [*PanicError], after all branches
// have ended. The branches of an operation on a unit run at the same time: a part of the unit's
// state that one of them writes, no other may touch.
//
// # Contracts
//
//  1. Exclusion. At most one operation of a unit runs at any time, and each sees all that the
//     earlier ones wrote. Operations that only look ([Read], [ReadOp]) may run beside each other,
//     never beside an operation that may write.
//  2. Order. Messages to one unit run in the order in which they became ready. Messages that are
//     ready when sent run in the order sent, within one priority, wherever one send returned
//     before the other began. A message that waits for futures becomes ready when the runtime
//     comes to it after the last of them was resolved: a message sent in that moment may come
//     before it. A message to several units ([When2], [WhenAll], [Op2]) comes into the order of
//     all of them at one instant.
//  3. Exactly once. A message is run once, or its future fails with a named error: [ErrClosed],
//     [ErrCanceled], [ErrFull], [ErrStopped], [ErrInUse], [ErrCycle], [ErrOtherRuntime],
//     [ErrSameUnit], a [*PanicError], an [*ArgumentError] or an [*ActivationError]. Nothing is
//     lost, and no future stays open for ever. Tell returns an error when it is refused; later
//     failures of a message without a future are counted in [Stats], logged, and told to the hook
//     of [OnLost]. The log has at most one a second of these.
//  4. Forward only. An operation starts when every future that can be reached from its argument
//     has an outcome; a result that holds futures counts as an outcome when they have theirs. A
//     failed future fails the messages that received it without running them, with an error that
//     errors.Is matches and that tells the chain of sends. A wait for an open future inside an
//     operation is refused with [ErrWouldBlock]. A result that comes to wait for itself fails
//     with [ErrCycle]. Operations on several units do not deadlock, in whatever order the units
//     are given.
//  5. Work conserving. While work is queued and a processor is parked, at least one processor is
//     searching or being woken, and with more work more of them. There is one exception: the
//     unit in the slot of a running processor wakes no other processor until the running
//     operation has kept it waiting for a millisecond or two
//     ([github.com/freerun-go/freerun/internal/sched.SlotPatience]). So two units that talk to
//     each other stay on one core. Of a processor's forks the oldest part is open to the others;
//     when one of them has taken it, the next oldest is, from the next fork, join or index on.
//  6. Fair. A unit with a full mailbox does not starve others, nor does a pair of units that keep
//     each other busy, nor a tree of free operations. Low priorities move under any flood of
//     higher ones. Operations that look at a unit and operations that write to it do not starve
//     each other. A busy processor lets the program's ordinary goroutines run about every 45 µs,
//     and those that wait for the network about every 200 µs. One whose wait an operation or an
//     activity has ended comes sooner, mostly within some microseconds.
//  7. Isolation of faults. A panic, or runtime.Goexit, fails the future of that operation and is
//     reported at once through log/slog with its stack. The unit goes on with its next message:
//     with the state that it has, or as [RestartOnPanic] and [StopOnPanic] say. A restart that
//     waits ([BackOff]) fails no message. No library survives the faults for which Go itself ends
//     the process: a concurrent map write, a stack overflow, no memory.
//  8. Shutdown. [Runtime.Shutdown] refuses new messages from outside, runs what is queued, and
//     returns when the work is done. Past its deadline, messages that have not started fail with
//     ErrClosed, and an operation that does not return is named in the error.
//  9. Frugal. An idle runtime uses no CPU. A processor without work begins to search only while
//     fewer than half as many search as work, or none does, and parks after three looks.
//  10. Cost. Tell allocates nothing in steady state. Send allocates at most once, besides what
//     the argument itself allocates, and what its scan allocates where interfaces or maps in it
//     hold futures. An idle unit costs 88 bytes beside its state. The argument of an operation is
//     dropped before its future is resolved.
//
// # What the scan of an argument looks into
//
// The scan looks for futures in struct fields, exported or not, arrays, slices, maps, pointers,
// and the contents of interfaces; values may lead back to themselves. It does not look into
// units, runtimes, operations, contexts, channels and functions, nor into the types of sync and
// sync/atomic and structs that have a field of those two packages: state that a mutex guards is
// not read without the mutex. A value that cannot hold a future by its type costs nothing.
// Everything that an argument leads to is read again, on other goroutines, until the message is
// run: until then do not write to maps in it, or to anything else in it that may hold a future by
// its type.
package freerun
