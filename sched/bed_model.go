//go:build explore

package sched

import (
	"github.com/freerun-go/freerun/internal/model"
	"github.com/freerun-go/freerun/internal/park"
)

// bed is where a processor sleeps, in the model. The model's end is told to each bed, since a model thread cannot wait for a channel.
type bed struct {
	parker *park.Parker
	end    *model.Context
}

func newBed() bed { return bed{park.New(), new(model.Context)} }

func (b *bed) wake() { b.parker.Unpark() }

func (b *bed) sleep(<-chan struct{}) bool { return b.parker.ParkContext(b.end) == nil }

func letOthersRun() {}
