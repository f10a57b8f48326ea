//go:build explore

package queue_test

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/linear"
	"github.com/freerun-go/freerun/queue"
)

// segmentedProgram returns a body that runs threads on a queue, and then checks their results: e
// enqueues, d dequeues, E and D are batches of two. Before that it enqueues the items with which
// the queue begins, and afterwards it dequeues all that is left.
func segmentedProgram(fresh func() segmentedQueue, items int, threads ...string) func(r *explore.Run) {
	return func(r *explore.Run) {
		q := fresh()
		recorder := linear.NewRecorder(len(threads) + 1)
		outside := recorder.Client(len(threads))
		value := 0
		enqueue := func(c *linear.Client, n int) {
			var vs []int
			for range n {
				value++
				vs = append(vs, value)
			}
			if n == 1 {
				c.Enqueue(vs[0], q.TryEnqueue)
				return
			}
			begin := c.Begin()
			q.EnqueueN(vs)
			for _, v := range vs {
				c.End(begin, linear.Call{Verb: linear.Enqueue, Value: v}, linear.Answer{OK: true})
			}
		}
		dequeue := func(c *linear.Client, n int) bool {
			if n == 1 {
				_, ok := c.Dequeue(q.TryDequeue)
				return ok
			}
			begin := c.Begin()
			dst := make([]int, n)
			got := q.DequeueN(dst)
			for i := range min(n, got+1) {
				c.End(begin, linear.Call{Verb: linear.Dequeue}, linear.Answer{Value: dst[i], OK: i < got})
			}
			return got == n
		}
		for range items {
			enqueue(outside, 1)
		}
		for i, calls := range threads {
			r.Go(fmt.Sprintf("%d (%s)", i, calls), func() {
				for _, call := range calls {
					switch c := recorder.Client(i); call {
					case 'e':
						enqueue(c, 1)
					case 'E':
						enqueue(c, 2)
					case 'd':
						dequeue(c, 1)
					case 'D':
						dequeue(c, 2)
					}
				}
				recorder.Client(i).Done()
			})
		}
		r.After(func() {
			if n := q.Len(); n != leftOver(recorder.History()) {
				r.Failf("Len is %d, and %d are left", n, leftOver(recorder.History()))
			}
			for dequeue(outside, 1) {
			}
			if sound, ok := q.(*queue.SegmentedMPMC[int]); ok && !sound.Tidy() {
				r.Failf("a segment that no call uses cannot be used again")
			}
			if err := linear.Check(linear.FIFO(linear.Unbounded, linear.Strict), recorder.History()); err != nil {
				r.Failf("%v", err)
			}
		})
	}
}

// segmentedQueue is the queue, or one with a bug.
type segmentedQueue interface {
	TryEnqueue(v int) bool
	TryDequeue() (int, bool)
	EnqueueN(vs []int) int
	DequeueN(dst []int) int
	Len() int
}

// leftOver returns how many items went in and not out.
func leftOver(h linear.History) (n int) {
	for _, o := range h {
		switch {
		case !o.Answer.OK:
		case o.Call.Verb == linear.Enqueue:
			n++
		default:
			n--
		}
	}
	return n
}

// tinySegments returns a function that makes queues whose segments have smallest to largest slots.
func tinySegments(smallest, largest int) func() segmentedQueue {
	return func() segmentedQueue { return queue.NewSegmented[int](smallest, largest, 0) }
}

// TestExploreSegmentedPairs runs two threads: short programs through all interleavings, and longer
// ones, in which segments are left and used again, through those with few preemptions.
func TestExploreSegmentedPairs(t *testing.T) {
	for _, c := range []struct {
		preemptions int
		items       int
		threads     []string
	}{
		{explore.Unbounded, 0, []string{"e", "d"}},
		{explore.Unbounded, 0, []string{"e", "e"}},
		{explore.Unbounded, 1, []string{"d", "d"}},
		{explore.Unbounded, 1, []string{"e", "d"}},
		{explore.Unbounded, 0, []string{"ee", "dd"}},
		{explore.Unbounded, 0, []string{"E", "D"}},
		{2, 1, []string{"ed", "ed"}},
		{2, 0, []string{"ed", "de"}},
		{2, 1, []string{"eD", "Ed"}},
		{2, 0, []string{"eee", "ddd"}},
		{2, 0, []string{"e", "edededed"}},
		{2, 0, []string{"d", "edededed"}},
		{2, 1, []string{"d", "EdEDDE"}},
		{2, 1, []string{"E", "dEDeDE"}},
	} {
		for _, size := range [][2]int{{1, 1}, {2, 2}, {1, 2}} {
			t.Run(fmt.Sprintf("%v slots, %d items, %v", size, c.items, c.threads), func(t *testing.T) {
				explore.Exhaustive(t, c.preemptions, segmentedProgram(tinySegments(size[0], size[1]), c.items, c.threads...))
			})
		}
	}
}

