package deque

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The tests of all three deques.
var (
	_ owner[*int]               = (*Growable[int])(nil)
	_ owner[*int]               = (*Bounded[int])(nil)
	_ owner[int]                = (*Hybrid[int])(nil)
	_ thief[*int]               = GrowableThief[int]{}
	_ thief[*int]               = BoundedThief[int]{}
	_ thief[int]                = HybridThief[int]{}
	_ interface{ Push(v *int) } = (*Growable[int])(nil)
	_ interface{ Push(v int) }  = (*Hybrid[int])(nil)
)

// panics returns the value that f panics with.
func panics(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestMisuse(t *testing.T) {
	for want, misuses := range map[string][]func(){
		"deque: Push of a nil value": {
			func() { NewGrowable[int]().Push(nil) },
			func() { NewGrowable[int]().TryPush(nil) },
			func() { NewBounded[int](1).TryPush(nil) },
		},
		"deque: the capacity of a Bounded is from 1 to 1<<30": {
			func() { NewBounded[int](0) },
			func() { NewBounded[int](-1) },
			func() { NewBounded[int](1<<30 + 1) },
			func() { NewBounded[int](math.MaxInt) },
		},
		"deque: a zero thief; the deque's method Thief makes one": {
			func() { GrowableThief[int]{}.Steal() },
			func() { GrowableThief[int]{}.Oldest() },
			func() { BoundedThief[int]{}.Steal() },
			func() { BoundedThief[int]{}.Empty() },
			func() { HybridThief[int]{}.Steal() },
			func() { HybridThief[int]{}.TrySteal(time.Millisecond) },
			func() { HybridThief[int]{}.Empty() },
		},
		"deque: a Bounded is made by NewBounded": {
			func() { new(Bounded[int]).TryPush(new(int)) },
		},
	} {
		for i, misuse := range misuses {
			if got := panics(misuse); got != want {
				t.Errorf("case %d: panicked with %v, want %q", i, got, want)
			}
		}
	}
}

func TestZeroValue(t *testing.T) {
	var g Growable[int]
	var b Bounded[int]
	var h Hybrid[int]
	for name, d := range map[string]ends{
		"growable": ofPointers(&g, g.Thief()),
		"bounded":  ofPointers(&b, b.Thief()),
		"hybrid":   {h.TryPush, h.Pop, h.Thief().Steal, h.Thief().Empty, h.Len, nil},
	} {
		if v, ok := d.pop(); ok {
			t.Errorf("%s: popped %d", name, v)
		}
		if v, outcome := d.steal(); outcome != Empty {
			t.Errorf("%s: stole %d, %v", name, v, outcome)
		}
		if !d.empty() || d.len() != 0 {
			t.Errorf("%s: Empty = %v, Len = %d", name, d.empty(), d.len())
		}
		if name == "bounded" {
			continue
		}
		if !d.push(7) || d.empty() || d.len() != 1 {
			t.Errorf("%s: nothing there after a push", name)
		}
		if v, ok := d.pop(); !ok || v != 7 {
			t.Errorf("%s: popped %d, %v, want 7", name, v, ok)
		}
	}
}

func TestOutcomeString(t *testing.T) {
	for outcome, want := range map[Outcome]string{Empty: "empty", Stolen: "stolen", Retry: "retry", 9: "no outcome"} {
		if got := outcome.String(); got != want {
			t.Errorf("%d is %q, want %q", outcome, got, want)
		}
	}
}

// TestHighIndices begins where indices no longer fit into 32 bits, with or without a sign, or into
// the 53 bits of a float, and near the largest index.
func TestHighIndices(t *testing.T) {
	for name, make := range map[string]func(start int64) ends{
		"growable": func(start int64) ends { return growableEnds(firstSize, start) },
		"bounded":  func(start int64) ends { return boundedEnds(200, age(start)) },
		"hybrid":   func(start int64) ends { return hybridEnds(firstSize, start/2, 0) },
	} {
		for _, start := range []int64{1<<31 - 70, 1<<32 - 70, 1<<33 - 70, 1<<53 - 1, math.MaxInt64 - 2_000} {
			d := make(start)
			push := func(from, to int) {
				for i := from; i < to; i++ {
					if !d.push(i) {
						t.Fatalf("%s from %d: push of %d is refused", name, start, i)
					}
				}
			}
			steal := func(want int) {
				if v, outcome := d.steal(); outcome != Stolen || v != want {
					t.Fatalf("%s from %d: stole %v, %v, want %d", name, start, v, outcome, want)
				}
			}
			pop := func(want int) {
				if v, ok := d.pop(); !ok || v != want {
					t.Fatalf("%s from %d: popped %v, %v, want %d", name, start, v, ok, want)
				}
			}
			push(0, 60)
			for i := range 40 {
				steal(i)
			}
			push(60, 200)
			if d.len() != 160 || d.empty() {
				t.Fatalf("%s from %d: Len = %d, want 160", name, start, d.len())
			}
			for i := 199; i >= 150; i-- {
				pop(i)
			}
			for i := 40; i < 149; i++ {
				steal(i)
			}
			pop(149)
			if v, ok := d.pop(); ok || !d.empty() || d.len() != 0 {
				t.Fatalf("%s from %d: %d is left", name, start, v)
			}
		}
	}
}

// TestNeverSeemsEmpty keeps one or two values in a deque, ever other ones. No thief may be told
// that it was empty.
func TestNeverSeemsEmpty(t *testing.T) {
	for name, d := range map[string]ends{
		"growable": growableEnds(2, 0),
		"bounded":  boundedEnds(2, 1<<32-1000),
		"hybrid":   hybridEnds(2, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			rounds := 200_000
			if testing.Short() {
				rounds = 20_000
			}
			d.push(1)
			var finished atomic.Bool
			var group sync.WaitGroup
			group.Go(func() {
				for !finished.Load() {
					if d.empty() {
						t.Error("Empty says that there was an instant without a value")
						return
					}
				}
			})
			for range rounds {
				d.push(1)
				d.steal()
			}
			finished.Store(true)
			group.Wait()
		})
	}
}

