//go:build !explore

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun/internal/verify/replay"
	"github.com/freerun-go/freerun/queue"
)

// Two goroutines sum up the numbers that a third one brings, and end when it has closed the queue
// and no number is left.
func ExampleBlocking() {
	numbers := queue.NewBlocking[int](queue.NewMPMC[int](8))
	ctx := context.Background()
	var sum atomic.Int64
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for n := range queue.All(ctx, numbers) {
				sum.Add(int64(n))
			}
		})
	}
	for n := range 101 {
		if err := numbers.Enqueue(ctx, n); err != nil {
			fmt.Println(err)
		}
	}
	numbers.Close()
	all.Wait()
	fmt.Println(sum.Load())
	// Output: 5050
}

// Dequeue waits no longer than its context lasts.
func ExampleBlocking_Dequeue() {
	q := queue.NewBlocking[string](queue.NewMPMC[string](8))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := q.Dequeue(ctx)
	fmt.Println(err)
	q.Close()
	_, err = q.Dequeue(context.Background())
	fmt.Println(err)
	// Output:
	// context deadline exceeded
	// queue: closed
}

func TestWaitingSequential(t *testing.T) {
	ctx := t.Context()
	w := queue.NewBlocking[int](queue.NewMPMC[int](4))
	for i := range 4 {
		if err := w.Enqueue(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
	if w.TryEnqueue(4) {
		t.Error("a fifth item went into four places")
	}
	if v, ok := w.TryDequeue(); v != 0 || !ok {
		t.Errorf("TryDequeue = %d, %v, want 0, true", v, ok)
	}
	if !w.TryEnqueue(4) || w.Closed() {
		t.Error("no room in a queue that has it, or closed though no call has closed it")
	}
	w.Close()
	w.Close()
	if err := w.Enqueue(ctx, 5); !errors.Is(err, queue.ErrClosed) || w.TryEnqueue(5) || !w.Closed() {
		t.Errorf("Enqueue after Close: %v", err)
	}
	if got := slices.Collect(queue.All(ctx, w)); !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Errorf("what was there before Close: %v, want 1 to 4", got)
	}
	if _, err := w.Dequeue(ctx); !errors.Is(err, queue.ErrClosed) {
		t.Errorf("Dequeue of what is closed and empty: %v", err)
	}
	if _, ok := w.TryDequeue(); ok {
		t.Error("TryDequeue of what is closed and empty found something")
	}
}

func TestWaitingRefusesNoQueue(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); text != "queue: NewBlocking of no queue" {
			t.Errorf("recovered %q", text)
		}
	}()
	queue.NewBlocking[int](nil)
}

// TestZeroValuesSayWhatTheyAre holds that calls of zero values panic with a text that says so.
func TestZeroValuesSayWhatTheyAre(t *testing.T) {
	ctx := t.Context()
	for name, use := range map[string]func(){
		"Blocking.TryEnqueue":    func() { new(queue.Blocking[int]).TryEnqueue(1) },
		"Blocking.TryDequeue":    func() { new(queue.Blocking[int]).TryDequeue() },
		"Blocking.Enqueue":       func() { _ = new(queue.Blocking[int]).Enqueue(ctx, 1) },
		"Blocking.Dequeue":       func() { _, _ = new(queue.Blocking[int]).Dequeue(ctx) },
		"Blocking.All":           func() { _ = slices.Collect(queue.All(ctx, new(queue.Blocking[int]))) },
		"Synchronous.TryEnqueue": func() { new(queue.Synchronous[int]).TryEnqueue(1) },
		"Synchronous.TryDequeue": func() { new(queue.Synchronous[int]).TryDequeue() },
		"Synchronous.Enqueue":    func() { _ = new(queue.Synchronous[int]).Enqueue(ctx, 1) },
		"Synchronous.Dequeue":    func() { _, _ = new(queue.Synchronous[int]).Dequeue(ctx) },
		"Synchronous.All":        func() { _ = slices.Collect(queue.All(ctx, new(queue.Synchronous[int]))) },
	} {
		func() {
			defer func() {
				typ, _, _ := strings.Cut(name, ".")
				if text, want := fmt.Sprint(recover()), "queue: a zero "+typ+"; make it with New"+typ; text != want {
					t.Errorf("%s of a zero value panics with %q, want %q", name, text, want)
				}
			}()
			use()
		}()
	}
}

