// Package rolecheck checks, in a debug build, a requirement that lock-free containers cannot afford
// to check otherwise: calls that belong to one goroutine at a time must not overlap.
//
// A build with the tag freerun_debug checks. In any other build Sole has no size, its methods are
// empty, and the compiler removes their calls. No other code may depend on the tag, so tests
// without the tag test the same code.
//
//	type SPSC[T any] struct {
//		producer rolecheck.Sole // one per side; not the last field, or Go pads the struct for it
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
// Between Enter and Leave a container calls no function of its user, so that such a function may
// call the container, and does nothing that can panic. Enter comes before the first access to the
// side's fields, so a refused call has changed nothing, and the container still works for the call
// that was there first. Code that panics about other misuse of a side, or that is long, is guarded
// by the constant Checked.
//
// It finds overlapping calls only. Two goroutines that take turns keep the contract if something
// orders their turns; if nothing does, the race detector reports it.
package rolecheck
