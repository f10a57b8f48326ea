// Package kindview is how package freerun tells a page which kinds of units a runtime has, without
// the types of their keys, which only the program knows. The two sides meet here, so that this adds
// no exported name to those that programs use. They are of one version: this is no promise.
package kindview

// Kind is a kind that a runtime has used.
type Kind struct {
	Name   string
	Active int // units that are active, or about to be
	Most   int // how many are to be active at most; 0 for any number
	// Counts since the start of the runtime, as of freerun.KindStats.
	Activations, Failures, Passivations, Evictions uint64
	// Busiest are the keys whose active units have run most operations, most first; none if there
	// are too many units to look at each.
	Busiest []Key
}

// Key is the active unit of a key.
type Key struct {
	Text       string
	Operations uint64 // since it is active
}

// of is set by Provide alone, during initialization.
var of func(rt any, busiest int) []Kind

// Provide sets what Of calls. Package freerun calls it once, when it is initialized.
func Provide(f func(rt any, busiest int) []Kind) { of = f }

// Of returns the kinds that a *freerun.Runtime has used, in the order of their names, with at most
// so many of their busiest keys. Any goroutine; the figures may lag.
func Of(rt any, busiest int) []Kind { return of(rt, busiest) }
