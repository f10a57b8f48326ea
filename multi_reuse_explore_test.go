//go:build explore

package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// usedAgain returns a program of senders whose messages to several units are used again once they
// were run.
func usedAgain(units int, faulty func(x *crossing), senders ...[]errand) func(r *explore.Run) {
	return crossed(units, func(x *crossing) {
		x.again = true
		x.rt.scheduler = sched.New(sched.Config{Processors: 1})
		for _, p := range x.rt.scheduler.Processors() {
			p.Local = newWorker(x.rt, p)
		}
		x.renew = func(w *worker) { w.useAgain() }
		if faulty != nil {
			faulty(x)
		}
	}, senders...)
}

var (
	onAgain     = [][]errand{{{"M", []int{0, 1}}, {"N", []int{0, 1}}}, {{"p", []int{0}}, {"q", []int{1}}}}
	acrossAgain = [][]errand{{{"M", []int{0, 1}}, {"N", []int{0, 1}}}, {{"O", []int{1, 0}}, {"P", []int{1, 0}}}}
	behindAgain = [][]errand{{{"M", []int{0, 1}}}, {{"p", []int{0}}, {"N", []int{0, 1}}}}
	chainAgain  = [][]errand{{{"M", []int{0, 1}}, {"N", []int{1, 2}}, {"m", []int{1}}}, {{"O", []int{2, 1}}, {"P", []int{0, 2}}}, {{"p", []int{0}}, {"q", []int{1}}}}
)

// TestExploreMultiAgain holds the promises of TestExploreMulti for messages that are used
// again as soon as they may be.
func TestExploreMultiAgain(t *testing.T) {
	t.Run("passing", func(t *testing.T) { explore.Exhaustive(t, 4, usedAgain(2, nil, onAgain...)) })
	t.Run("behind", func(t *testing.T) { explore.Exhaustive(t, 4, usedAgain(2, nil, behindAgain...)) })
	t.Run("two", func(t *testing.T) { explore.Exhaustive(t, 3, usedAgain(2, nil, acrossAgain...)) })
	t.Run("many", func(t *testing.T) { explore.Random(t, 20000, usedAgain(2, nil, acrossAgain...)) })
	t.Run("chain", func(t *testing.T) { explore.Random(t, 20000, usedAgain(3, nil, chainAgain...)) })
	t.Run("frozen", func(t *testing.T) { explore.Freeze(t, usedAgain(2, nil, acrossAgain...)) })
}

// TestExploreMultiAgainControls plants faults that the explorer must find.
func TestExploreMultiAgainControls(t *testing.T) {
	t.Run("used again while somebody looks", func(t *testing.T) {
		explore.MustFail(t, 3, usedAgain(2, func(x *crossing) {
			x.renew = func(w *worker) {
				for _, m := range w.retired.list[:w.retired.n] {
					if m.renew() {
						m.whole().vtable().recycle(w, m.whole())
					}
				}
				w.retired.n = 0
			}
		}, onAgain...))
	})
	t.Run("used again though others have helped", func(t *testing.T) {
		explore.MustFail(t, 4, usedAgain(2, func(x *crossing) {
			x.renew = func(w *worker) {
				for _, m := range w.retired.list[:w.retired.n] {
					m.helped.Store(false)
				}
				w.useAgain()
			}
		}, onAgain...))
	})
}
