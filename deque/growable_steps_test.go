package deque

import (
	"math"
	"testing"
	"unsafe"
)

// at returns an empty deque whose indices begin at start.
func at(start int64) *Growable[int] {
	d := NewGrowable[int]()
	d.core.top.Store(start)
	d.core.bottom.Store(start)
	d.core.topSeen, d.core.cleared = start, start
	return d
}

// TestGrowableHighIndices begins where indices stop to fit into 32 bits, signed or not, and near the end of 64.
func TestGrowableHighIndices(t *testing.T) {
	for _, start := range []int64{1<<31 - 70, 1<<32 - 70, 1<<53 - 1, math.MaxInt64 - 2_000} {
		d := at(start)
		var values [400]int
		push := func(from, to int) {
			for i := from; i < to; i++ {
				values[i] = i
				d.Push(&values[i])
			}
		}
		steal := func(want int) {
			t.Helper()
			if v, outcome := d.Thief().Steal(); outcome != Stolen || *v != want {
				t.Fatalf("from %d: stole %v, %d, want %d", start, v, outcome, want)
			}
		}
		pop := func(want int) {
			t.Helper()
			if v := d.Pop(); v == nil || *v != want {
				t.Fatalf("from %d: popped %v, want %d", start, v, want)
			}
		}
		push(0, 60)
		for i := range 40 {
			steal(i)
		}
		push(60, 200)
		if d.Len() != 160 {
			t.Fatalf("from %d: Len = %d, want 160", start, d.Len())
		}
		for i := 199; i >= 150; i-- {
			pop(i)
		}
		for i := 40; i < 149; i++ {
			steal(i)
		}
		pop(149)
		if v := d.Pop(); v != nil || !d.Thief().Empty() {
			t.Fatalf("from %d: something is left", start)
		}
	}
}

// halfSteal does what steal does up to its compare-and-swap, and returns what it would compare and take.
func halfSteal(d *chaseLev) (top int64, v *byte) {
	top = d.top.Load()
	if top >= d.bottom.Load() {
		return top, nil
	}
	return top, d.buffer.Load().at(top).Load()
}

func popAll(d *Growable[int], count int) {
	for range count {
		d.Pop()
	}
}

func stealAll(d *Growable[int], count int) {
	for range count {
		d.Thief().Steal()
	}
}

// TestGrowableFrozenThief freezes a thief before its compare-and-swap while the owner and others go on as if it were not there. When
// it thaws it must get the value that it read, if that is still the oldest, and otherwise fail.
func TestGrowableFrozenThief(t *testing.T) {
	var values [300]int
	for i := range values {
		values[i] = i
	}
	push := func(d *Growable[int], from, to int) {
		for i := from; i < to; i++ {
			d.Push(&values[i])
		}
	}
	for name, c := range map[string]struct {
		first     int // values before the thief comes
		meanwhile func(d *Growable[int])
		gets      bool
		left      int
	}{
		"nothing":                   {2, func(*Growable[int]) {}, true, 1},
		"the buffer grows":          {60, func(d *Growable[int]) { push(d, 60, 300) }, true, 299},
		"grows and pops to the one": {60, func(d *Growable[int]) { push(d, 60, 300); popAll(d, 299) }, true, 0},
		"the owner takes it":        {1, func(d *Growable[int]) { popAll(d, 1) }, false, 0},
		"taken and pushed anew":     {1, func(d *Growable[int]) { popAll(d, 1); push(d, 1, 2) }, false, 1},
		"taken and overwritten":     {64, func(d *Growable[int]) { stealAll(d, 64); push(d, 64, 128) }, false, 64},
		"taken and cleared":         {64, func(d *Growable[int]) { stealAll(d, 64); d.Pop() }, false, 0},
		"grown and popped empty":    {64, func(d *Growable[int]) { push(d, 64, 130); popAll(d, 131) }, false, 0},
	} {
		d := NewGrowable[int]()
		push(d, 0, c.first)
		top, v := halfSteal(&d.core)
		c.meanwhile(d)
		if gets := d.core.top.CompareAndSwap(top, top+1); gets != c.gets {
			t.Errorf("%s: the thief gets it: %v, want %v", name, gets, c.gets)
		} else if gets && (*int)(unsafe.Pointer(v)) != &values[0] {
			t.Errorf("%s: the thief got another value", name)
		}
		if d.Len() != c.left {
			t.Errorf("%s: %d are left, want %d", name, d.Len(), c.left)
		}
	}
}
