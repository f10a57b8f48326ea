//go:build explore

package ending

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// tree is the model: a scope above, a scope below with one timer, and their contexts. To cancel the
// scope above is to cancel the one below, too.
type tree struct {
	canceled     atomics.Bool
	above, below scope
}

// scope is an owner in the model, with room for one timer.
type scope struct {
	Node
	tree *tree
	// watcher is called by the context; nil without a watch. Its state is armed, and then spent.
	watcher atomics.Pointer[watcher]
	made    atomics.Bool   // E3: the timer is in the list
	timer   atomics.Uint32 // open, claimed by the goroutine that ends it, ended
}

const (
	open uint32 = iota
	claimed
	ended
)

type watcher struct {
	f     func()
	spent atomics.Bool
}

func (s *scope) Watch(f func()) (stop func() bool) {
	w := &watcher{f: f}
	s.watcher.Store(w)
	return func() bool { return w.spent.CompareAndSwap(false, true) }
}

// fire is the goroutine of the context: it calls the watch's function if the scope is canceled.
func (s *scope) fire() {
	if w := s.watcher.Load(); w != nil && s.tree.canceled.Load() && w.spent.CompareAndSwap(false, true) {
		w.f()
	}
}

func (s *scope) End() {
	if s.made.Load() {
		s.end()
	}
}

// end ends the timer, in two steps.
func (s *scope) end() {
	if s.timer.CompareAndSwap(open, claimed) {
		s.timer.Store(ended)
	}
}

// variant says how the program does its steps.
type variant struct {
	enroll func(t *tree)  // E1, E2
	endAll func(n *scope) // F3
	early  bool           // the maker looks (E4) before it puts the timer into the list (E3)
	cancel string         // the scope that is canceled: above or below
}

func enrolled(t *tree) {
	t.above.Enroll(&t.above, nil)
	t.below.Enroll(&t.below, &t.above.Node)
}

func allEnded(s *scope) { s.EndAll(s) }

// endingProgram has a maker that makes a timer in the scope below, a canceler, and the goroutines
// of both contexts. When the canceler returns, a timer whose maker has gone on without ending it is
// ended, and in the end no timer is open.
func endingProgram(v variant) func(*explore.Run) {
	return func(r *explore.Run) {
		t := &tree{}
		t.above.tree, t.below.tree = t, t
		var kept atomics.Bool // the maker has not found the scope canceled
		r.Go("maker", func() {
			v.enroll(t)
			canceled := v.early && t.canceled.Load()
			t.below.made.Store(true)
			if canceled || !v.early && t.canceled.Load() {
				t.below.end()
			} else {
				kept.Store(true)
			}
		})
		r.Go("canceler", func() {
			s := &t.above
			if v.cancel == "below" {
				s = &t.below
			}
			s.Unwatch()
			t.canceled.Store(true)
			v.endAll(s)
			if kept.Load() && t.below.timer.Load() != ended {
				r.Failf("Cancel has returned, and a timer is open")
			}
		})
		r.Go("context below", func() { t.below.fire() })
		r.Go("context above", func() { t.above.fire() })
		r.After(func() {
			if t.below.timer.Load() != ended {
				r.Failf("a timer is open for ever")
			}
			t.below.fire()
			t.above.fire()
			if nodes := t.above.below.nodes.Load(); nodes != nil && len(*nodes) != 0 {
				r.Failf("an ended scope is kept by the scope above")
			}
		})
	}
}

func TestExploreEnding(t *testing.T) {
	for _, cancel := range []string{"above", "below"} {
		t.Run(cancel, func(t *testing.T) {
			explore.Exhaustive(t, 3, endingProgram(variant{enroll: enrolled, endAll: allEnded, cancel: cancel}))
		})
	}
}

// TestExploreEndingControls plants four bugs, which the exploration must find.
func TestExploreEndingControls(t *testing.T) {
	t.Run("no E1", func(t *testing.T) {
		explore.MustFail(t, 3, endingProgram(variant{cancel: "above", endAll: allEnded, enroll: func(t *tree) {
			t.above.Enroll(&t.above, nil)
			t.below.Enroll(&t.below, nil)
		}}))
	})
	t.Run("E4 before E3", func(t *testing.T) {
		explore.MustFail(t, 3, endingProgram(variant{cancel: "above", endAll: allEnded, enroll: enrolled, early: true}))
	})
	t.Run("E2 before E1", func(t *testing.T) {
		explore.MustFail(t, 3, endingProgram(variant{cancel: "above", endAll: allEnded, enroll: func(t *tree) {
			t.above.Enroll(&t.above, nil)
			t.below.Enroll(&t.below, nil)
			t.below.above = &t.above.Node
			t.above.below.add(&t.below.Node)
		}}))
	})
	t.Run("no wait for a watch", func(t *testing.T) {
		explore.MustFail(t, 3, endingProgram(variant{cancel: "below", enroll: enrolled, endAll: func(s *scope) { s.Node.end(s) }}))
	})
}
