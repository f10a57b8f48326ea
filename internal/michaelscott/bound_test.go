package michaelscott

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// crowd runs calls in many more goroutines than there are processors, whose number changes all
// the time.
func crowd(t *testing.T, rounds int, call func(random *rand.Rand)) {
	t.Helper()
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	var all, changer sync.WaitGroup
	var over atomic.Bool
	changer.Go(func() {
		for i := 0; !over.Load(); i++ {
			runtime.GOMAXPROCS([...]int{2, 1, 5, 3}[i%4])
			time.Sleep(100 * time.Microsecond)
		}
	})
	seed := replay.Seed(t)
	for g := range 32 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(g)))
			for range rounds {
				call(random)
				if random.IntN(64) == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
	over.Store(true)
	changer.Wait()
}

// rounds is how many calls each of several goroutines makes.
func rounds() int {
	if testing.Short() {
		return 2_000
	}
	return 20_000
}

// TestUnboundedMPMCNodes holds the queue to the bound that unbounded.go proves, and to keeping
// every node.
func TestUnboundedMPMCNodes(t *testing.T) {
	const most = 40 // values at once
	var q UnboundedMPMC[int]
	var values, enqueued, in, out atomic.Int64
	var first map[*node[int]]string
	for part := range 2 {
		crowd(t, rounds(), func(random *rand.Rand) {
			if random.IntN(2) == 0 {
				if values.Add(1) > most {
					values.Add(-1)
					return
				}
				v := 1 + random.IntN(1000)
				q.Enqueue(v)
				in.Add(int64(v))
				enqueued.Add(1)
			} else if v, ok := q.TryDequeue(); ok {
				out.Add(int64(v))
				values.Add(-1)
			}
		})
		s, bound := stockOf(&q, most)
		if err := s.check(bound, true); err != nil {
			t.Error(err)
		}
		if part == 0 {
			first = maps.Clone(s.nodes)
		}
		for n := range first {
			if s.nodes[n] == "" {
				t.Fatal("a node was let go")
			}
		}
		t.Logf("%d nodes for %d values, on %d processors at most; %d there may be", len(s.nodes), enqueued.Load(), q.nodes.Records(), bound)
	}
	for v, ok := q.TryDequeue(); ok; v, ok = q.TryDequeue() {
		out.Add(int64(v))
	}
	if in.Load() != out.Load() {
		t.Errorf("values of %d in all went in, and of %d came out", in.Load(), out.Load())
	}
}

// TestIntrusiveMPMCNodes moves items between queues and holds the number of nodes to the papers'
// bound.
func TestIntrusiveMPMCNodes(t *testing.T) {
	const items = 40
	itemNodes = new(domain[any])
	var queues [3]IntrusiveMPMC[*carrier[int]]
	var all []*carrier[int]
	for i := range items {
		all = append(all, &carrier[int]{value: i})
		queues[i%len(queues)].Enqueue(all[i])
	}
	var moved atomic.Int64
	crowd(t, rounds(), func(random *rand.Rand) {
		if e, ok := queues[random.IntN(len(queues))].TryDequeue(); ok {
			queues[random.IntN(len(queues))].Enqueue(e)
			moved.Add(1)
		}
	})
	var s stock[any]
	s.addRecords(itemNodes)
	found := map[*carrier[int]]bool{}
	for i := range queues {
		l := &queues[i].list
		for n := l.head.Load(); n != nil; n = n.next.Load() {
			s.add(fmt.Sprint("queue ", i), n)
			if n != l.head.Load() {
				found[n.value.Get().(*carrier[int])] = true
			}
		}
	}
	if len(found) != items {
		t.Errorf("%d of %d items are there", len(found), items)
	}
	if err := s.check(items+len(queues)+2*itemNodes.Records(), true); err != nil {
		t.Error(err)
	}
	t.Logf("%d nodes for %d items that were enqueued %d times, on %d processors at most", len(s.nodes), items, moved.Load(), itemNodes.Records())
}

// TestMichaelScottAllocatesNothing holds that nothing is allocated once there are nodes.
func TestMichaelScottAllocatesNothing(t *testing.T) {
	var q UnboundedMPMC[[3]string]
	var list, other IntrusiveMPMC[*carrier[int]]
	list.Enqueue(new(carrier[int]))
	calls := func() {
		for range 5 {
			q.Enqueue([3]string{"a", "b", "c"})
		}
		for range 5 {
			q.TryDequeue()
		}
		e, _ := list.TryDequeue()
		other.Enqueue(e)
		e, _ = other.TryDequeue()
		list.Enqueue(e)
	}
	for range 100 {
		calls()
	}
	if n := testing.AllocsPerRun(1000, calls); n != 0 {
		t.Errorf("%v allocations in 12 calls", n)
	}
}

// TestMichaelScottFirst makes many calls at once be the first ones of a queue.
func TestMichaelScottFirst(t *testing.T) {
	for range 300 {
		var q UnboundedMPMC[int]
		var l IntrusiveMPMC[*carrier[int]]
		var all sync.WaitGroup
		start := make(chan struct{})
		for g := range 4 {
			all.Go(func() {
				<-start
				q.Enqueue(g)
				l.Enqueue(&carrier[int]{value: g})
			})
		}
		close(start)
		all.Wait()
		if q.Len() != 4 || l.Len() != 4 {
			t.Fatalf("4 were enqueued, and %d and %d are there", q.Len(), l.Len())
		}
	}
}

// TestIntrusiveMPMCRetains holds that neither an item that came out, nor a node that was left in a
// pool, keeps a queue or its contents alive.
func TestIntrusiveMPMCRetains(t *testing.T) {
	q := new(IntrusiveMPMC[*carrier[int]])
	var left []weak.Pointer[carrier[int]]
	kept := new(carrier[int])
	q.Enqueue(kept)
	for range 50 {
		e := new(carrier[int])
		left = append(left, weak.Make(e))
		q.Enqueue(e)
	}
	if e, _ := q.TryDequeue(); e != kept {
		t.Fatal("not first in, first out")
	}
	q = nil
	for range 3 {
		runtime.GC()
	}
	for i, p := range left {
		if p.Value() != nil {
			t.Fatalf("item %d of a queue that is no more is kept", i)
		}
	}
	runtime.KeepAlive(kept)
}

// TestIntrusiveMPMCTwice holds that an item that is in a queue is not put into another.
func TestIntrusiveMPMCTwice(t *testing.T) {
	var q, other IntrusiveMPMC[*carrier[int]]
	e := new(carrier[int])
	q.Enqueue(e)
	defer func() {
		if recover() == nil {
			t.Error("the second Enqueue did not panic")
		}
		if got, ok := q.TryDequeue(); got != e || !ok {
			t.Error("the item is gone")
		}
	}()
	other.Enqueue(e)
}

// TestMichaelScottLen compares Len with what went in and came out.
func TestMichaelScottLen(t *testing.T) {
	var q UnboundedMPMC[int]
	n := 0
	for i := range 500 {
		if q.Len() != n {
			t.Fatalf("Len() = %d with %d values", q.Len(), n)
		}
		if i%7 < 4 {
			q.Enqueue(i)
			n++
		} else if _, ok := q.TryDequeue(); ok {
			n--
		}
	}
}
