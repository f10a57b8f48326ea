// Package rolecheck checks, in a debug build, what a lock-free container requires of its callers and cannot afford to check
// otherwise: that the calls which belong to one goroutine at a time do not overlap.
//
// A build with the tag freerun_debug checks; in any other build Sole has no size, its methods are empty, and the compiler
// removes their calls. Nothing else may depend on the tag, so what is tested without it is what runs with it.
//
//	type SPSC[T any] struct {
//		producer contract.Sole // one per side; not the last field, or Go pads the struct for it
//		…
//	}
//
//	func (q *SPSC[T]) TryEnqueue(v T) bool {
//		q.producer.Enter("queue: TryEnqueue of an SPSC")
//		defer … // no: a deferred call is not removed. Call Leave before each return.
//		…
//		q.producer.Leave()
//		return true
//	}
//
// Between Enter and Leave there is no call of a function that the user gave, so that he may call the container from it, and
// nothing that can panic. Enter comes before the first access to what the side owns, so the call that is refused has
// changed nothing, and the container still works for the one that was there first. To panic about other misuse of a side, or
// for long code in a check, ask the constant Checked.
//
// What is found is an overlap of two calls. Two goroutines that take turns are within the contract if something orders their
// turns, and if nothing does the race detector says so.
package rolecheck
