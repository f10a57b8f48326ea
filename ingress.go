package freerun

import (
	"sync"

	"github.com/freerun-go/freerun/internal/magazine"
	"github.com/freerun-go/freerun/internal/stripe"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// ingress is where messages of ordinary goroutines enter the runtime. It counts them, and keeps
// messages for reuse, in stripes: so a sender touches no cache line that other senders write.
type ingress struct {
	stripes stripe.Stripes[magazine.Cache] // each with its own messages for reuse
	// timers has the timers of senders that wait for a batch. Each runtime has its own pool, as
	// timers must not leave a testing/synctest bubble.
	timers sync.Pool
	// The counts of rare events.
	ran, failed, abandoned, lost, panics atomics.Uint64
	// sections counts the goroutines without a processor in a read section of messages to several
	// units: multi_reuse.go. A section of a stripe, below, is another thing.
	sections atomics.Int32
}

// countSent counts a message that is about to be sent without a processor. It returns false, and
// leaves the message uncounted, if the phase is beyond latest. The count comes before the message
// is queued: a goroutine that sees the count of the run also sees the count of the send.
//
// latest is one of the runtime's phases (runtime.go).
// It is running for an outsider (an ordinary goroutine: admit.go).
// A shutdown sets the phase, and waits until all sections of stripes that had begun have ended.
// Then it has the counts of all outsiders that were admitted.
//
// It is drains for an insider (a task of this runtime). The drain needs no rendezvous with an
// insider: the message that the insider runs is not done, so the counts differ, and the drain
// compares them again (settled).
//
// Checked by: TestExploreStripes (internal/stripe), TestShutdownTakesWhatFollows
func (rt *Runtime) countSent(latest uint32) bool {
	return rt.ingress.stripes.Admit(&rt.phase, latest)
}
