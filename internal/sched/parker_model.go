//go:build explore

package sched

import (
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// parker is the parker of the explorer's model; parker.go has the contract.
type parker struct{ inner *park.Parker }

func newParker() parker { return parker{park.New()} }

func (p *parker) unpark() { p.inner.Unpark() }

func (p *parker) park(_ *Host, quit *closeSignal) bool {
	if quit == nil {
		p.inner.Park()
		return true
	}
	return p.inner.ParkContext(quit.ctx) == nil
}

func (p *parker) tryConsume() bool { return p.inner.TryConsume() }

func (p *parker) hasToken() bool { panic("sched: a driver in the model") }

// closeSignal is the close signal of the explorer's model.
type closeSignal struct{ ctx *memory.Context }

func newCloseSignal() closeSignal { return closeSignal{new(memory.Context)} }

func (s *closeSignal) close() { s.ctx.Cancel() }

func (s *closeSignal) closed() bool { return s.ctx.Err() != nil }

func (p *Processor) letOthersRun() {}