// TestWaitingAllEndsWithTheLoop leaves a loop over All early: All takes nothing that it did not
// yield.
func TestWaitingAllEndsWithTheLoop(t *testing.T) {
	w := queue.NewBlocking[int](queue.NewMPMC[int](8))
	for i := range 5 {
		w.TryEnqueue(i)
	}
	for v := range queue.All(t.Context(), w) {
		if v == 2 {
			break
		}
	}
	if v, ok := w.TryDequeue(); v != 3 || !ok {
		t.Errorf("after a loop that ended at 2 comes %d, %v, want 3", v, ok)
	}
}

// TestWaitingWaits runs in a bubble, which shows which goroutines sleep: waiters do, durably, and
// no other goroutine does.
func TestWaitingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := queue.NewBlocking[int](queue.NewMPMC[int](1))
		var got, put atomic.Int32
		ctx := t.Context()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, err := w.Dequeue(ctx); err != nil {
					t.Error(err)
				}
				got.Add(1)
			})
		}
		for i := range 3 {
			synctest.Wait()
			if n := got.Load(); n != int32(i) {
				t.Errorf("%d have dequeued %d items", n, i)
			}
			if !w.TryEnqueue(i) {
				t.Error("no room though all goroutines wait for an item")
			}
		}
		all.Wait()
		w.TryEnqueue(0)
		for range 3 {
			all.Go(func() {
				if err := w.Enqueue(ctx, 1); err != nil {
					t.Error(err)
				}
				put.Add(1)
			})
		}
		for i := range 3 {
			synctest.Wait()
			if n := put.Load(); n != int32(i) {
				t.Errorf("%d have enqueued where there was room for %d", n, i)
			}
			if _, ok := w.TryDequeue(); !ok {
				t.Error("nothing in a queue in front of which they wait for room")
			}
		}
		all.Wait()
	})
}

// TestWaitingFirstComeFirstServed has goroutines begin to wait one after another: items, and room,
// go to them in that order.
func TestWaitingFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := queue.NewBlocking[int](queue.NewMPMC[int](1))
		const goroutines = 40
		var order []int
		var all sync.WaitGroup
		for g := range goroutines {
			all.Go(func() {
				if _, err := w.Dequeue(t.Context()); err != nil {
					t.Error(err)
				}
				order = append(order, g) // one at a time, between two waits of the bubble
			})
			synctest.Wait()
		}
		for i := range goroutines {
			w.TryEnqueue(i)
			synctest.Wait()
		}
		if !slices.IsSorted(order) || len(order) != goroutines {
			t.Errorf("the waiters for items were served in the order %v", order)
		}
		all.Wait()

		order = nil
		w.TryEnqueue(-1)
		for g := range goroutines {
			all.Go(func() {
				if err := w.Enqueue(t.Context(), g); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		for range goroutines + 1 {
			v, _ := w.TryDequeue()
			order = append(order, v)
			synctest.Wait()
		}
		if !slices.IsSorted(order) || len(order) != goroutines+1 {
			t.Errorf("the waiters for room were served in the order %v", order)
		}
		all.Wait()
	})
}

// TestWaitingCancelled ends the contexts of some waiters: they get the cause, and the others get
// the items, in order.
func TestWaitingCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := queue.NewBlocking[int](queue.NewMPMC[int](1))
		enough := errors.New("enough")
		const goroutines = 100
		var served []int
		var all sync.WaitGroup
		for g := range goroutines {
			ctx, cancel := context.WithCancelCause(t.Context())
			all.Go(func() {
				_, err := w.Dequeue(ctx)
				switch {
				case g%10 != 9 && !errors.Is(err, enough):
					t.Errorf("a context that ended gave %v", err)
				case g%10 == 9 && err != nil:
					t.Error(err)
				case g%10 == 9:
					served = append(served, g)
				}
			})
			synctest.Wait()
			if g%10 != 9 {
				defer cancel(nil)
				time.AfterFunc(time.Second, func() { cancel(enough) })
			} else {
				defer cancel(nil)
			}
		}
		time.Sleep(2 * time.Second)
		for i := range goroutines / 10 {
			w.TryEnqueue(i)
			synctest.Wait()
		}
		all.Wait()
		if !slices.IsSorted(served) || len(served) != goroutines/10 {
			t.Errorf("the waiters that stayed were served in the order %v", served)
		}
	})
}

