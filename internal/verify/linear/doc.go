// Package linear tells whether what the goroutines that called a container saw can be explained by
// one order of their calls, in which each takes effect at one instant between its call and its
// return: whether the history is linearizable.
//
// A [Recorder] takes the history, a [Model] says what a container may answer when it is called by
// one thread alone, and [Check] searches for the order, with porcupine. An error of Check prints
// the history in the order in which the calls returned.
//
//	recorder := linear.NewRecorder(2)
//	// in each of two goroutines, with its own client:
//	client.Enqueue(7, q.TryEnqueue)
//	client.Dequeue(q.TryDequeue)
//	// when both have ended:
//	err := linear.Check(linear.FIFO(8, linear.Strict), recorder.History())
//
// # When may a bounded container say "full"?
//
// [Strict]: at some instant of the call it held as many items as its capacity. [InFlight]: at some
// instant of the call the items in it, and the calls under way that succeed, were as many as its
// capacity, where a call under way counts once: an enqueue until it takes effect, when its item
// counts instead, and a dequeue from then on until it returns, as its slot may not be free before.
// Calls that are refused, or find nothing, fill no slot. "Empty" has no such latitude: there was
// nothing, at some instant of the call.
//
// The order that is searched for has no clock in it, so under InFlight a call counts as under way
// if it overlaps the refused one at all: a dequeue that returned after the refused call had begun
// but before it looked is counted still. In a history of few calls by few clients the difference is
// a call or two.
//
// # Observers and short counts
//
// Len and Empty are calls of the history like any other: a [Length] says how far Len may be off
// while others call, and a model that is [Model.Vague] lets Empty be false in doubt. A [Batch] says
// what a call that moves several items promises. Its items are operations of one client, joined if
// they move at one instant; a short count is one more, an observation that there was no more, or
// the single call that was refused.
//
// The package is for tests only.
package linear
