//go:build explore

package promise

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreCell has two messages wait for a promise that a third goroutine fills: each message
// goes on once, and sees the value.
func TestExploreCell(t *testing.T) {
	body := func(r *explore.Run) {
		all := waiters(3)
		cell, both := all[0], all[1:]
		resolvedAtOnce := [2]int{}
		look := func(*waiter) {
			if v := cell.value.Get(); v != 7 {
				r.Failf("woken, and the value is %d", v)
			}
		}
		for i, name := range []string{"waiter", "other"} {
			both[i].then = look
			r.Go(name, func() {
				if both[i].await(cell, true) == Resolved {
					resolvedAtOnce[i]++
					look(nil)
				}
			})
		}
		r.Go("filler", func() {
			cell.value.Set(7)
			if !cell.fill() {
				r.Failf("the filler finds the cell closed, which it alone fills")
			}
		})
		r.After(func() {
			for i, w := range both {
				if w.woken+resolvedAtOnce[i] != 1 {
					r.Failf("waiter %d went on %d times", i, w.woken+resolvedAtOnce[i])
				}
			}
		})
	}
	explore.Exhaustive(t, explore.Unbounded, body)
	explore.Freeze(t, body)
}

// pushProgram has two goroutines add a listener each, while a third fills the promise. push is the
// cell's, or a faulty one.
func pushProgram(push func(*waiter, *waiter) bool) func(*explore.Run) {
	return func(r *explore.Run) {
		all := waiters(3)
		cell, both := all[0], all[1:]
		refused := [2]bool{}
		for i, name := range []string{"listener", "other"} {
			r.Go(name, func() { refused[i] = !push(cell, both[i]) })
		}
		r.Go("filler", func() { cell.fill() })
		r.After(func() {
			for i, w := range both {
				if (w.woken == 1) == refused[i] || w.woken > 1 {
					r.Failf("listener %d is woken %d times; refused: %v", i, w.woken, refused[i])
				}
			}
		})
	}
}

// TestExplorePush: a listener that was added is woken once, one that was refused is not.
func TestExplorePush(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, pushProgram(func(cell, w *waiter) bool { return cell.Push(&w.Node) }))
}

// TestExplorePushControl: the exploration finds a listener that is linked after it was added, and
// one that is added without a compare-and-swap.
func TestExplorePushControl(t *testing.T) {
	explore.MustFail(t, 3, pushProgram(func(cell, w *waiter) bool {
		for {
			waiting := cell.state.Load()
			if sealed(waiting) {
				return false
			}
			if cell.state.CompareAndSwap(waiting, &w.Node) {
				w.Link(waiting)
				return true
			}
		}
	}))
	explore.MustFail(t, 3, pushProgram(func(cell, w *waiter) bool {
		waiting := cell.state.Load()
		if sealed(waiting) {
			return false
		}
		w.Link(waiting)
		cell.state.Store(&w.Node)
		return true
	}))
}

// TestExploreSeals has a promise failed by its holder and abandoned by the runtime's end, at once:
// one of the two counts, and the waiter hears of that one.
func TestExploreSeals(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		all := waiters(2)
		cell, listener := all[0], all[1]
		heard := errors.New("nothing")
		failure := errors.New("failed")
		listener.then = func(*waiter) { _, heard = cell.Outcome() }
		won := [3]bool{}
		r.Go("holder", func() {
			if won[0] = cell.fillFailed(failure); won[0] {
				if _, err := cell.Outcome(); err != failure {
					r.Failf("failed with %v", err)
				}
			}
		})
		r.Go("end", func() { won[1] = cell.seal(&Abandoned) })
		r.Go("waiter", func() {
			if listener.await(cell, true) == Resolved {
				listener.woken++
				_, heard = cell.Outcome()
			}
		})
		r.After(func() {
			want := failure
			if won[1] {
				want = ErrClosed
			}
			if won[0] == won[1] || heard != want || listener.woken != 1 {
				r.Failf("won: %v; heard %v, want %v; went on %d times", won, heard, want, listener.woken)
			}
		})
	})
}

// TestExploreCycle has two, and three, messages come to wait for each other at once: the cycle is
// found, and all of them are closed.
func TestExploreCycle(t *testing.T) {
	ring := func(n int) func(*explore.Run) {
		return func(r *explore.Run) {
			all := waiters(n)
			names := []string{"a", "b", "c"}
			found := 0
			for i, p := range all {
				dep := all[(i+1)%n]
				p.then = func(p *waiter) {
					if _, err := dep.Outcome(); err != ErrCycle {
						r.Failf("woken by %v", err)
					}
					p.seal(&Circular)
				}
				r.Go(names[i], func() {
					switch p.await(dep, false) {
					case Resolved:
						p.then(p)
					case InCycle:
						found++
					}
				})
			}
			r.After(func() {
				if found == 0 {
					r.Failf("no goroutine has found the cycle")
				}
				for i, p := range all {
					if p.Open() {
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
