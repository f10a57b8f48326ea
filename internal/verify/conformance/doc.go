// Package conformance runs the same ladder of tests on every container, so that a container's own
// test file has a few lines:
//
//	func newMPMC[T any](capacity int) conformance.Total[T] { return queue.NewMPMC[T](capacity) }
//
//	var mpmc = conformance.QueueSpec{
//		New: newMPMC[int], NewWide: newMPMC[conformance.Wide], NewBoxed: newMPMC[*conformance.Box],
//		Bounded: true, PowerOfTwo: true, Full: linear.InFlight,
//	}
//
//	func TestMPMC(t *testing.T) { conformance.Queue(t, mpmc) }
//	func FuzzMPMC(f *testing.F) { conformance.FuzzQueue(f, mpmc) }
//
//	// in a file with the build constraint explore
//	func TestExploreMPMC(t *testing.T) { conformance.ExploreQueue(t, mpmc) }
//
// The rungs, each a subtest:
//
//	sequential    random calls by one goroutine, compared with a model call by call; batches too, if
//	              the container has them
//	capacity      what is refused (0, -1), what is rounded, and that exactly so many items fit
//	              (bounded only)
//	wrap          many laps at every level of filling, and from just below the overflow of the
//	              indices if the spec can start there
//	order         producers take turns: no consumer gets an older item after a newer one (first in,
//	              first out only)
//	stampede      all at once on an almost empty or almost full container: exactly as many succeed
//	              as can
//	stress        many at a time: each item comes out once, each producer's in order for each
//	              consumer
//	batch         stress with EnqueueN and DequeueN (if the container has them)
//	linearizable  short histories, checked by internal/verify/linear
//	wide          items of 128 bytes are never torn
//	retention     items that came out can be collected
//	truthful      never empty while an item is certainly there, never full while there certainly
//	              is room
//	balanced      each goroutine puts in and takes out in turns: there is an item, or room, for
//	              each call, and none says empty or full
//
// A rung is a function that returns an error, so that the tests of this package can run it on
// containers that are broken on purpose: the rung for a defect must find the defect.
//
// Sizes are constants, smaller under the race detector and with -short. A rung has no deadline, but
// gives up when no goroutine has got anything done for many seconds.
//
// The package is for tests only.
package conformance
