// Package linear checks whether a history of calls of a container is linearizable: whether one
// order of the calls, in which each takes effect at one instant between its begin and its return,
// explains all answers.
//
// A [Recorder] records the history. A [Model] defines the answers that a container may give to one
// thread alone. [Check] searches for the order, with porcupine. Its error prints the history in the
// order in which the calls returned.
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
// instant of the call the items in it and the successful calls under way were together as many as
// its capacity. A call under way counts once. An enqueue counts until it takes effect; from then on
// its item counts. A dequeue counts from the instant at which it takes effect until it returns, as
// its slot may not be free before. Calls that are refused, or find nothing, fill no slot. "Empty"
// has no such latitude: at some instant of the call there was no item.
//
// The order that Check searches for has no clock, so under InFlight a call counts as under way if
// it overlaps the refused call at all. A dequeue that returned after the refused call had begun,
// but before it looked, still counts. In a history of few calls by few clients the difference is a
// call or two.
//
// # Observers and short counts
//
// Len and Empty are calls of the history like any other. A [Length] says how far Len may be off
// during other calls, and a [Model.Vague] model lets Empty be false in doubt. A [Batch] is the
// promise of a call that moves several items. Each of its items is an operation of the client,
// joined to the next if they move at one instant. A short count adds one more operation: the single
// call that was refused, or an observation that there were no more items or no more room.
//
// The package is for tests only.
package linear