// TestWaitingCloseWakesAll closes queues on which many wait for items, or for room.
func TestWaitingCloseWakesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		empty, full := queue.NewBlocking[int](queue.NewMPMC[int](1)), queue.NewBlocking[int](queue.NewMPMC[int](1))
		full.TryEnqueue(7)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := empty.Dequeue(t.Context()); !errors.Is(err, queue.ErrClosed) {
					t.Errorf("Dequeue got %v", err)
				}
			})
			all.Go(func() {
				if err := full.Enqueue(t.Context(), 8); !errors.Is(err, queue.ErrClosed) {
					t.Errorf("Enqueue got %v", err)
				}
			})
		}
		synctest.Wait()
		empty.Close()
		full.Close()
		all.Wait()
		if got := slices.Collect(queue.All(t.Context(), full)); !slices.Equal(got, []int{7}) {
			t.Errorf("%v was left in the closed queue, want 7 alone", got)
		}
	})
}

// TestWaitingLosesNothing is the stress test: goroutines enqueue and dequeue with contexts that end
// at any time, and one closes the queue in the middle. An item that Enqueue has accepted comes out
// exactly once, in the order of its producer for each consumer. An item that it has refused never
// comes out.
func TestWaitingLosesNothing(t *testing.T) {
	seed := replay.Seed(t)
	for round := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, round))
		capacity, producers, consumers, each := 1+random.IntN(4), 1+random.IntN(4), 1+random.IntN(4), 1+random.IntN(300)
		closeAfter := random.IntN(producers*each + 1)
		w := queue.NewBlocking[item](queue.NewMPMC[item](capacity))
		var bringing, taking sync.WaitGroup
		var taken atomic.Int64
		accepted := make([][]bool, producers)
		received := make([][]item, consumers)
		for p := range producers {
			accepted[p] = make([]bool, each)
			random := rand.New(rand.NewPCG(seed+round, uint64(p)))
			bringing.Go(func() {
				for n := range each {
					ctx, cancel := impatient(random)
					err := w.Enqueue(ctx, item{p, n})
					cancel()
					if accepted[p][n] = err == nil; errors.Is(err, queue.ErrClosed) {
						return
					}
				}
			})
		}
		for c := range consumers {
			random := rand.New(rand.NewPCG(seed+round, uint64(100+c)))
			taking.Go(func() {
				for {
					ctx, cancel := impatient(random)
					v, err := w.Dequeue(ctx)
					cancel()
					switch {
					case err == nil:
						received[c] = append(received[c], v)
						if taken.Add(1) == int64(closeAfter) {
							w.Close()
						}
					case errors.Is(err, queue.ErrClosed):
						return
					}
				}
			})
		}
		bringing.Wait()
		w.Close()
		taking.Wait()
		for _, items := range received {
			last := make([]int, producers)
			for _, it := range items {
				if !accepted[it.producer][it.number] {
					t.Fatalf("round %d: %v came, which Enqueue refused, or which came before", round, it)
				}
				accepted[it.producer][it.number] = false
				if it.number < last[it.producer] {
					t.Fatalf("round %d: %v came after number %d", round, it, last[it.producer])
				}
				last[it.producer] = it.number
			}
		}
		for p := range accepted {
			if n := slices.Index(accepted[p], true); n >= 0 {
				t.Fatalf("round %d: number %d of producer %d was lost", round, n, p)
			}
		}
	}
}

// impatient returns a context that may have ended, is about to, or does not end.
func impatient(random *rand.Rand) (context.Context, context.CancelFunc) {
	switch random.IntN(4) {
	case 0:
		return context.WithTimeout(context.Background(), time.Duration(random.IntN(30))*time.Microsecond)
	case 1:
		ctx, cancel := context.WithCancel(context.Background())
		if random.IntN(2) == 0 {
			cancel()
		} else {
			go cancel()
		}
		return ctx, cancel
	}
	return context.Background(), func() {}
}

// TestWaitingLeavesLittle has goroutines begin to wait and give up on a queue that no other
// goroutine uses: the number of waiters that they leave behind is bounded.
func TestWaitingLeavesLittle(t *testing.T) {
	w := queue.NewBlocking[int](queue.NewMPMC[int](1))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 5_000 {
		if _, err := w.Dequeue(ended); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 200_000 {
		t.Errorf("5,000 calls that gave up left %d bytes behind", grown)
	}
	runtime.KeepAlive(w)
}
