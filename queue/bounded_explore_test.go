//go:build explore

package queue_test

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/queue"
)

// bounded is the interface that the four bounded queues have in common.
type bounded interface {
	TryEnqueue(v int) bool
	TryDequeue() (v int, ok bool)
	EnqueueN(vs []int) int
	DequeueN(dst []int) int
	Len() int
	Cap() int
}

// boundedCase is a queue to explore, with as many producers and consumers as it allows.
type boundedCase struct {
	name                 string
	make                 func(capacity int) bounded
	producers, consumers int
}

var boundedCases = []boundedCase{
	{"SPSC", func(capacity int) bounded { return queue.NewSPSC[int](capacity) }, 1, 1},
	{"MPSC", func(capacity int) bounded { return queue.NewMPSC[int](capacity) }, 2, 1},
	{"SPMC", func(capacity int) bounded { return queue.NewSPMC[int](capacity) }, 1, 2},
	{"MPMC", func(capacity int) bounded { return queue.NewMPMC[int](capacity) }, 2, 2},
	{"SPSCOverflow", func(capacity int) bounded { return queue.NewSPSCAt[int](capacity, ^uint64(0)) }, 1, 1},
	{"MPSCOverflow", func(capacity int) bounded { return queue.NewMPSCAt[int](capacity, ^uint64(0)) }, 2, 1},
	{"SPMCOverflow", func(capacity int) bounded { return queue.NewSPMCAt[int](capacity, ^uint64(0)) }, 1, 2},
	{"MPMCOverflow", func(capacity int) bounded { return queue.NewMPMCAt[int](capacity, ^uint64(0)) }, 2, 2},
}

// notary counts the calls that have certainly taken effect, in words of the model: so the explorer
// tries both orders of a count and of a look at it by another thread.
type notary struct {
	r                 *explore.Run
	q                 bounded
	went, came        atomics.Int64 // items that went in, and came out: counted afterwards
	entering, leaving atomics.Int64 // items that may have gone in, and come out: counted first
	in, out           [4][]int      // by thread
}

// itemOf is the n-th of a producer.
func itemOf(producer, n int) int { return 10*producer + n }

// enqueue enqueues and holds the answer against what is certain.
func (c *notary) enqueue(producer, v int) {
	came := c.came.Load()
	c.entering.Add(1)
	if c.q.TryEnqueue(v) {
		c.in[producer] = append(c.in[producer], v)
		c.went.Add(1)
		return
	}
	entering := c.entering.Add(-1)
	if int(entering-came) < c.q.Cap() {
		c.r.Failf("full with at most %d items, room for %d", entering-came, c.q.Cap())
	}
}

// dequeue dequeues and holds the answer against what is certain.
func (c *notary) dequeue(consumer int) {
	went := c.went.Load()
	c.leaving.Add(1)
	if v, ok := c.q.TryDequeue(); ok {
		c.out[consumer] = append(c.out[consumer], v)
		c.came.Add(1)
		return
	}
	leaving := c.leaving.Add(-1)
	if went > leaving {
		c.r.Failf("empty with at least %d items", went-leaving)
	}
}

// finish takes out the items that are left and checks that each item came out once, and each
// producer's in order for each consumer.
func (c *notary) finish() {
	if n := c.q.Len(); n != int(c.went.Load()-c.came.Load()) {
		c.r.Failf("Len = %d at the end, want %d", n, c.went.Load()-c.came.Load())
	}
	var rest []int
	for {
		v, ok := c.q.TryDequeue()
		if !ok {
			break
		}
		rest = append(rest, v)
	}
	seen := map[int]bool{}
	for _, out := range append(c.out[:], rest) {
		last := map[int]int{}
		for _, v := range out {
			if p := v / 10; last[p] > v {
				c.r.Failf("%d came out after %d", v, last[p])
			}
			last[v/10] = v
			if seen[v] {
				c.r.Failf("%d came out twice", v)
			}
			seen[v] = true
		}
	}
	for _, in := range c.in {
		for _, v := range in {
			if !seen[v] {
				c.r.Failf("%d did not come out: %v, %v", v, c.out, rest)
			}
			delete(seen, v)
		}
	}
	if len(seen) != 0 {
		c.r.Failf("%v came out and did not go in", seen)
	}
}

