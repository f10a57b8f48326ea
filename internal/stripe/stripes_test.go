package stripe

import (
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// TestStripes: what is admitted is counted, with a stripe and without one, and nothing is admitted
// beyond its phase.
func TestStripes(t *testing.T) {
	for _, stripes := range []bool{true, false} {
		var b Stripes[int]
		var phase atomics.Uint32
		if stripes {
			b.Make()
		}
		if (b.Len() > 0) != stripes || (b.At(0) != nil) != stripes || b.At(b.Len()) != nil {
			t.Errorf("%d stripes", b.Len())
		}
		for range 100 {
			if !b.Admit(&phase, 0) {
				t.Error("refused")
			}
		}
		phase.Store(1)
		b.Rendezvous()
		if b.Admit(&phase, 0) {
			t.Error("admitted too late")
		}
		if !b.Admit(&phase, 1) {
			t.Error("refused in its phase")
		}
		if n := b.Total(); n != 101 {
			t.Errorf("counted %d", n)
		}
	}
}

// TestStripesKept: the value of a stripe belongs to the goroutine that has entered, and stays.
func TestStripesKept(t *testing.T) {
	const goroutines, each = 4, 10_000
	var b Stripes[int]
	b.Make()
	var all sync.WaitGroup
	var without atomics.Int32
	for range goroutines {
		all.Go(func() {
			for range each {
				if s := b.Enter(); s != nil {
					s.Kept++
					s.Leave()
				} else {
					without.Add(1)
				}
			}
		})
	}
	all.Wait()
	n := int(without.Load())
	for i := range b.Len() {
		n += b.At(i).Kept
	}
	if n != goroutines*each {
		t.Errorf("%d of %d", n, goroutines*each)
	}
}

// TestStripesRendezvous: after the phase was set and Rendezvous has returned, the total stands, and
// has all that were admitted.
func TestStripesRendezvous(t *testing.T) {
	for range 20 {
		var b Stripes[struct{}]
		b.Make()
		var phase atomics.Uint32
		var all sync.WaitGroup
		var admitted atomics.Uint64
		begun := make(chan struct{}, 4)
		for range cap(begun) {
			all.Go(func() {
				n := uint64(0)
				for s := (*Stripe[struct{}])(nil); ; {
					if s = b.Enter(); s == nil {
						continue
					}
					ok := s.Admit(&phase, 0)
					s.Leave()
					if !ok {
						break
					}
					if n++; n == 1 {
						begun <- struct{}{}
					}
				}
				admitted.Add(n)
			})
		}
		<-begun
		phase.Store(1)
		b.Rendezvous()
		total := b.Total()
		all.Wait()
		if n := admitted.Load(); total != n || b.Total() != n {
			t.Errorf("%d after the rendezvous, %d in the end, %d were admitted", total, b.Total(), n)
		}
	}
}

// TestStripesRendezvousWaits: Rendezvous does not return while a section is under way.
func TestStripesRendezvousWaits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	var b Stripes[int]
	b.Make()
	for range 20 {
		var inside, asked, returned atomics.Bool
		var all sync.WaitGroup
		all.Go(func() {
			for !inside.Load() {
				runtime.Gosched()
			}
			asked.Store(true)
			b.Rendezvous()
			returned.Store(true)
		})
		s := b.Enter()
		for ; s == nil; s = b.Enter() {
			runtime.Gosched()
		}
		s.sent.Begin()
		inside.Store(true)
		early := false
		for n := 0; n < 20_000 && !early; { // the section; it may be pinned, and does not yield
			if asked.Load() {
				n++
			}
			early = returned.Load()
		}
		s.sent.Count()
		s.Leave()
		all.Wait()
		if early {
			t.Fatal("returned while a section was under way")
		}
	}
}
