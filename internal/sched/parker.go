//go:build !explore

package sched

import "github.com/freerun-go/freerun/internal/sys/yield"

// parker is where a processor sleeps (step P4 of parking.go), or a host without a processor. A
// token in it means that the sleeper was woken. There is never a second token: a processor's flag
// is lowered once for each time that it is raised, and a host gets one processor for each time
// that it waits for one.
type parker struct{ token chan struct{} }

func newParker() parker { return parker{token: make(chan struct{}, 1)} }

// unpark leaves the token. It does not wait. Any goroutine.
func (p *parker) unpark() { p.token <- struct{}{} }

// park sleeps until the token is there, and returns true; or until quit, if it is not nil, is
// closed, and returns false. h is the host whose goroutine sleeps.
func (p *parker) park(h *Host, quit *closeSignal) bool {
	if h.driven != nil {
		return h.driven.sleep(h, p, quit)
	}
	if quit == nil {
		<-p.token
		return true
	}
	select {
	case <-p.token:
		return true
	case <-quit.done:
		return false
	}
}

// tryConsume takes the token and reports whether there was one.
func (p *parker) tryConsume() bool {
	select {
	case <-p.token:
		return true
	default:
		return false
	}
}

// hasToken reports whether the sleeper was woken. It is exact only where one goroutine runs at a
// time.
func (p *parker) hasToken() bool { return len(p.token) > 0 }

// closeSignal wakes all present and future sleepers, once and for all.
type closeSignal struct{ done chan struct{} }

func newCloseSignal() closeSignal { return closeSignal{make(chan struct{})} }

// close must be called once.
func (s *closeSignal) close() { close(s.done) }

func (s *closeSignal) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// letOthersRun lets other goroutines run between two looks of a searcher.
func (p *Processor) letOthersRun() {
	if !p.letDriverChoose() {
		yield.All()
		p.yieldTimer.woke = false // the goroutine has run
	}
}