// enqueueN and dequeueN are for batches. They may move fewer items than asked for if the other side
// was in the middle of a call, but not none while there certainly is room, or an item.
func (c *notary) enqueueN(producer int, vs ...int) {
	came := c.came.Load()
	c.entering.Add(int64(len(vs)))
	n := c.q.EnqueueN(vs)
	c.in[producer] = append(c.in[producer], vs[:n]...)
	c.went.Add(int64(n))
	if entering := c.entering.Add(int64(n - len(vs))); n == 0 && int(entering-came) < c.q.Cap() {
		c.r.Failf("full with at most %d items, room for %d", entering-came, c.q.Cap())
	}
}

func (c *notary) dequeueN(consumer, want int) {
	went := c.went.Load()
	c.leaving.Add(int64(want))
	dst := make([]int, want)
	n := c.q.DequeueN(dst)
	c.out[consumer] = append(c.out[consumer], dst[:n]...)
	c.came.Add(int64(n))
	if leaving := c.leaving.Add(int64(n - want)); n == 0 && went > leaving {
		c.r.Failf("empty with at least %d items", went-leaving)
	}
}

// few is a program of a few producers and consumers with a few calls each, on a queue that held
// held items before.
func (c boundedCase) few(capacity, held, producers, enqueues, consumers, dequeues int) func(r *explore.Run) {
	return func(r *explore.Run) {
		n := &notary{r: r, q: c.make(capacity)}
		for i := range held {
			n.enqueue(3, itemOf(3, i+1))
		}
		for p := range producers {
			r.Go(fmt.Sprint("producer ", p), func() {
				for i := range enqueues {
					n.enqueue(p, itemOf(p, i+1))
				}
			})
		}
		for k := range consumers {
			r.Go(fmt.Sprint("consumer ", k), func() {
				for range dequeues {
					n.dequeue(k)
				}
			})
		}
		r.After(n.finish)
	}
}

// TestExploreBounded runs each queue with two threads in all interleavings, and with three in those
// with few preemptions: with capacities of 1 and 2, so that positions wrap around, empty, partly
// filled and full before.
func TestExploreBounded(t *testing.T) {
	for _, c := range boundedCases {
		for _, capacity := range []int{1, 2} {
			for held := range capacity + 1 {
				t.Run(fmt.Sprintf("%s/capacity %d, held %d", c.name, capacity, held), func(t *testing.T) {
					explore.Exhaustive(t, explore.Unbounded, c.few(capacity, held, 1, 2, 1, 2))
					if c.producers > 1 {
						explore.Exhaustive(t, 2, c.few(capacity, held, 2, 1, 1, 2))
					}
					if c.consumers > 1 {
						explore.Exhaustive(t, 2, c.few(capacity, held, 1, 2, 2, 1))
					}
				})
			}
		}
	}
}

// TestExploreBoundedRandom runs larger programs at random.
func TestExploreBoundedRandom(t *testing.T) {
	for _, c := range boundedCases {
		t.Run(c.name, func(t *testing.T) {
			explore.Random(t, 2000, c.few(2, 1, c.producers, 3, c.consumers, 3))
		})
	}
}

// TestExploreBoundedBatches mixes batches, also such as do not fit, with single items.
func TestExploreBoundedBatches(t *testing.T) {
	for _, c := range boundedCases {
		t.Run(c.name, func(t *testing.T) {
			pair := func(r *explore.Run) {
				n := &notary{r: r, q: c.make(2)}
				n.enqueue(3, itemOf(3, 1))
				r.Go("producer", func() {
					n.enqueueN(0, itemOf(0, 1), itemOf(0, 2))
					n.enqueue(0, itemOf(0, 3))
				})
				r.Go("consumer", func() {
					n.dequeueN(0, 2)
					n.dequeue(0)
				})
				r.After(n.finish)
			}
			explore.Exhaustive(t, explore.Unbounded, pair)
			explore.Random(t, 500, func(r *explore.Run) {
				n := &notary{r: r, q: c.make(4)}
				for p := range c.producers {
					r.Go(fmt.Sprint("producer ", p), func() {
						n.enqueueN(p, itemOf(p, 1), itemOf(p, 2), itemOf(p, 3))
						n.enqueueN(p, itemOf(p, 4), itemOf(p, 5))
					})
				}
				for k := range c.consumers {
					r.Go(fmt.Sprint("consumer ", k), func() {
						n.dequeueN(k, 2)
						n.dequeueN(k, 3)
						n.dequeue(k)
					})
				}
				r.After(n.finish)
			})
		})
	}
}

