package deque_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/deque"
	"github.com/freerun-go/freerun/internal/replay"
)

// TestGrowableStress has an owner that pushes and pops in bursts, deep enough to grow the buffer while it is stolen from, and
// several thieves. Each value must come out once, and the values that one thief gets in the order in which they were pushed.
func TestGrowableStress(t *testing.T) {
	const values, thieves = 60_000, 3
	random := rand.New(rand.NewPCG(replay.Seed(t), 0))
	d := deque.NewGrowable[int]()
	all := make([]int, values)
	came := make([]atomic.Int32, values)
	var pushed atomic.Bool
	var group sync.WaitGroup
	for range thieves {
		group.Go(func() {
			thief, last := d.Thief(), -1
			for {
				finished := pushed.Load() // before the Steal: nothing is pushed after it
				v, outcome := thief.Steal()
				switch outcome {
				case deque.Stolen:
					if *v <= last {
						t.Errorf("a thief got %d after %d", *v, last)
					}
					last = *v
					came[*v].Add(1)
				case deque.Empty:
					if finished {
						return
					}
					runtime.Gosched()
				case deque.Retry:
				}
			}
		})
	}
	pop := func() bool {
		v := d.Pop()
		if v != nil {
			came[*v].Add(1)
		}
		return v != nil
	}
	for i := 0; i < values; {
		for range min(values-i, 1+random.IntN(1<<random.IntN(11))) {
			all[i] = i
			d.Push(&all[i])
			i++
		}
		for range random.IntN(1 << random.IntN(11)) {
			if !pop() {
				break
			}
		}
		if random.IntN(4) == 0 {
			runtime.Gosched()
		}
	}
	pushed.Store(true)
	for pop() {
	}
	group.Wait()
	if d.Len() != 0 || d.Pop() != nil {
		t.Errorf("%d values are left", d.Len())
	}
	for i := range came {
		if n := came[i].Load(); n != 1 {
			t.Fatalf("value %d came out %d times", i, n)
		}
	}
}

// TestGrowableLastOne lets the owner and two thieves go for one value at the same instant: one of them must get it.
func TestGrowableLastOne(t *testing.T) {
	const rounds, thieves = 20_000, 2
	d := deque.NewGrowable[int]()
	var turn, finished, got atomic.Int64
	var group sync.WaitGroup
	for range thieves {
		group.Go(func() {
			thief := d.Thief()
			for round := int64(1); round <= rounds; round++ {
				for turn.Load() < round {
					runtime.Gosched()
				}
				for {
					v, outcome := thief.Steal()
					if outcome == deque.Retry {
						continue
					}
					if outcome == deque.Stolen {
						got.Add(int64(*v))
					}
					break
				}
				finished.Add(1)
			}
		})
	}
	one := 1
	for round := int64(1); round <= rounds; round++ {
		d.Push(&one)
		turn.Store(round)
		if v := d.Pop(); v != nil {
			got.Add(int64(*v))
		}
		for finished.Load() < round*thieves {
			runtime.Gosched()
		}
		if n := got.Load(); n != round {
			t.Fatalf("round %d: the value came out %d times", round, n-round+1)
		}
	}
	group.Wait()
}

// TestGrowableNeverSeemsEmpty keeps one or two values in a deque, other ones all the time. Nobody may be told that it was empty.
func TestGrowableNeverSeemsEmpty(t *testing.T) {
	const rounds = 200_000
	d := deque.NewGrowable[int]()
	one := 1
	d.Push(&one)
	var finished atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		for thief := d.Thief(); !finished.Load(); {
			if thief.Empty() {
				t.Error("Empty says that there was an instant without a value")
				return
			}
		}
	})
	for range rounds {
		d.Push(&one)
		d.Thief().Steal()
	}
	finished.Store(true)
	group.Wait()
}
