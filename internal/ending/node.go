package ending

import (
	"sync"
	_ "sync/atomic" // lets the compiler inline the operations of internal/sync/atomics

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// Source:     our own
// Sketch:     E1  the node enrolls in the node above, which has enrolled before
//             E2  the node watches its context
//             E3  the maker of a thing puts it into the owner's list
//             E4  the maker looks whether the owner is canceled
//
//             F1  the canceler stops the watches of the node, and of the nodes below
//             F2  the canceler cancels the owner, and with it the owners below
//             F3  the canceler ends the things of the owner, and of the nodes below; where a watch
//                 began after F1, the canceler first waits for the end of that watch
// Invariants: I1 Either E4 finds the owner canceled, or F3 finds the thing.
//             I2 When F3 has returned, no watch is in the middle of ending a thing that the
//             canceler has found.
//             Not invariant: that a thing is ended once. Its own state decides which call ends it.
// Progress:   Enroll and Unwatch are wait-free but for a mutex of package sync. EndAll waits for
//             watches that have begun.
// Publish:    owner is written before the node is enrolled in the node above, and read after.
// Checked by: TestExploreEnding…, TestScopeCancelEndsTimersBelow, TestTimerScope…

// Owner is the thing that a node stands for, such as a scope.
type Owner interface {
	// Watch has f called, on a goroutine of its own, once the owner is canceled. stop keeps f from
	// being called, and reports whether it did: false if f was called, or stop was called before.
	Watch(f func()) (stop func() bool)
	// End ends the things in the owner's list, each unless it has ended. The owner is canceled.
	End()
}

// Node is the place of an owner in a tree. The zero value is not enrolled. Any goroutine may call
// the methods. It must not be copied.
type Node struct {
	once  sync.Once
	owner Owner
	above *Node // nil for the topmost
	watch atomics.Pointer[watch]
	below set // nodes that have enrolled here
}

// watch is a node's watch on its owner.
type watch struct {
	stop func() bool  // stops the watch; false if it has begun to end things, or was stopped
	over atomics.Bool // the watch has ended the things, or was stopped
}

// Enrolled reports whether the node has enrolled.
func (n *Node) Enrolled() bool { return n.watch.Load() != nil }

// Enroll does E1 and E2, once. above is nil for the topmost node, and has enrolled otherwise.
func (n *Node) Enroll(o Owner, above *Node) {
	n.once.Do(func() {
		n.owner, n.above = o, above
		if above != nil {
			above.below.add(n)
		}
		w := &watch{}
		w.stop = o.Watch(func() {
			o.End()
			n.leave()
			w.over.Store(true)
		})
		n.watch.Store(w)
	})
}

// Unwatch is F1.
func (n *Node) Unwatch() {
	if w := n.watch.Load(); w != nil && w.stop() {
		w.over.Store(true)
	}
	n.below.each((*Node).Unwatch)
}

// EndAll is F3. o is the owner of n, which need not have enrolled.
func (n *Node) EndAll(o Owner) {
	if w := n.watch.Load(); w != nil && !w.stop() {
		for wait := (backoff.Backoff{}); !w.over.Load(); {
			wait.Wait()
		}
	}
	n.end(o)
}

// end is EndAll without the wait for the watch of n itself.
func (n *Node) end(o Owner) {
	o.End()
	if n.watch.Load() != nil {
		n.leave()
	}
	n.below.each(func(b *Node) { b.EndAll(b.owner) })
}

// leave undoes E1.
func (n *Node) leave() {
	if n.above != nil {
		n.above.below.remove(n)
	}
}
