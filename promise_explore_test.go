//go:build explore

package freerun

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// watched is a promise with a value that the explorer watches. It counts how often it was woken.
type watched struct {
	promised
	value atomics.Plain[int]
	woken int
	then  func(w *worker, p *watched) // when it is woken
}

func watchedOf(m *message) *watched { return (*watched)(unsafe.Pointer(m)) }

var watchedVtable = newVtable(vtable{wake: func(w *worker, m *message) {
	p := watchedOf(m)
	p.woken++
	if p.then != nil {
		p.then(w, p)
	}
}}, nil)

// promises makes n promises of one runtime.
func promises(n int) []*watched {
	u := &unit{rt: new(Runtime)}
	all := make([]*watched, n)
	for i := range all {
		all[i] = new(watched)
		all[i].unit = u
		all[i].become(watchedVtable)
	}
	return all
}

// TestExploreCell has two messages wait for a promise that a third goroutine fills: each message
// goes on once, and sees the value.
func TestExploreCell(t *testing.T) {
	body := func(r *explore.Run) {
		all := promises(3)
		cell, waiters := all[0], all[1:]
		resolvedAtOnce := [2]int{}
		look := func(_ *worker, _ *watched) {
			if v := cell.value.Get(); v != 7 {
				r.Failf("woken, and the value is %d", v)
			}
		}
		for i, name := range []string{"waiter", "other"} {
			waiters[i].then = look
			r.Go(name, func() {
				if waiters[i].await(new(worker), &cell.promised, true) == resolved {
					resolvedAtOnce[i]++
					look(nil, nil)
				}
			})
		}
		r.Go("filler", func() {
			cell.value.Set(7)
			if !cell.fill(new(worker)) {
				r.Failf("closed by nobody")
			}
		})
		r.After(func() {
			for i, w := range waiters {
				if w.woken+resolvedAtOnce[i] != 1 {
					r.Failf("waiter %d went on %d times", i, w.woken+resolvedAtOnce[i])
				}
			}
		})
	}
	explore.Exhaustive(t, explore.Unbounded, body)
	explore.Freeze(t, body)
}

// TestExploreSeals has a promise failed by its holder and abandoned by the runtime's end, at once:
// one of the two counts, and the waiter hears of that one.
func TestExploreSeals(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		all := promises(2)
		cell, waiter := all[0], all[1]
		heard := errors.New("nothing")
		failure := errors.New("failed")
		waiter.then = func(*worker, *watched) { _, heard = cell.outcome() }
		won := [3]bool{}
		r.Go("holder", func() {
			if won[0] = cell.fillFailed(new(worker), failure); won[0] {
				if _, err := cell.outcome(); err != failure {
					r.Failf("failed with %v", err)
				}
			}
		})
		r.Go("end", func() { won[1] = cell.seal(new(worker), &abandoned) })
		r.Go("waiter", func() {
			if waiter.await(new(worker), &cell.promised, true) == resolved {
				waiter.woken++
				_, heard = cell.outcome()
			}
		})
		r.After(func() {
			want := failure
			if won[1] {
				want = ErrClosed
			}
			if won[0] == won[1] || heard != want || waiter.woken != 1 {
				r.Failf("won: %v; heard %v, want %v; went on %d times", won, heard, want, waiter.woken)
			}
		})
	})
}

// TestExploreCycle has two, and three, messages come to wait for each other at once: the cycle is
// found, and all of them are closed.
func TestExploreCycle(t *testing.T) {
	ring := func(n int) func(*explore.Run) {
		return func(r *explore.Run) {
			all := promises(n)
			names := []string{"a", "b", "c"}
			found := 0
			for i, p := range all {
				dep := all[(i+1)%n]
				p.then = func(w *worker, p *watched) {
					if _, err := dep.outcome(); err != ErrCycle {
						r.Failf("woken by %v", err)
					}
					p.seal(w, &cycled)
				}
				r.Go(names[i], func() {
					switch p.await(new(worker), &dep.promised, false) {
					case resolved:
						p.then(new(worker), p)
					case circular:
						found++
					}
				})
			}
			r.After(func() {
				if found == 0 {
					r.Failf("nobody noticed")
				}
				for i, p := range all {
					if p.open() {
						r.Failf("%s is open for ever", names[i])
					}
				}
			})
		}
	}
	t.Run("two", func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, ring(2)) })
	t.Run("three", func(t *testing.T) { explore.Exhaustive(t, 2, ring(3)) })
	t.Run("frozen", func(t *testing.T) { explore.Freeze(t, ring(3)) })
}
