package freerun

import (
	"runtime"
	"sync"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// border is what ordinary goroutines need when they send: a place to count and letters to use
// again, without touching a cache line that others write. There is a stripe for each of Go's Ps,
// and a goroutine that is pinned to its P has the stripe to itself (package pin); without pinning,
// a stripe is claimed by a compare-and-swap, which is not repeated when others are there: the next
// stripe is tried.
type ingress struct {
	stripes []stripe
	timers  sync.Pool // of those who are held back; a runtime's own, as timers must not leave a testing/synctest bubble
	// for those who find no stripe, and what happens once in a while
	sent, ran, failed, abandoned, lost, panics atomics.Uint64
	sections                                   atomics.Int32 // who are no processors: see multi_reuse.go
}

type stripe struct {
	_        pad.Line
	sent     pin.Tally
	messages messageCache
	claimed  atomics.Bool // only without pinning
	_        pad.Line
}

// fewestStripes is more than most programs have Ps: GOMAXPROCS may be raised while the runtime runs, and a P without a
// stripe works, but allocates for each message.
const fewestStripes = 16

func (b *ingress) init() {
	b.stripes = make([]stripe, max(fewestStripes, runtime.GOMAXPROCS(0), runtime.NumCPU()))
}

// enter returns a stripe that is the caller's until leave, in which time it must not block; nil if there is none to be had.
func (b *ingress) enter() *stripe {
	i := pin.Pin()
	if pin.Exclusive {
		if i < len(b.stripes) { // GOMAXPROCS may have grown since
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

// leave gives the stripe back.
func (b *ingress) leave(s *stripe) {
	if pin.Exclusive {
		pin.Unpin()
	} else {
		s.claimed.Store(false)
	}
}

// countSent counts a message that is about to be sent from outside; false if the phase is beyond
// latest. The count must come before the message is queued: then whoever sees that a message was run
// sees that it was sent.
//
// latest is running for an outsider. The look at the phase and the count are one section of the
// stripe's tally, so that a shutdown can be sure: it sets the phase, waits until all sections that
// had begun have ended (rendezvous), and has then all counts of the outsiders that were admitted.
//
// latest is drains for an insider, which needs no rendezvous: its own message is not done, so the
// drain goes on and looks again (settled). Checked by: TestExploreBorder, TestShutdownTakesWhatFollows.
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

func (s *stripe) count(rt *Runtime, latest uint32) bool {
	s.sent.Begin()
	if rt.phase.Load() > latest {
		s.sent.Withdraw()
		return false
	}
	s.sent.Count()
	return true
}

func (rt *Runtime) countWithoutStripe(latest uint32) bool {
	rt.ingress.sent.Add(1)
	if rt.phase.Load() > latest {
		rt.ingress.sent.Add(minusOne)
		return false
	}
	return true
}

// rendezvous returns when all sections of the stripes have ended that were under way when it was
// called.
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

// totalSent returns how many messages were sent from outside.
func (b *ingress) totalSent() uint64 {
	n := b.sent.Load()
	for i := range b.stripes {
		n += b.stripes[i].sent.Load()
	}
	return n
}