// TestExploreSegmentedZero begins with the zero value: the first call makes the first segment.
func TestExploreSegmentedZero(t *testing.T) {
	for _, threads := range [][]string{{"e", "e"}, {"ed", "d"}, {"e", "e", "d"}, {"E", "d"}} {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			explore.Exhaustive(t, 2, segmentedProgram(func() segmentedQueue { return &queue.SegmentedMPMC[int]{} }, 0, threads...))
		})
	}
}

// TestExploreSegmentedThree runs three threads.
func TestExploreSegmentedThree(t *testing.T) {
	for _, threads := range [][]string{{"e", "e", "d"}, {"e", "d", "d"}, {"ed", "e", "d"}, {"e", "d", "eded"}, {"E", "d", "D"}, {"e", "e", "eded"}, {"d", "d", "eEdD"}} {
		for items := range 2 {
			for size := 1; size <= 2; size++ {
				t.Run(fmt.Sprintf("%d slots, %d items, %v", size, items, threads), func(t *testing.T) {
					explore.Exhaustive(t, 2, segmentedProgram(tinySegments(size, size), items, threads...))
				})
			}
		}
	}
}

// TestExploreSegmentedRandom runs programs that are too long for all interleavings.
func TestExploreSegmentedRandom(t *testing.T) {
	for size := 1; size <= 3; size++ {
		explore.Random(t, 2000, segmentedProgram(tinySegments(size, 2*size), 1, "edEd", "deDe", "eedD", "Edde"))
		explore.Random(t, 2000, segmentedProgram(tinySegments(size, size), 0, "eeee", "dddd", "edededed"))
	}
}

// TestExploreSegmentedFrozen stops each thread at each of its steps.
func TestExploreSegmentedFrozen(t *testing.T) {
	for size := 1; size <= 2; size++ {
		for _, threads := range [][]string{{"ed", "ed"}, {"ee", "dd"}, {"eE", "Dd"}, {"ed", "e", "dd"}, {"ee", "dd", "eded"}} {
			explore.Freeze(t, segmentedProgram(tinySegments(size, size), 1, threads...))
		}
	}
}

// TestExploreSegmentedControls holds that what each part of the algorithm prevents goes wrong
// without that part, and that the same programs are right with it.
func TestExploreSegmentedControls(t *testing.T) {
	for _, c := range []struct {
		name    string
		flaw    queue.SegmentedFlaw
		slots   int
		items   int
		threads []string
	}{
		{"a slot is used again under a late enqueuer", queue.ReusesUnspent, 1, 0, []string{"e", "dedede"}},
		{"a segment is linked to itself by a late enqueuer", queue.IgnoresVisitors, 1, 0, []string{"ee", "edededed"}},
		{"an item is enqueued where no call sees it", queue.OpensEnqEarly, 2, 0, []string{"ed", "ededededed"}},
		{"a late dequeuer overtakes", queue.OpensDeqEarly, 1, 0, []string{"d", "edeede"}},
		{"empty, says a late dequeuer, of the life after", queue.MixesLives, 2, 2, []string{"dd", "edede"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			explore.Exhaustive(t, 2, segmentedProgram(tinySegments(c.slots, c.slots), c.items, c.threads...))
			explore.MustFail(t, 2, segmentedProgram(func() segmentedQueue {
				return queue.FlawedSegmented{SegmentedMPMC: queue.NewSegmented[int](c.slots, c.slots, 0), Flaw: c.flaw}
			}, c.items, c.threads...))
		})
	}
}
