//go:build !explore

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/freerun-go/freerun/internal/verify/replay"
	"github.com/freerun-go/freerun/queue"
)

// A baton goes from hand to hand: the runner that gives it knows that it was taken.
func ExampleSynchronous() {
	batons := queue.NewSynchronous[string]()
	ctx := context.Background()
	var runner sync.WaitGroup
	runner.Go(func() {
		for baton := range queue.All(ctx, batons) {
			fmt.Println("runs with", baton)
		}
	})
	for _, baton := range []string{"red", "green"} {
		if err := batons.Enqueue(ctx, baton); err != nil {
			fmt.Println(err)
		}
	}
	batons.Close()
	runner.Wait()
	fmt.Println(batons.Enqueue(ctx, "blue"))
	// Output:
	// runs with red
	// runs with green
	// queue: closed
}

// TestSynchronousWaits runs in a bubble, which shows which goroutines sleep: both sides wait for
// each other, and Try… finds a goroutine that waits.
func TestSynchronousWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ctx := queue.NewSynchronous[int](), t.Context()
		if _, ok := s.TryDequeue(); ok || s.TryEnqueue(1) {
			t.Error("a call found a peer where there is none")
		}
		var given, taken atomic.Int32
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				if err := s.Enqueue(ctx, i); err != nil {
					t.Error(err)
				}
				given.Add(1)
			})
			synctest.Wait()
		}
		for i := range int32(3) {
			if n := given.Load(); n != i {
				t.Errorf("%d items were given, %d taken", n, i)
			}
			if s.TryEnqueue(9) {
				t.Error("given although no dequeuer waits, only enqueuers")
			}
			if v, ok := s.TryDequeue(); v != int(i) || !ok {
				t.Errorf("TryDequeue = %d, %v, want %d", v, ok, i)
			}
			synctest.Wait()
		}
		all.Wait()
		var order []int
		for i := range 3 {
			all.Go(func() {
				v, err := s.Dequeue(ctx)
				if err != nil || v != 10+i {
					t.Errorf("the dequeuer that came as number %d got %d, %v", i, v, err)
				}
				taken.Add(1)
				order = append(order, v)
			})
			synctest.Wait()
		}
		for i := range int32(3) {
			if n := taken.Load(); n != i {
				t.Errorf("%d items were taken, %d given", n, i)
			}
			if _, ok := s.TryDequeue(); ok {
				t.Error("taken although no enqueuer waits")
			}
			if !s.TryEnqueue(10 + int(i)) {
				t.Error("not taken, though dequeuers wait")
			}
			synctest.Wait()
		}
		all.Wait()
		if !slices.Equal(order, []int{10, 11, 12}) {
			t.Errorf("the waiters were served in the order %v", order)
		}
	})
}

// TestSynchronousCancel ends the contexts of some waiters: they get the cause, their items are
// gone, and the waiters that remain are not forgotten.
func TestSynchronousCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, enough := queue.NewSynchronous[int](), errors.New("enough")
		const goroutines = 100 // more than there is room for
		cancelled, cancel := context.WithCancelCause(t.Context())
		var all sync.WaitGroup
		for i := range goroutines {
			ctx, want := cancelled, enough
			if i%30 == 29 {
				ctx, want = t.Context(), nil
			}
			all.Go(func() {
				if err := s.Enqueue(ctx, i); !errors.Is(err, want) {
					t.Errorf("number %d got %v, want %v", i, err, want)
				}
			})
			synctest.Wait()
		}
		cancel(enough)
		synctest.Wait()
		for want := 29; want < goroutines; want += 30 {
			if v, err := s.Dequeue(t.Context()); v != want || err != nil {
				t.Errorf("got %d, %v, want %d", v, err, want)
			}
		}
		if v, ok := s.TryDequeue(); ok {
			t.Errorf("%d was withdrawn and came", v)
		}
		all.Wait()

		cancelled, cancel = context.WithCancelCause(t.Context())
		for i := range goroutines {
			all.Go(func() {
				if i%30 == 29 {
					if v, err := s.Dequeue(t.Context()); err != nil || v != i/30 {
						t.Errorf("number %d got %d, %v", i, v, err)
					}
				} else if _, err := s.Dequeue(cancelled); !errors.Is(err, enough) {
					t.Errorf("number %d got %v, want %v", i, err, enough)
				}
			})
			synctest.Wait()
		}
		cancel(enough)
		synctest.Wait()
		for i := range goroutines / 30 {
			if !s.TryEnqueue(i) {
				t.Error("not taken, though some dequeuers still wait")
			}
			synctest.Wait()
		}
		if s.TryEnqueue(0) {
			t.Error("taken by a dequeuer that had given up")
		}
		all.Wait()
	})
}

func TestSynchronousClose(t *testing.T) {
	for name, wait := range map[string]func(s *queue.Synchronous[int], ctx context.Context) error{
		"Enqueue": func(s *queue.Synchronous[int], ctx context.Context) error { return s.Enqueue(ctx, 1) },
		"Dequeue": func(s *queue.Synchronous[int], ctx context.Context) error { _, err := s.Dequeue(ctx); return err },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := queue.NewSynchronous[int]()
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					if err := wait(s, t.Context()); !errors.Is(err, queue.ErrClosed) {
						t.Errorf("%s that waited at Close: %v", name, err)
					}
				})
			}
			synctest.Wait()
			if s.Closed() {
				t.Error("closed though no call has closed it")
			}
			s.Close()
			s.Close()
			all.Wait()
			if err := wait(s, t.Context()); !errors.Is(err, queue.ErrClosed) || !s.Closed() {
				t.Errorf("%s after Close: %v", name, err)
			}
			if _, ok := s.TryDequeue(); ok || s.TryEnqueue(1) {
				t.Error("a meeting in a closed queue")
			}
		})
	}
}

