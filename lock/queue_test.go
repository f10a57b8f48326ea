//go:build !explore

package lock

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
	"weak"
)

// dawdler is a lock with a queue, and how to find its last node.
type dawdler struct {
	name string
	make func() (l locker, last func() (alive func() bool))
}

type locker interface {
	sync.Locker
	LockContext(ctx context.Context) error
}

func alive[T any](p *T) func() bool {
	w := weak.Make(p)
	return func() bool { return w.Value() != nil }
}

var dawdlers = []dawdler{
	{"CLH", func() (locker, func() func() bool) {
		l := new(CLH)
		return l, func() func() bool { return alive(l.tail.Load()) }
	}},
	{"MCS", func() (locker, func() func() bool) {
		l := new(MCS)
		return l, func() func() bool { return alive(l.tail.Load()) }
	}},
}

// leavers is how many waiters leave at the same time.
const leavers = 100

// TestLineStaysShort holds a lock for long. Some waiters stay, and many more leave. The nodes that
// leavers leave behind must not grow with their number: there may be as many nodes as have waited
// at one time, the holder's, and a spare one.
func TestLineStaysShort(t *testing.T) {
	for _, d := range dawdlers {
		t.Run(d.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, last := d.make()
				var nodes []func() bool
				var patient sync.WaitGroup
				l.Lock()
				for waiters := 1; waiters <= 12; waiters++ {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					var leaving sync.WaitGroup
					for i := range leavers {
						if i == 2*leavers/3 {
							patient.Go(func() {
								l.Lock()
								defer l.Unlock()
							})
							synctest.Wait()
							nodes = append(nodes, last())
						}
						leaving.Go(func() {
							if l.LockContext(ctx) == nil {
								t.Error("locked twice")
							}
						})
						synctest.Wait()
						nodes = append(nodes, last())
					}
					leaving.Wait()
					cancel()
					synctest.Wait()
					runtime.GC()
					there := 0
					for _, alive := range nodes {
						if alive() {
							there++
						}
					}
					if most := waiters + leavers + 2; there > most {
						t.Fatalf("%d nodes, of %d in all, while %d wait; should be at most %d", there, len(nodes), waiters, most)
					}
				}
				l.Unlock()
				patient.Wait()
			})
		})
	}
}

// TestFIFOForgets holds that waiters that left are out of the queue of a FIFO, and collected, once
// their turn has come.
func TestFIFOForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l FIFO
		var nodes []func() bool
		l.Lock()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var leaving sync.WaitGroup
		for range 100 {
			leaving.Go(func() { _ = l.LockContext(ctx) })
			synctest.Wait()
			nodes = append(nodes, alive(l.fifo.stack.top.Load()))
		}
		leaving.Wait()
		l.Unlock()
		runtime.GC()
		there := 0
		for _, alive := range nodes {
			if alive() {
				there++
			}
		}
		if there > 1 {
			t.Errorf("%d nodes are left", there)
		}
	})
}

// hasty is a context that ends as soon as it was found not to have ended.
type hasty struct {
	context.Context
	ended bool
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (h *hasty) Done() <-chan struct{} { return closed }

func (h *hasty) Err() error {
	if !h.ended {
		h.ended = true
		return nil
	}
	return context.Canceled
}

// TestNodesAreUsedAgain holds that a goroutine that waited for a lock leaves its node for the next
// one.
func TestNodesAreUsedAgain(t *testing.T) {
	var mcs MCS
	var clh CLH
	var fifo FIFO
	for name, c := range map[string]struct {
		l     sync.Locker
		spare func() bool
	}{
		"MCS":  {&mcs, func() bool { return mcs.spare.node.Load() != nil }},
		"CLH":  {&clh, func() bool { return clh.spare.node.Load() != nil }},
		"FIFO": {&fifo, func() bool { return fifo.fifo.spare.node.Load() != nil }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.l.Lock()
				var waiter sync.WaitGroup
				locked := false
				waiter.Go(func() {
					c.l.Lock()
					locked = true
					c.l.Unlock()
				})
				synctest.Wait()
				c.l.Unlock()
				waiter.Wait()
				if !locked || !c.spare() {
					t.Error("the waiter's node is lost")
				}
			})
		})
	}
}

// TestCLHLeavesNothing holds that waiting in vain does not even allocate, without other waiters in
// the queue.
func TestCLHLeavesNothing(t *testing.T) {
	var l CLH
	ctx := &hasty{Context: t.Context()}
	l.Lock()
	n := testing.AllocsPerRun(100, func() {
		ctx.ended = false
		if l.LockContext(ctx) == nil {
			t.Fatal("locked twice")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	if l.tail.Load() != &l.own {
		t.Error("a node is left in the queue")
	}
	l.Unlock()
	if l.tail.Load() != nil {
		t.Error("the lock is not free")
	}
}

// TestSizes holds the sizes that the comments state.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("the sizes are those of 64-bit machines")
	}
	for name, c := range map[string]struct{ size, says uintptr }{
		"MCS":          {unsafe.Sizeof(MCS{}), 296},
		"mcsNode":      {unsafe.Sizeof(mcsNode{}), 152},
		"CLH":          {unsafe.Sizeof(CLH{}), 312},
		"clhNode":      {unsafe.Sizeof(clhNode{}), 160},
		"FIFO":         {unsafe.Sizeof(FIFO{}), 344},
		"Waiter":       {unsafe.Sizeof(Waiter{}), 152},
		"Backoff":      {unsafe.Sizeof(Backoff{}), 360},
		"andersonSlot": {unsafe.Sizeof(andersonSlot{}), 144},
	} {
		if c.size != c.says {
			t.Errorf("%s has %d bytes, not %d", name, c.size, c.says)
		}
	}
}
