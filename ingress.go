package freerun

import (
	"runtime"
	"sync"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// ingress is where messages of ordinary goroutines enter the runtime. It counts them, and keeps
// messages for reuse, so that a sender touches no cache line that other senders write.
//
// There is a stripe for each of Go's Ps. A goroutine that is pinned to its P has the stripe to
// itself (package pin). Without pinning, the sender claims a stripe by a compare-and-swap; if the
// stripe is taken, it does not retry but goes on to the next one.
type ingress struct {
	stripes []stripe
	// timers has the timers of senders that a flood holds back. Each runtime has its own pool, as
	// timers must not leave a testing/synctest bubble.
	timers sync.Pool
	// The counts of senders without a stripe, and of rare events.
	sent, ran, failed, abandoned, lost, panics atomics.Uint64
	// sections counts the goroutines without a processor in a read section: multi_reuse.go.
	sections atomics.Int32
}

// stripe is the part of the ingress that one sender at a time uses.
type stripe struct {
	_        pad.Line
	sent     pin.Tally
	messages messageCache
	claimed  atomics.Bool // unused with pinning
	_        pad.Line
}

// fewestStripes is the least number of stripes, more than most programs have Ps. GOMAXPROCS may be
// raised while the runtime runs; a sender on a P without a stripe allocates each message.
const fewestStripes = 16

func (b *ingress) init() {
	b.stripes = make([]stripe, max(fewestStripes, runtime.GOMAXPROCS(0), runtime.NumCPU()))
}

// enter returns a stripe, which the caller owns until leave. The caller must not block in between.
// enter returns nil if no stripe is free.
func (b *ingress) enter() *stripe {
	i := pin.Pin()
	if pin.Exclusive {
		if i < len(b.stripes) { // GOMAXPROCS may have grown since init
			return &b.stripes[i]
		}
		pin.Unpin()
		return nil
	}
	pin.Unpin()
	for range b.stripes {
		s := &b.stripes[i%len(b.stripes)]
		if !s.claimed.Load() && s.claimed.CompareAndSwap(false, true) {
			return s
		}
		i++
	}
	return nil
}

// leave gives a stripe from enter back.
func (b *ingress) leave(s *stripe) {
	if pin.Exclusive {
		pin.Unpin()
	} else {
		s.claimed.Store(false)
	}
}

// countSent counts a message that is about to be sent without a processor. It returns false, and
// leaves the message uncounted, if the phase is beyond latest. The count comes before the message
// is queued: a goroutine that sees the count of the run also sees the count of the send.
//
// latest is running for an outsider (an ordinary goroutine: admit_standing.go).
// The check of the phase and the count are one section of the stripe's tally.
// A shutdown sets the phase, and waits until all sections that had begun have ended (rendezvous).
// Then it has the counts of all outsiders that were admitted.
//
// latest is drains for an insider (a task of this runtime). An insider needs no rendezvous: its own
// message is not done, so the drain goes on and compares the counts again (settled).
//
// Checked by: TestExploreBorder, TestShutdownTakesWhatFollows
func (rt *Runtime) countSent(latest uint32) bool {
	b := &rt.ingress
	s := b.enter()
	if s == nil {
		return rt.countWithoutStripe(latest)
	}
	admitted := s.count(rt, latest)
	b.leave(s)
	return admitted
}

// count is countSent for the owner of the stripe.
func (s *stripe) count(rt *Runtime, latest uint32) bool {
	s.sent.Begin()
	if rt.phase.Load() > latest {
		s.sent.Withdraw()
		return false
	}
	s.sent.Count()
	return true
}

// countWithoutStripe is countSent for a sender that found no stripe. It counts first and takes the
// count back if the phase is beyond latest.
func (rt *Runtime) countWithoutStripe(latest uint32) bool {
	rt.ingress.sent.Add(1)
	if rt.phase.Load() > latest {
		rt.ingress.sent.Add(minusOne)
		return false
	}
	return true
}

// rendezvous waits until all sections of stripes that were under way when it was called have ended.
func (b *ingress) rendezvous() {
	if pin.Exclusive {
		pin.Rendezvous(len(b.stripes), func(i int) *pin.Tally { return &b.stripes[i].sent })
		return
	}
	for i := range b.stripes {
		s := &b.stripes[i]
		for !s.claimed.CompareAndSwap(false, true) {
			runtime.Gosched()
		}
		b.leave(s)
	}
}

// totalSent returns how many messages were sent without a processor.
func (b *ingress) totalSent() uint64 {
	n := b.sent.Load()
	for i := range b.stripes {
		n += b.stripes[i].sent.Load()
	}
	return n
}