// TestSynchronousMeets is the stress test: enqueuers and dequeuers, some with short contexts, and a
// Close in the middle. An item was taken once if its Enqueue says so, and never otherwise.
// TestSynchronousOverlaps holds that both of a pair are there at the same time.
func TestSynchronousMeets(t *testing.T) {
	seed := replay.Seed(t)
	for round := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, round))
		givers, takers, each := 1+random.IntN(4), 1+random.IntN(4), 1+random.IntN(200)
		closeAfter := int64(random.IntN(givers*each + 1))
		s := queue.NewSynchronous[item]()
		var giving, taking sync.WaitGroup
		var met atomic.Int64
		present := make([]atomic.Int32, givers) // which item each is offering, from 1 on
		given, taken := make([][]bool, givers), make([][]item, takers)
		for g := range givers {
			given[g] = make([]bool, each)
			random := rand.New(rand.NewPCG(seed+round, uint64(g)))
			giving.Go(func() {
				for n := range each {
					ctx, cancel := impatient(random)
					present[g].Store(int32(n + 1))
					var err error
					if random.IntN(5) == 0 {
						if !s.TryEnqueue(item{g, n}) {
							err = errors.New("no dequeuer waits")
						}
					} else {
						err = s.Enqueue(ctx, item{g, n})
					}
					present[g].Store(0)
					cancel()
					given[g][n] = err == nil
				}
			})
		}
		for c := range takers {
			random := rand.New(rand.NewPCG(seed+round, uint64(100+c)))
			taking.Go(func() {
				for {
					ctx, cancel := impatient(random)
					it, err := s.Dequeue(ctx)
					cancel()
					switch {
					case err == nil:
						taken[c] = append(taken[c], it)
						if met.Add(1) == closeAfter {
							s.Close()
						}
					case errors.Is(err, queue.ErrClosed):
						return
					}
				}
			})
		}
		giving.Wait()
		s.Close()
		taking.Wait()
		for _, items := range taken {
			for _, it := range items {
				if !given[it.producer][it.number] {
					t.Fatalf("round %d: %v was taken, but not given, or twice", round, it)
				}
				given[it.producer][it.number] = false
			}
		}
		for g := range given {
			if n := slices.Index(given[g], true); n >= 0 {
				t.Fatalf("round %d: number %d of %d was given, but not taken", round, n, g)
			}
		}
	}
}

// TestSynchronousOverlaps holds that Enqueue and Dequeue overlap: before the Dequeue begins, no
// Enqueue returns.
func TestSynchronousOverlaps(t *testing.T) {
	s, ctx := queue.NewSynchronous[int](), context.Background()
	const items = 3000
	var asking atomic.Int64 // Dequeue calls that have begun
	var giver sync.WaitGroup
	giver.Go(func() {
		for i := range items {
			if err := s.Enqueue(ctx, i); err != nil {
				t.Error(err)
			}
			if n := asking.Load(); n < int64(i+1) {
				t.Errorf("%d items were given, and %d asked for", i+1, n)
			}
		}
	})
	for i := range items {
		if i%100 == 0 {
			runtime.Gosched()
		}
		asking.Add(1)
		if v, err := s.Dequeue(ctx); v != i || err != nil {
			t.Fatalf("got %d, %v, want %d", v, err, i)
		}
	}
	giver.Wait()
}

// TestSynchronousRetainsNothing holds that the queue keeps no item alive that was taken or
// withdrawn.
func TestSynchronousRetainsNothing(t *testing.T) {
	s := queue.NewSynchronous[*[64]int]()
	var watched []weak.Pointer[[64]int]
	add := func() *[64]int {
		v := new([64]int)
		watched = append(watched, weak.Make(v))
		return v
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range 10 {
		if err := s.Enqueue(ended, add()); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	var giver sync.WaitGroup
	for range 10 {
		v := add()
		giver.Go(func() { _ = s.Enqueue(context.Background(), v) })
		if _, err := s.Dequeue(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	giver.Wait()
	runtime.GC()
	for i, w := range watched {
		if w.Value() != nil {
			t.Errorf("item %d is still alive", i)
		}
	}
	runtime.KeepAlive(s)
}

func BenchmarkSynchronous(b *testing.B) {
	for _, shape := range []struct{ producers, consumers int }{{1, 1}, {4, 4}} {
		name := fmt.Sprintf("%dP%dC", shape.producers, shape.consumers)
		b.Run(name+"/channel", func(b *testing.B) {
			c := make(chan int)
			waitingTransfer(b, shape.producers, shape.consumers, func(v int) { c <- v }, func() bool { _, ok := <-c; return ok }, func() { close(c) })
		})
		b.Run(name+"/synchronous", func(b *testing.B) {
			s, ctx := queue.NewSynchronous[int](), context.Background()
			waitingTransfer(b, shape.producers, shape.consumers, func(v int) { _ = s.Enqueue(ctx, v) },
				func() bool { _, err := s.Dequeue(ctx); return err == nil }, s.Close)
		})
	}
}
