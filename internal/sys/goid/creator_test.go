package goid_test

import (
	"iter"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// TestCreator holds that a coroutine knows the goroutine that made it, whichever goroutine runs it,
// and that an ordinary goroutine is no coroutine. Where creators are not known, all numbers are 0.
func TestCreator(t *testing.T) {
	if known := goid.Number() != 0; known != goid.KnowsCreators {
		t.Errorf("known is %v", known)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			mine := goid.Number()
			if n := goid.Creator(); n != 0 {
				t.Errorf("an ordinary goroutine was made as a coroutine by %d", n)
			}
			numbers := func(yield func(uint64) bool) {
				for yield(goid.Creator()) && yield(goid.Number()) {
				}
			}
			next, stop := iter.Pull(numbers)
			defer stop()
			ended := make(chan struct{})
			for i := range 20 {
				ask := func() {
					if creator, _ := next(); creator != mine {
						t.Errorf("made by %d, not %d", creator, mine)
					}
					if number, _ := next(); mine != 0 && (number == mine || number == 0) {
						t.Errorf("a coroutine of %d has number %d", mine, number)
					}
				}
				if i%2 == 0 {
					ask()
					continue
				}
				go func() { defer func() { ended <- struct{}{} }(); ask() }()
				<-ended
			}
			go func() {
				defer close(ended)
				if n := goid.Creator(); n != 0 {
					t.Errorf("a child is taken for a coroutine of %d", n)
				}
			}()
			<-ended
		})
	}
	all.Wait()
}

// BenchmarkCreator measures what a goroutine pays before it waits.
func BenchmarkCreator(b *testing.B) {
	for b.Loop() {
		goid.Creator()
	}
}