func TestBoundedCap(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 63, 64, 65, 1000} {
		if got := NewBounded[int](capacity).Cap(); got != capacity {
			t.Errorf("Cap = %d, want %d", got, capacity)
		}
	}
}

// TestGrowableUsesSlotsAgain holds that a deque from which as much is stolen as is pushed keeps its
// first buffer, though its owner never pops.
func TestGrowableUsesSlotsAgain(t *testing.T) {
	var d Growable[int]
	thief := d.Thief()
	for i := range 10 * firstSize {
		d.Push(&i)
		if v, outcome := thief.Steal(); outcome != Stolen || *v != i {
			t.Fatalf("Steal after Push of %d: %v", i, outcome)
		}
	}
	if n := len(d.core.buffer.Load().slots); n != firstSize {
		t.Errorf("the buffer has grown to %d slots for one value at a time", n)
	}
}

// TestHybridLocked holds the lock, as a thief that stalls does. A method that needs the lock waits
// as long as its documentation says; the other methods do not notice.
func TestHybridLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewHybrid[int]()
		thief := d.Thief()
		d.Push(0)
		d.lock.Lock()
		for i := 1; i < firstSize; i++ {
			if !d.TryPush(i) {
				t.Fatalf("TryPush of %d refuses, though there is room", i)
			}
		}
		if d.TryPush(firstSize) {
			t.Error("TryPush to a full ring succeeds without the lock")
		}
		for i := firstSize - 1; i > 0; i-- {
			if v, ok := d.Pop(); !ok || v != i {
				t.Fatalf("Pop = %d, %v, want %d", v, ok, i)
			}
		}
		for _, timeout := range []time.Duration{-1, 0, time.Hour} {
			began := time.Now()
			if v, outcome := thief.TrySteal(timeout); outcome != Retry {
				t.Errorf("TrySteal(%v) = %d, %v", timeout, v, outcome)
			}
			if waited := time.Since(began); waited != max(0, timeout) {
				t.Errorf("TrySteal(%v) waited %v", timeout, waited)
			}
		}
		if v, outcome := thief.Steal(); outcome != Retry || thief.Empty() {
			t.Errorf("Steal = %d, %v, Empty = %v", v, outcome, thief.Empty())
		}
		go func() {
			time.Sleep(time.Minute)
			d.lock.Unlock()
		}()
		if v, outcome := thief.TrySteal(time.Hour); outcome != Stolen || v != 0 {
			t.Errorf("TrySteal = %d, %v, want the 0 once the lock is free", v, outcome)
		}
		d.lock.Lock()
		if v, outcome := thief.TrySteal(time.Hour); outcome != Empty {
			t.Errorf("TrySteal from an empty deque = %d, %v", v, outcome)
		}
		if v, ok := d.Pop(); ok {
			t.Errorf("Pop of an empty deque = %d", v)
		}
		d.lock.Unlock()
	})
}

// TestHybridClaimed has the owner meet a thief that has claimed the last value: the owner waits,
// and gets the value if the thief leaves it.
func TestHybridClaimed(t *testing.T) {
	for name, takes := range map[string]bool{"the thief takes it": true, "the thief is too late": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := NewHybrid[string]()
				d.Push("one")
				d.lock.Lock()
				h := d.headNow()
				d.head.Store(int64(h.claim()))
				go func() {
					time.Sleep(time.Minute)
					if takes {
						d.at(h.index()).Clear()
						h = h.taken()
					}
					d.head.Store(int64(h))
					d.lock.Unlock()
				}()
				began := time.Now()
				if v, ok := d.Pop(); ok == takes || ok && v != "one" {
					t.Errorf("Pop = %q, %v", v, ok)
				}
				if waited := time.Since(began); waited != time.Minute {
					t.Errorf("Pop waited %v", waited)
				}
				d.Push("two")
				if v, outcome := d.Thief().Steal(); outcome != Stolen || v != "two" {
					t.Errorf("Steal = %q, %v, want the value that was pushed afterwards", v, outcome)
				}
			})
		})
	}
}

// TestOldest: the index of the oldest value changes exactly when that value goes, whoever takes it.
func TestOldest(t *testing.T) {
	d := NewGrowable[int]()
	thief := d.Thief()
	expect := func(after string, index int64, values int) {
		t.Helper()
		if i, n := thief.Oldest(); i != index || n != values {
			t.Fatalf("after %s: index %d of %d values, want %d of %d", after, i, n, index, values)
		}
	}
	expect("nothing", 0, 0)
	d.Push(new(int))
	expect("a push", 0, 1)
	d.Push(new(int))
	d.Pop()
	expect("a push and a pop above it", 0, 1)
	d.Pop()
	d.Push(new(int))
	expect("a pop of the oldest, and a push", 1, 1)
	thief.Steal()
	expect("a theft", 2, 0)
}
