//go:build !explore

package sched

import "runtime"

// bed is where a processor sleeps, in step P4 of gate.go, or a host without a processor. A token in it means that somebody came to wake
// the sleeper: there is never a second one, as a processor's flag is taken down once for each time that it is raised, and a host gets
// one processor for each time that it waits for one.
type parker struct{ token chan struct{} }

func newParker() parker { return parker{token: make(chan struct{}, 1)} }

// wake leaves the token. It does not wait.
func (p *parker) unpark() { p.token <- struct{}{} }

// sleep waits for the token and returns true, or false if the bell, unless it is nil, rings first. It is the goroutine of h that sleeps.
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

// taken takes the token if there is one.
func (p *parker) tryConsume() bool {
	select {
	case <-p.token:
		return true
	default:
		return false
	}
}

// hasToken reports whether the sleeper was woken. Exact where one goroutine runs at a time.
func (p *parker) hasToken() bool { return len(p.token) > 0 }

// bell wakes all who sleep, and all who will, once for all.
type closeSignal struct{ done chan struct{} }

func newCloseSignal() closeSignal { return closeSignal{make(chan struct{})} }

// ring must be called once.
func (s *closeSignal) close() { close(s.done) }

func (s *closeSignal) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// letOthersRun is what a searcher does between two looks.
func (p *Processor) letOthersRun() {
	if !p.letDriverChoose() {
		runtime.Gosched()
	}
}
