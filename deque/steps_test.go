package deque

import "testing"

// halfSteal does the part of steal before its compare-and-swap, and returns the rest as a function.
func (d *chaseLev) halfSteal() (rest func() (v int, stolen bool)) {
	top := d.top.Load()
	if top >= d.bottom.Load() {
		return func() (int, bool) { return 0, false }
	}
	v := d.buffer.Load().at(top).Load()
	return func() (int, bool) { return number(typed(v)), d.top.CompareAndSwap(top, top+1) }
}

func (d *abp) halfSteal() (rest func() (v int, stolen bool)) {
	a := age(d.age.Load())
	if a.before(d.bottom.Load()) <= 0 {
		return func() (int, bool) { return 0, false }
	}
	v := d.at(a.index()).Load()
	return func() (int, bool) { return number(typed(v)), d.age.CompareAndSwap(uint64(a), uint64(a.taken())) }
}

func (d ends) pushAll(from, to int) {
	for i := from; i < to; i++ {
		d.push(i)
	}
}

func (d ends) popAll(count int) {
	for range count {
		d.pop()
	}
}

func (d ends) stealAll(count int) {
	for range count {
		d.steal()
	}
}

// TestFrozenThief freezes a thief before its compare-and-swap while the owner and others go on as
// if the thief were not there. When it thaws it must get the value that it read, if that is still
// the oldest, and otherwise fail.
func TestFrozenThief(t *testing.T) {
	for name, c := range map[string]struct {
		first     int // values before the thief comes
		meanwhile func(d ends)
		gets      bool
		left      int
	}{
		"nothing":                   {2, func(ends) {}, true, 1},
		"the buffer grows":          {60, func(d ends) { d.pushAll(60, 300) }, true, 299},
		"grows and pops to the one": {60, func(d ends) { d.pushAll(60, 300); d.popAll(299) }, true, 0},
		"the owner takes it":        {1, func(d ends) { d.popAll(1) }, false, 0},
		"taken and pushed anew":     {1, func(d ends) { d.popAll(1); d.pushAll(1, 2) }, false, 1},
		"taken and overwritten":     {64, func(d ends) { d.stealAll(64); d.pushAll(64, 128) }, false, 64},
		"taken and cleared":         {64, func(d ends) { d.stealAll(64); d.pop() }, false, 0},
		"grown and popped empty":    {64, func(d ends) { d.pushAll(64, 130); d.popAll(131) }, false, 0},
		"goes round":                {64, func(d ends) { d.stealAll(64); d.pushAll(0, 64); d.stealAll(64); d.pushAll(0, 3) }, false, 3},
	} {
		growable, bounded := NewGrowable[int](), boundedFrom(512, 1<<32-65)
		for kind, d := range map[string]struct {
			ends
			halfSteal func() func() (int, bool)
		}{
			"growable": {ofPointers(growable, growable.Thief()), growable.core.halfSteal},
			"bounded":  {ofPointers(bounded, bounded.Thief()), bounded.core.halfSteal},
		} {
			d.pushAll(0, c.first)
			rest := d.halfSteal()
			c.meanwhile(d.ends)
			if v, gets := rest(); gets != c.gets {
				t.Errorf("%s, %s: the thief gets it: %v, want %v", kind, name, gets, c.gets)
			} else if gets && v != 0 {
				t.Errorf("%s, %s: the thief got %d", kind, name, v)
			}
			if d.len() != c.left {
				t.Errorf("%s, %s: %d are left, want %d", kind, name, d.len(), c.left)
			}
		}
	}
}

// TestBoundedStaleAge freezes a thief behind its load of the age until the index has gone round, or
// half round. When the thief then looks at bottom it must neither report an empty deque nor take a
// value.
func TestBoundedStaleAge(t *testing.T) {
	const round = 1 << 32
	for _, passed := range []age{1, 2, round/2 - 1, round / 2, round/2 + 1, round - 1, round, round + 1, 5 * round} {
		const stale = 3*round - 2
		d := boundedFrom(4, stale+passed)
		d.TryPush(&numbers[1])
		if n := d.core.lenAt(stale); n != 1 {
			t.Errorf("the age is %d higher: Len = %d, want 1", passed, n)
		}
		if v, outcome := d.core.stealAt(stale); outcome != Retry {
			t.Errorf("the age is %d higher: stole %v, %v, want %v", passed, v, outcome, Retry)
		}
		if v, outcome := d.Thief().Steal(); outcome != Stolen || *v != 1 {
			t.Errorf("the age was %d higher: stole %v, %v afterwards", passed, v, outcome)
		}
	}
}

// TestBoundedAgeGrows takes values at both ends where the index wraps around: each makes the age
// one higher.
func TestBoundedAgeGrows(t *testing.T) {
	const start = 7<<32 - 3
	d := boundedFrom(4, start)
	for i := range age(6) {
		if got := age(d.core.age.Load()); got != start+i {
			t.Fatalf("the age is %#x after %d were taken, want %#x", got, i, start+i)
		}
		if d.TryPush(&numbers[1]); i%2 == 0 {
			d.Thief().Steal()
		} else {
			d.Pop()
		}
	}
}
