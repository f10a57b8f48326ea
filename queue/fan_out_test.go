package queue_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/linear"
	"github.com/freerun-go/freerun/queue"
)

// One goroutine deals cards to three players; a player that has none left takes half of another
// one's.
func ExampleFanOut() {
	table := queue.NewFanOut[int](64)
	players := []*queue.FanOutConsumer[int]{table.Register(), table.Register(), table.Register()}
	for card := range 52 {
		table.TryEnqueue(card)
	}
	var sum atomic.Int64
	var all sync.WaitGroup
	for _, p := range players {
		all.Go(func() {
			for card := range queue.Drain(p) {
				sum.Add(int64(card))
			}
			p.Deregister()
		})
	}
	all.Wait()
	fmt.Println(sum.Load(), table.Len())
	// Output: 1326 0
}

// fanOut is a FanOut as the conformance tests call it: each consuming goroutine has its handle.
type fanOut[T any] struct {
	*queue.FanOut[T]
	own *queue.FanOutConsumer[T]
}

func newFanOut[T any](capacity int) conformance.Total[T] {
	q := queue.NewFanOut[T](capacity)
	return fanOut[T]{q, q.Register()}
}

func (f fanOut[T]) Consumer() conformance.Dequeuer[T] { return f.Register() }

func (f fanOut[T]) TryDequeue() (T, bool) { return f.own.TryDequeue() }

var fanOutSpec = conformance.QueueSpec{
	New: newFanOut[int], NewWide: newFanOut[conformance.Wide], NewBoxed: newFanOut[*conformance.Box],
	Order: conformance.Unordered, OneProducer: true, Bounded: true, PowerOfTwo: true, Full: linear.InFlight, Len: linear.Rough,
	NearOverflow: func(capacity int) conformance.Total[int] {
		q := queue.NewFanOutAt[int](capacity, 1<<32-20)
		return fanOut[int]{q, q.Register()}
	},
}

func TestFanOut(t *testing.T) { conformance.Queue(t, fanOutSpec) }

func FuzzFanOut(f *testing.F) { conformance.FuzzQueue(f, fanOutSpec) }

// TestFanOutDealsEvenly holds that EnqueueN gives the consumers shares that differ by at most one
// item, and none to a consumer that has left.
func TestFanOutDealsEvenly(t *testing.T) {
	for _, shares := range [][]int{{2, 2, 2, 2}, {2, 2, 2, 1}, {2, 1, 1, 1}, {1, 1, 1, 0}, {16, 16, 16, 16}} {
		for leaver := range 5 {
			q := queue.NewFanOut[int](64)
			consumers := make([]*queue.FanOutConsumer[int], 5)
			for i := range consumers {
				consumers[i] = q.Register()
			}
			consumers[leaver].Deregister()
			consumers = slices.Delete(consumers, leaver, leaver+1)
			var items []int
			for i := range 64 {
				items = append(items, i)
			}
			all := shares[0] + shares[1] + shares[2] + shares[3]
			if n := q.EnqueueN(items[:all]); n != all {
				t.Fatalf("EnqueueN of %d items = %d", all, n)
			}
			for i, c := range consumers { // each takes its own items first
				got := make([]int, shares[i])
				if n := c.DequeueN(got); !slices.Equal(got, items[:shares[i]]) {
					t.Errorf("%v without consumer %d: consumer %d took %v, want %v", shares, leaver, i, got[:n], items[:shares[i]])
				}
				items = items[shares[i]:]
			}
		}
	}
}

// TestFanOutDealsInTurns holds that each consumer gets its share, and keeps it while the others
// have theirs.
func TestFanOutDealsInTurns(t *testing.T) {
	q := queue.NewFanOut[int](64)
	consumers := []*queue.FanOutConsumer[int]{q.Register(), q.Register(), q.Register(), q.Register()}
	for i := range 64 {
		q.TryEnqueue(i)
	}
	for i := range 16 {
		for c, h := range consumers {
			if v, ok := h.TryDequeue(); v != 4*i+c || !ok {
				t.Errorf("item %d of consumer %d is %d, %v", i, c, v, ok)
			}
		}
	}
	if n := q.EnqueueN(make([]int, 64)); n != 64 || q.TryEnqueue(0) {
		t.Errorf("%d items went into room for 64", n)
	}
}

