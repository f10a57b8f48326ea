package queues

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/freerun-go/freerun/programs/queues"
	"github.com/freerun-go/freerun/queue"
)

// BenchmarkFree compares bounded queues whose two sides run free: nothing but the queue keeps one
// side in step with the other. A side that finds the queue empty or full looks again at once, and
// lets other goroutines run after patience looks in vain. The queues take turns within each round,
// and each begins every other round. A metric is named after its queue: the median of its rounds in
// ns an item, and the least.
func BenchmarkFree(b *testing.B) {
	for _, sides := range [][2]int{{1, 1}, {4, 1}, {1, 4}, {4, 4}} {
		b.Run(fmt.Sprintf("%dP%dC/8B", sides[0], sides[1]), func(b *testing.B) {
			takeTurns(b, sides[0], sides[1], func(i int) queues.Narrow { return queues.Narrow(i) })
		})
		b.Run(fmt.Sprintf("%dP%dC/64B", sides[0], sides[1]), func(b *testing.B) {
			takeTurns(b, sides[0], sides[1], func(i int) queues.Wide { return queues.Wide{0: uint64(i), 7: uint64(i)} })
		})
	}
}

const (
	room     = 1024
	items    = 200_000
	patience = 200
)

// tried is a queue whose calls do not wait.
type tried[T any] interface {
	TryEnqueue(v T) bool
	TryDequeue() (T, bool)
}

// takeTurns measures the queues that the numbers of producers and consumers allow.
func takeTurns[T any](b *testing.B, producers, consumers int, item func(i int) T) {
	type rival struct {
		name string
		pass func() time.Duration
		took []float64
	}
	rivals := []*rival{
		{name: "mpmc", pass: func() time.Duration { return pass(queue.NewMPMC[T](room), producers, consumers, item) }},
		{name: "xmpmc", pass: func() time.Duration { return pass(xsync.NewMPMCQueue[T](room), producers, consumers, item) }},
	}
	if producers == 1 && consumers == 1 {
		rivals = append(rivals,
			&rival{name: "spsc", pass: func() time.Duration { return pass(queue.NewSPSC[T](room), 1, 1, item) }},
			&rival{name: "xspsc", pass: func() time.Duration { return pass(xsync.NewSPSCQueue[T](room), 1, 1, item) }})
	}
	for b.Loop() {
		for _, r := range rivals {
			r.took = append(r.took, float64(r.pass().Nanoseconds())/items)
		}
		slices.Reverse(rivals)
	}
	slices.SortFunc(rivals, func(x, y *rival) int { return strings.Compare(x.name, y.name) })
	for _, r := range rivals {
		slices.Sort(r.took)
		b.ReportMetric(r.took[len(r.took)/2], r.name)
		b.ReportMetric(r.took[0], r.name+"-min")
	}
}

// pass returns how long the queue takes to pass all items.
func pass[T any, Q tried[T]](q Q, producers, consumers int, item func(i int) T) time.Duration {
	runtime.GC()
	var all sync.WaitGroup
	gate := make(chan struct{})
	for i := range producers {
		all.Go(func() {
			<-gate
			for n := range items*(i+1)/producers - items*i/producers {
				for looks := 1; !q.TryEnqueue(item(n)); looks++ {
					if looks%patience == 0 {
						runtime.Gosched()
					}
				}
			}
		})
	}
	for i := range consumers {
		all.Go(func() {
			<-gate
			for range items*(i+1)/consumers - items*i/consumers {
				for looks := 1; ; looks++ {
					if _, ok := q.TryDequeue(); ok {
						break
					}
					if looks%patience == 0 {
						runtime.Gosched()
					}
				}
			}
		})
	}
	begun := time.Now()
	close(gate)
	all.Wait()
	return time.Since(begun)
}