// tellThenLook has two threads that each put something into a queue of the other's and then look
// into their own. At least one must find something: waking sleepers relies on that, and a store
// that others see late would break it.
func tellThenLook(make func(capacity int) bounded) func(r *explore.Run) {
	return func(r *explore.Run) {
		queues := [2]bounded{make(1), make(1)}
		var found [2]bool
		for i, name := range []string{"one", "two"} {
			r.Go(name, func() {
				queues[i].TryEnqueue(1)
				_, found[i] = queues[1-i].TryDequeue()
			})
		}
		r.After(func() {
			if !found[0] && !found[1] {
				r.Failf("both enqueued, and neither found anything")
			}
		})
	}
}

// makeRoomThenLook is the same for room: each thread makes some in the other's queue and then tries
// to use that in its own.
func makeRoomThenLook(make func(capacity int) bounded) func(r *explore.Run) {
	return func(r *explore.Run) {
		queues := [2]bounded{make(1), make(1)}
		queues[0].TryEnqueue(1)
		queues[1].TryEnqueue(1)
		var fitted [2]bool
		for i, name := range []string{"one", "two"} {
			r.Go(name, func() {
				queues[i].TryDequeue()
				fitted[i] = queues[1-i].TryEnqueue(2)
			})
		}
		r.After(func() {
			if !fitted[0] && !fitted[1] {
				r.Failf("both dequeued, and neither found room")
			}
		})
	}
}

// TestExploreBoundedTellsThenLooks holds the property on which Blocking is built.
func TestExploreBoundedTellsThenLooks(t *testing.T) {
	for _, c := range boundedCases {
		t.Run(c.name, func(t *testing.T) {
			explore.Exhaustive(t, explore.Unbounded, tellThenLook(c.make))
			explore.Exhaustive(t, explore.Unbounded, makeRoomThenLook(c.make))
		})
	}
}

// TestExploreBoundedHandOver passes both sides on to other threads, which rely only on the word
// that says so: the fields of a side go with it.
func TestExploreBoundedHandOver(t *testing.T) {
	for _, c := range boundedCases {
		t.Run(c.name, func(t *testing.T) {
			explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
				n := &notary{r: r, q: c.make(2)}
				n.enqueue(3, itemOf(3, 1))
				var yours atomics.Bool
				r.Go("first", func() {
					n.enqueue(0, itemOf(0, 1))
					n.dequeue(0)
					yours.Store(true)
				})
				r.Go("second", func() {
					if yours.Load() {
						n.enqueue(1, itemOf(1, 1))
						n.dequeue(1)
						n.dequeue(1)
					}
				})
				r.After(n.finish)
			})
		})
	}
}

// TestExploreBoundedLen reads the length beside both sides: it must be a possible one. Where
// positions decide, 0 also means that the queue was empty, which here it never is.
func TestExploreBoundedLen(t *testing.T) {
	for _, c := range boundedCases {
		t.Run(c.name, func(t *testing.T) {
			explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
				q := c.make(2)
				q.TryEnqueue(1)
				r.Go("user", func() {
					q.TryEnqueue(2)
					q.TryDequeue()
				})
				r.Go("onlooker", func() {
					if n := q.Len(); n < 0 || n > 2 || n == 0 && !relaxedLen(q) {
						r.Failf("Len = %d of a queue for 2 with 1 or 2 items", n)
					}
				})
			})
		})
	}
}

// relaxedLen reports whether the length is only a snapshot of words that are out of date.
func relaxedLen(q bounded) bool {
	_, is := q.(*queue.SPSC[int])
	return is
}

// TestExploreBoundedFrozen stops each thread for good wherever it can be. Both sides of an SPSC go
// on; so do the producers of an MPSC, the consumers of an SPMC and each side of an MPMC among
// themselves. Both sides together can be held up, but for the SPSC.
func TestExploreBoundedFrozen(t *testing.T) {
	for _, c := range boundedCases {
		both := c.few(2, 1, 1, 3, 1, 3)
		producers, consumers := c.few(2, 0, 2, 2, 0, 0), c.few(4, 4, 0, 0, 2, 2)
		t.Run(c.name, func(t *testing.T) {
			switch c.make(1).(type) {
			case *queue.SPSC[int]:
				explore.Freeze(t, both)
			case *queue.MPSC[int]:
				explore.Freeze(t, producers)
				explore.MustBlock(t, both)
			case *queue.SPMC[int]:
				explore.Freeze(t, consumers)
				explore.MustBlock(t, both)
			case *queue.MPMC[int]:
				explore.Freeze(t, producers)
				explore.Freeze(t, consumers)
				explore.MustBlock(t, both)
			}
		})
	}
}
