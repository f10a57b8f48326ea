//go:build !explore

package sched

import "runtime"

// bed is where a processor sleeps: step P4 of gate.go. A token in it means that somebody took the processor's flag down to wake it;
// a flag is taken down once for each time that it is raised, so there is never a second one.
type bed struct{ token chan struct{} }

func newBed() bed { return bed{token: make(chan struct{}, 1)} }

// wake leaves the token. It does not wait.
func (b *bed) wake() { b.token <- struct{}{} }

// sleep waits for the token and returns true, or false if the scheduler quits first.
func (b *bed) sleep(quit <-chan struct{}) bool {
	select {
	case <-b.token:
		return true
	case <-quit:
		return false
	}
}

// letOthersRun is what a searcher does between two looks.
func letOthersRun() { runtime.Gosched() }
