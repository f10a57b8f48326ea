//go:build !explore

package sched

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestCensusTransitions(t *testing.T) {
	var c census
	c.word.Store(2 * (oneServing + oneAwake))
	expect := func(what string, awake, searching int) {
		t.Helper()
		if c.awake() != awake || c.searching() != searching {
			t.Fatalf("after %s: %d awake, %d searching, want %d and %d", what, c.awake(), c.searching(), awake, searching)
		}
	}
	if c.summon() {
		t.Fatal("summoned a third of two")
	}
	if !c.beginSearch() || c.beginSearch() {
		t.Fatal("the first may search, the second may not")
	}
	expect("beginSearch", 2, 1)
	if none, idle := c.leave(false); none || idle {
		t.Fatal("the other one searches and is awake")
	}
	expect("leave", 1, 1)
	if c.summon() {
		t.Fatal("summoned a searcher beside one")
	}
	if !c.endSearch() {
		t.Fatal("none searches now")
	}
	expect("endSearch", 1, 0)
	if !c.summon() {
		t.Fatal("did not summon though one is parked and none searches")
	}
	expect("summon", 2, 1)
	if none, idle := c.leave(true); !none || idle {
		t.Fatal("none searches now and one is awake")
	}
	if none, idle := c.leave(false); !none || !idle {
		t.Fatal("none is awake now")
	}
	expect("the last one left", 0, 0)
}

// TestCensusRoom: half as many processors search as work, in the census's width, and those that are
// being woken keep no processor from searching that is awake.
func TestCensusRoom(t *testing.T) {
	for _, of := range []struct{ working, room int }{{1, 1}, {2, 1}, {3, 1}, {4, 2}, {64, 32}, {509, 254}, {510, 255}, {1024, 255}, {MostProcessors / 2, 255}} {
		var c census
		c.word.Store(uint64(MostProcessors)*oneServing + uint64(of.working)*oneAwake)
		n := 0
		for ; c.summon(); n++ {
			c.rousing.Add(1)
		}
		if n != of.room || c.awake() != of.working+n || c.searching() != n || c.serving() != MostProcessors {
			t.Errorf("%d work: woke %d, want %d; %d awake, %d searching, %d in service", of.working, n, of.room, c.awake(), c.searching(), c.serving())
		}
		if got, want := c.beginSearch(), of.room < mostSearchers; got != want {
			t.Errorf("%d work, %d are being woken: one more searches is %v", of.working, n, got)
		}
		c.rousing.Store(0)
		if c.beginSearch() {
			t.Errorf("%d work and %d search: one more does", of.working, c.searching()-1)
		}
	}
}

// TestCensusStampede has goroutines call summon and beginSearch at the same instant: one of them
// succeeds.
func TestCensusStampede(t *testing.T) {
	const rounds, goroutines = 3_000, 4
	for round := range rounds {
		var c census
		c.word.Store(goroutines*oneServing + oneAwake)
		var ready, searchers atomic.Int32
		var all sync.WaitGroup
		for i := range goroutines {
			all.Go(func() {
				for ready.Add(1); ready.Load() < goroutines; {
					runtime.Gosched()
				}
				if i == 0 && c.beginSearch() || i > 0 && c.summon() {
					searchers.Add(1)
				}
			})
		}
		all.Wait()
		if searchers.Load() != 1 || c.searching() != 1 {
			t.Fatalf("round %d: %d searchers, the census says %d", round, searchers.Load(), c.searching())
		}
	}
}

// TestFlags runs raise, lower and lowerAny against each other, over several words.
func TestFlags(t *testing.T) {
	const n = 130
	f := newFlags(n)
	var wakers, all sync.WaitGroup
	var lowered [n]atomic.Int32
	for i := range n {
		if f.lower(i) {
			t.Fatalf("flag %d is up at first", i)
		}
		all.Go(func() { f.raise(i) })
	}
	all.Wait()
	for i := range n {
		if i%10 == 0 {
			wakers.Go(func() {
				if f.lower(i) {
					lowered[i].Add(1)
				}
			})
		} else {
			wakers.Go(func() { lowered[f.lowerAny()].Add(1) })
		}
	}
	wakers.Wait()
	for i := range n {
		if f.lower(i) {
			lowered[i].Add(1)
		}
		if lowered[i].Load() != 1 {
			t.Errorf("flag %d was taken down %d times", i, lowered[i].Load())
		}
	}
}

// TestCensusInvariants reads the census while a scheduler is kept on the edge between parked and
// awake.
func TestCensusInvariants(t *testing.T) {
	const processors, senders, each = 4, 3, 3_000
	s := started(t, processors)
	var finished atomic.Bool
	var watching, sending sync.WaitGroup
	watching.Go(func() {
		for !finished.Load() {
			w := s.census.word.Load() // one instant
			// One may be woken, and one search meanwhile.
			if awake, searching := awakeIn(w), searchingIn(w); awake > processors || searching > 2 || searching > awake {
				t.Errorf("%d awake, %d searching of %d", awake, searching, processors)
				return
			}
			runtime.Gosched()
		}
	})
	for range senders {
		sending.Go(func() {
			for range each {
				done := make(chan struct{})
				s.Inject(&newJob(func(p *Processor) {
					p.Push(&newJob(nop).Task)
					p.PushBack(&newJob(func(*Processor) { close(done) }).Task)
				}).Task)
				await(t, "a task", done)
			}
		})
	}
	sending.Wait()
	finished.Store(true)
	watching.Wait()
	awaitParked(t, s)
	if n, m := s.census.searching(), s.census.rousing.Load(); n != 0 || m != 0 {
		t.Errorf("all are parked, %d search and %d are being woken", n, m)
	}
	for _, p := range s.all() {
		if len(p.parker.token) > 0 {
			t.Errorf("processor %d sleeps beside a token", p.index)
		}
	}
}
