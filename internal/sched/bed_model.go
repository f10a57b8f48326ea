//go:build explore

package sched

import (
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// bed is where a processor or a host sleeps, in the model.
type bed struct{ parker *park.Parker }

func newBed() bed { return bed{park.New()} }

func (b *bed) wake() { b.parker.Unpark() }

func (b *bed) sleep(_ *Host, quit *bell) bool {
	if quit == nil {
		b.parker.Park()
		return true
	}
	return b.parker.ParkContext(quit.over) == nil
}

func (b *bed) taken() bool { return b.parker.TryConsume() }

func (b *bed) hasToken() bool { panic("sched: a driver in the model") }

// bell wakes all who sleep, in the model.
type bell struct{ over *memory.Context }

func newBell() bell { return bell{new(memory.Context)} }

func (b *bell) ring() { b.over.Cancel() }

func (b *bell) hasRung() bool { return b.over.Err() != nil }

func (p *Processor) letOthersRun() {}