// TestFanOutSteals holds that a consumer that has nothing takes half of what another one has, which
// a third may then share.
func TestFanOutSteals(t *testing.T) {
	q := queue.NewFanOut[int](64)
	rich := q.Register()
	for i := range 64 {
		q.TryEnqueue(i)
	}
	poor := q.Register()
	if v, ok := poor.TryDequeue(); v != 0 || !ok {
		t.Errorf("the thief got %d, %v", v, ok)
	}
	if v, ok := rich.TryDequeue(); v != 32 || !ok {
		t.Errorf("after half of 64 were stolen the first item left is %d, %v", v, ok)
	}
	third := q.Register() // looks first at the next lane of the circle, rich's
	if v, ok := third.TryDequeue(); v != 33 || !ok {
		t.Errorf("the third got %d, %v", v, ok)
	}
	for range 60 {
		if _, ok := third.TryDequeue(); !ok {
			t.Fatal("nothing, though others have some")
		}
	}
	if _, ok := rich.TryDequeue(); !ok || q.Len() != 0 {
		t.Errorf("not even the last item; %d are left", q.Len())
	}
}

// TestFanOutLeavers has consumers leave with items dealt to them, and stolen, and come back:
// nothing is lost.
func TestFanOutLeavers(t *testing.T) {
	q := queue.NewFanOut[int](16)
	if !q.TryEnqueue(-1) { // before a consumer is there
		t.Fatal("no room")
	}
	got := map[int]bool{}
	take := func(c *queue.FanOutConsumer[int], want bool) {
		t.Helper()
		v, ok := c.TryDequeue()
		if ok != want || got[v] && ok {
			t.Fatalf("TryDequeue = %d, %v, and it came before: %v", v, ok, got[v])
		}
		if ok {
			got[v] = true
		}
	}
	one := q.Register()
	take(one, true)
	other := q.Register()
	for i := range 12 {
		q.TryEnqueue(i)
	}
	one.Deregister()
	for range 8 {
		take(other, true) // its own six, and then half of the leaver's
	}
	other.Deregister()
	q.TryEnqueue(12)
	if n := q.Consumers(); n != 0 || q.Len() != 5 {
		t.Errorf("%d consumers, %d items, want none and 5", n, q.Len())
	}
	third := q.Register()
	for range 5 {
		take(third, true)
	}
	take(third, false)
	for i := range 16 {
		if !q.TryEnqueue(100 + i) {
			t.Fatal("what the leavers had in their hands was lost")
		}
	}
}

// TestFanOutComeAndGo is the stress test: consumers register, take a little and leave, while the
// producer goes on.
func TestFanOutComeAndGo(t *testing.T) {
	const items, hands = 20_000, 4
	q := queue.NewFanOut[int](32)
	seen := make([]atomic.Int32, items)
	var taken atomic.Int64
	var all sync.WaitGroup
	for hand := range hands {
		all.Go(func() {
			for taken.Load() < items {
				c := q.Register()
				for range 1 + hand*20 {
					if v, ok := c.TryDequeue(); ok {
						seen[v].Add(1)
						taken.Add(1)
					} else {
						runtime.Gosched()
					}
				}
				c.Deregister()
			}
		})
	}
	for i := range items {
		for !q.TryEnqueue(i) {
			runtime.Gosched()
		}
	}
	all.Wait()
	for i := range seen {
		if n := seen[i].Load(); n != 1 {
			t.Fatalf("item %d came %d times", i, n)
		}
	}
	if n := q.Consumers(); n != 0 || q.Len() != 0 {
		t.Errorf("%d consumers and %d items are left", n, q.Len())
	}
}

func TestFanOutBatches(t *testing.T) {
	q := queue.NewFanOut[int](200)
	c, _ := q.Register(), q.Register()
	items := make([]int, 256)
	for i := range items {
		items[i] = i
	}
	if n := q.EnqueueN(append(items, 256)); n != 256 {
		t.Fatalf("%d items went into room for 256", n)
	}
	dst := make([]int, 300)
	if n := c.DequeueN(dst); n != 256 {
		t.Fatalf("%d items of 256 came", n)
	}
	slices.Sort(dst[:256])
	if !slices.Equal(dst[:256], items) || c.DequeueN(nil) != 0 {
		t.Errorf("what came is not what went in")
	}
}

func TestFanOutRefusesMisuse(t *testing.T) {
	for want, call := range map[string]func(c *queue.FanOutConsumer[int]){
		"queue: TryDequeue of a FanOutConsumer after Deregister": func(c *queue.FanOutConsumer[int]) { c.TryDequeue() },
		"queue: DequeueN of a FanOutConsumer after Deregister":   func(c *queue.FanOutConsumer[int]) { c.DequeueN(nil) },
		"queue: Deregister of a FanOutConsumer after Deregister": (*queue.FanOutConsumer[int]).Deregister,
	} {
		c := queue.NewFanOut[int](1).Register()
		c.Deregister()
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); text != want {
					t.Errorf("recovered %q, want %q", text, want)
				}
			}()
			call(c)
		}()
	}
}
