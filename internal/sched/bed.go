//go:build !explore

package sched

import "runtime"

// bed is where a processor sleeps, in step P4 of gate.go, or a host without a processor. A token in it means that somebody came to wake
// the sleeper: there is never a second one, as a processor's flag is taken down once for each time that it is raised, and a host gets
// one processor for each time that it waits for one.
type bed struct{ token chan struct{} }

func newBed() bed { return bed{token: make(chan struct{}, 1)} }

// wake leaves the token. It does not wait.
func (b *bed) wake() { b.token <- struct{}{} }

// sleep waits for the token and returns true, or false if the bell, unless it is nil, rings first. It is the goroutine of h that sleeps.
func (b *bed) sleep(h *Host, quit *bell) bool {
	if h.turn != nil {
		return h.turn.sleep(h, b, quit)
	}
	if quit == nil {
		<-b.token
		return true
	}
	select {
	case <-b.token:
		return true
	case <-quit.rang:
		return false
	}
}

// taken takes the token if there is one.
func (b *bed) taken() bool {
	select {
	case <-b.token:
		return true
	default:
		return false
	}
}

// hasToken reports whether the sleeper was woken. Exact where one goroutine runs at a time.
func (b *bed) hasToken() bool { return len(b.token) > 0 }

// bell wakes all who sleep, and all who will, once for all.
type bell struct{ rang chan struct{} }

func newBell() bell { return bell{make(chan struct{})} }

// ring must be called once.
func (b *bell) ring() { close(b.rang) }

func (b *bell) hasRung() bool {
	select {
	case <-b.rang:
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
