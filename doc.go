// Package freerun is a lock-free runtime for programs made of many stateful things: sessions, accounts, rooms, order books,
// shards.
//
// A program declares units and operations, and sends messages. A [Unit] is state with exclusion. An operation ([Op]) is a
// function on a unit's state, a free operation ([FreeOp]) one that touches no unit; both run to their end and never wait. To send is
// asynchronous and returns a [Future] at once. What depends on a future takes it as an argument: the message is
// held back until the future has its outcome. So no goroutine ever waits inside the runtime, there are no locks to hold in the
// wrong order, and operations cannot deadlock. A [Runtime] runs them on a fixed number of processors, which steal
// work from each other.
//
//	rt := freerun.New()
//	defer rt.Close()
//	acct := freerun.NewUnit(rt, Account{Owner: "ada"})
//	f := deposit.Send(rt.Context(), acct, 5)      // deposit = freerun.Op("deposit", func(c, *Account, int) (int, error) {…})
//	balance, err := f.Wait(ctx)                   // only here, at the border, by an ordinary goroutine
//
// # Which form of send
//
//	                  with a future        without           where it runs
//	named operation   Operation.Send       Operation.Tell    one at a time on the unit
//	                  FreeOperation.Send   …Tell             anywhere, in parallel
//	                  Operation2.Send      …Tell             on several units at once, one at a time on each;
//	                                                         also Operation3, OperationAll
//	                  ReadOperation.Send                     beside others that only look at the unit
//	closure           Do                                     one at a time on the unit
//	                  Go, Then, Then2, Settle                anywhere, in parallel
//	                  When2, When3, WhenAll                  on several units at once, one at a time on each
//	                  Read                                   beside others that only look at the unit
//
// Named operations on one unit, or none, can be sent later (SendAfter) and again and again (Every), closures again and again (the function [Every]); [After]
// is a future that time resolves.
//
// Named operations are the fast path: Send allocates once, Tell not at all; one that takes no longer than its message is declared with
// [SmallOp], and run as a call while nobody is idle. [Forward] hands the outcome of a future on as that of
// the running operation. A failed future fails all that receive it; [Settle] is where a failure is handled inside the runtime.
//
// # Scopes, priorities, time
//
// What is sent through a [Context] belongs to the context's [Scope] and has its priority, and so does all that follows from it. [Runtime.Scope]
// makes a scope, [Context.In] leads into one, [Context.With] gives another priority. [Scope.Wait] waits until all of a scope is done, and tells the
// first failure with the chain of operations that sent it; [Scope.Cancel], or the end of the context that the scope was made with, fails what
// has not started, and is seen by operations as their context's end.
//
// A processor runs messages of [High] before others, those of [Low] and [Idle] when there is nothing better, but for a turn now and then. Within one
// unit a higher priority overtakes. A unit can have a priority of its own ([UnitPriority]).
//
// [After], [Operation.SendAfter] and [Every] follow the clock; a [Timer] either fires or is stopped. Timers end with their scope, and with the
// runtime: a shutdown does not wait for them. In a testing/synctest bubble they follow the bubble's time.
//
// # Fork and join
//
// What one operation computes may be made parallel, with results that are there when the call returns, and nothing sent:
//
//	Join, Join3        two or three closures; Branch.Join for a function declared with Fork, on two arguments: the fast path
//	For, ForRange      a loop over indices, split as far as processors ask for parts; ForRange in pieces of a given size
//	Reduce, Map        a loop with a result, combined in the order of the indices; each item of a slice
//
// They nest in each other to any depth. A fork that nobody takes costs a few nanoseconds and allocates nothing. While a branch is with another
// processor, its joiner helps with what it forks, or leaves its own processor to others, so waiting keeps nobody from working. A branch that panics
// makes its join panic with a [*PanicError], after all branches have ended. The branches of an operation on a unit run at the same
// time: what one of them writes of the unit's state, no other may touch.
//
// # Contracts
//
//  1. Exclusion. At most one operation of a unit runs at any time, and each sees all that the earlier ones wrote. Those that only look
//     ([Read], [ReadOp]) may run beside each other, never beside one that may write.
//  2. Order. Messages to one unit run in the order in which they became ready; those ready when sent, in the order sent, within one
//     priority, wherever one send returned before the other began. A message that waits for futures becomes ready when the runtime comes to it after the
//     last of them was resolved: what is sent in that moment may come before it. A message to several units ([When2], [WhenAll], [Op2])
//     comes into the order of all of them at one instant.
//  3. Exactly once. A message is run once, or its future fails with a named error ([ErrClosed], [ErrCanceled], [ErrFull], [ErrStopped], [ErrCycle], [ErrOtherRuntime],
//     [ErrSameUnit], a [*PanicError] or an [*ArgumentError]). Nothing is lost, no future stays open for ever. Tell returns an error when it
//     is refused; later failures of what has no future are counted in [Stats] and logged.
//  4. Forward only. An operation starts when every future that can be reached from its argument has an outcome; a result that
//     holds futures counts as one when they have theirs. A failed future fails what received it without running it, with
//     an error that errors.Is matches and that tells the chain of sends. To wait on an open future inside an operation is refused
//     with [ErrWouldBlock]. A result that comes to wait for itself fails with [ErrCycle]. Operations on several units do not deadlock, in whatever order
//     the units are given.
//  5. Work conserving. While work is queued and a processor is parked, one processor is searching or being woken. The one unit in
//     the slot of a running processor wakes nobody until the running operation has kept it waiting for a millisecond or
//     two ([github.com/freerun-go/freerun/internal/sched.SlotPatience]): two units that talk to each other stay on one core. Of what a processor has forked
//     the oldest part is open to the others; when one has taken it, the next oldest is from the next fork, join or index on.
//  6. Fair. A unit with a full mailbox does not starve others, nor does a pair of units that keep each other busy, nor a tree of free
//     operations; low priorities move under any flood of higher ones; operations that look at a unit and those that write to it do not
//     starve each other; a busy processor lets the program's ordinary goroutines run about every 45 µs, and those that wait for the network about
//     every 200 µs.
//  7. Isolation of faults. A panic, or runtime.Goexit, fails that future, is reported at once through log/slog with its stack, and
//     the unit goes on with its next message: with the state that it has, or as [RestartOnPanic] and [StopOnPanic] say. What Go itself ends the process for (a concurrent map write, a stack
//     overflow, no memory) no library survives.
//  8. Shutdown. [Runtime.Shutdown] refuses new messages from outside, runs what is queued, and returns when the work is done. Past its
//     deadline what has not started fails with ErrClosed, and an operation that does not return is named in the error.
//  9. Frugal. An idle runtime uses no CPU; at most one processor searches.
//  10. Cost. Tell allocates nothing in steady state, Send at most once besides what the argument itself allocates (and what its scan
//     does, where interfaces or maps in it hold futures); an idle unit costs
//     88 bytes beside its state. The argument of an operation is dropped before its future is resolved.
//
// # What the scan of an argument looks into
//
// Struct fields, exported or not, arrays, slices, maps, pointers, and what is in interfaces; values may lead back to themselves.
// It does not look into units, runtimes, operations, contexts, channels and functions, nor into the types of sync and sync/atomic and
// structs that have a field of those two packages: what a mutex guards is not read without it. What cannot hold a future by its type
// costs nothing. What an argument leads to is read again, on other goroutines, until the message is run: maps, and whatever else may
// hold a future by its type, must not be written before.
package freerun
