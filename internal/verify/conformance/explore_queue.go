//go:build explore

package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

// A scenario is a small program for model threads: a container with some items in it, and the calls
// of each thread, a letter for each call. For queues, e enqueues and d dequeues; E and D do so with
// two items at once. n calls Len, z Empty and c Cap. r drains the queue until it is empty, a takes
// all items at one instant. l calls Len and Cap of a producer's handle, p asks for the number of
// handles.
type scenario struct {
	capacity int
	items    int
	threads  string // "ed-d" is two threads
}

func (s scenario) String() string {
	return fmt.Sprintf("capacity %d, %d items, %s", s.capacity, s.items, s.threads)
}

// scenarios pairs programs with small containers, empty and full. Unbounded containers have one
// capacity and hold one item instead.
func scenarios(bounded bool, fits func(int) int, programs ...string) []scenario {
	var all []scenario
	seen := map[scenario]bool{}
	for _, capacity := range []int{1, 2} {
		full := fits(capacity)
		if !bounded {
			capacity, full = 0, 1
		}
		for _, items := range []int{0, full} {
			for _, p := range programs {
				if s := (scenario{capacity, items, p}); p != "" && !seen[s] {
					seen[s] = true
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// randomExecutions is the number of random executions of a program of four threads.
const randomExecutions = 2_000

// explored runs programs of two threads through all interleavings, and programs of three threads
// through those with few preemptions. If long is set, programs of two threads are bounded too.
func explored(t *testing.T, long bool, all []scenario, body func(c scenario) func(r *explore.Run)) {
	t.Helper()
	for _, c := range all {
		preemptions := explore.Unbounded
		if long || strings.Count(c.threads, "-") > 1 {
			preemptions = 2
		}
		t.Run(fmt.Sprintf("exhaustive/%v", c), func(t *testing.T) { explore.Exhaustive(t, preemptions, body(c)) })
	}
}

// frozen stops each thread at each of its steps, and the others must end. If notLockFree is set, a
// stopped thread must hold up another.
func frozen(t *testing.T, notLockFree bool, all []scenario, body func(c scenario) func(r *explore.Run)) {
	t.Helper()
	if notLockFree {
		t.Run("held up", func(t *testing.T) { explore.MustBlock(t, body(all[0])) })
		return
	}
	for _, c := range all {
		t.Run(fmt.Sprintf("frozen/%v", c), func(t *testing.T) { explore.Freeze(t, body(c)) })
	}
}

// ExploreQueue explores a queue, each program as a subtest: all interleavings of two threads, those
// with few preemptions of three, and random ones of four. Each history is checked. It also stops
// each thread for good at each of its steps; the others must end. If the spec says that the queue
// is not lock-free, a stopped thread must hold up another.
func ExploreQueue(t *testing.T, s QueueSpec) {
	t.Helper()
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	two, three, four := s.programs()
	all := scenarios(s.Bounded, s.fits, append(two, three...)...)
	explored(t, s.Long, all, s.body)
	for _, c := range scenarios(s.Bounded, s.fits, four) {
		t.Run(fmt.Sprintf("random/%v", c), func(t *testing.T) { explore.Random(t, randomExecutions, s.body(c)) })
	}
	frozen(t, s.NotLockFree, all, s.body)
}

// programs returns the programs of two, three and four threads for the producers and consumers that
// the queue allows. In the first of them a stopped thread can hold up the other.
func (s QueueSpec) programs() (two, three []string, four string) {
	two, three, four = s.singly()
	in, out := s.hasBatches()
	if in {
		two = append(two, "E-dd", "Ee-d")
	}
	if out {
		two = append(two, "ee-D", "e-Dd")
	}
	if in && out {
		two = append(two, "E-D", "EE-DD")
	}
	if in && out && !s.OneProducer && !s.OneConsumer {
		two = append(two, "ED-ed", "E-E", "D-D")
		three = append(three, "E-e-D", "E-d-D")
	}
	return two, three, four
}

// singly returns the programs without batches.
func (s QueueSpec) singly() (two, three []string, four string) {
	switch {
	case s.OneProducer && s.OneConsumer:
		return []string{"ee-dd", "eee-ddd", "e-d"}, nil, ""
	case s.OneProducer:
		return []string{"ee-dd", "e-d"}, []string{"ee-d-d", "e-dd-d"}, "eee-dd-dd-d"
	case s.OneConsumer:
		return []string{"ee-dd", "e-d", "e-e", "e-ed"}, []string{"e-e-dd", "ee-e-d", "e-e-ed"}, "ee-ee-e-ddd"
	default:
		return []string{"ed-ed", "ee-dd", "de-de", "ed-de", "e-d", "e-e", "d-d"}, []string{"e-e-dd", "ee-d-d", "ed-e-d"}, "ed-ed-de-e"
	}
}

// body returns the program of a scenario, for the explorer.
func (s QueueSpec) body(c scenario) func(r *explore.Run) {
	checker := linear.NewChecker(s.model(c.capacity))
	threads := strings.Split(c.threads, "-")
	return func(r *explore.Run) {
		q := s.New(c.capacity)
		recorder := linear.NewRecorder(len(threads) + 1)
		outside := recorder.Client(len(threads)) // before and after the threads
		outs, ins := make([]Enqueuer[int], len(threads)), make([]Dequeuer[int], len(threads))
		var put Enqueuer[int] // for the calls before and after the threads
		var take Dequeuer[int]
		putter := len(threads) // the thread that has the handle put
		for i, calls := range threads {
			if strings.ContainsAny(calls, "eE") {
				if outs[i] = producer(q); put == nil {
					put, putter = outs[i], i
				}
			}
			if strings.ContainsAny(calls, "dDr") {
				if ins[i] = consumer(q); take == nil {
					take = ins[i]
				}
			}
		}
		if put == nil {
			put = producer(q)
		}
		if take == nil {
			take = consumer(q)
		}
		for i := range c.items {
			outside.Enqueue(valueOf(putter, i), put.TryEnqueue)
		}
		for i, calls := range threads {
			r.Go(fmt.Sprintf("%c (%s)", 'A'+i, calls), func() {
				client := recorder.Client(i)
				for n, call := range calls {
					switch v := valueOf(i, c.items+2*n); call {
					case 'e':
						client.Enqueue(v, outs[i].TryEnqueue)
					case 'E':
						client.EnqueueN([]int{v, v + 1}, s.In, outs[i].(enqueuerN[int]).EnqueueN)
					case 'd':
						client.Dequeue(ins[i].TryDequeue)
					case 'D':
						client.DequeueN(make([]int, 2), s.Out, ins[i].(dequeuerN[int]).DequeueN)
					default:
						s.observe(r, q, c, client, call, put, ins[i])
					}
				}
				client.Done()
			})
		}
		r.After(func() {
			for ok := true; ok; { // the items that are left are part of the history
				_, ok = outside.Dequeue(take.TryDequeue)
			}
			if err := checker.Check(recorder.History()); err != nil {
				r.Failf("%v", err)
			}
		})
	}
}

// ExploreStack explores a stack as [ExploreQueue] explores a queue.
func ExploreStack(t *testing.T, s StackSpec) {
	t.Helper()
	ExploreQueue(t, s.queue(t))
}
