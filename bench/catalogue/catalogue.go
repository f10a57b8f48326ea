// Package catalogue lists the programs of programs/catalogue with their rivals: the variants that
// are written with other libraries. A program that imports it links these libraries.
package catalogue

import (
	"github.com/freerun-go/freerun/bench/durable"
	"github.com/freerun-go/freerun/bench/memory"
	"github.com/freerun-go/freerun/bench/pools"
	"github.com/freerun-go/freerun/bench/queues"
	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/catalogue"
)

// rivalled are the programs with rivals.
var rivalled = []*programs.Program{pools.Program, queues.Program, memory.Program}

// WithRivals returns all programs, in the order of programs/catalogue. The slice is the caller's
// own.
func WithRivals() []*programs.Program {
	all := catalogue.Programs()
	for i, p := range all {
		for _, wider := range rivalled {
			if wider.Name == p.Name {
				all[i] = wider
			}
		}
	}
	return all
}

// Apart returns the programs that are measured only if they are named, because what carries them
// out is a command of its own with libraries that have to be fetched first. The slice is the
// caller's own.
func Apart() []*programs.Program { return []*programs.Program{durable.Program} }
