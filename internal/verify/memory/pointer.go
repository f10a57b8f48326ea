package memory

import "sync/atomic"

// Pointer is an atomic pointer. The zero value is nil; it must not be copied after first use. Its
// methods are those of [atomic.Pointer].
type Pointer[T any] struct {
	p  atomic.Pointer[T]
	at Location
}

// Load returns the pointer.
func (x *Pointer[T]) Load() *T {
	t := step(Load, &x.at, "pointer")
	v := x.p.Load()
	if t != nil {
		x.at.acquire(t)
		t.result("is %s", numbered{v})
	}
	return v
}

// Store sets the pointer.
func (x *Pointer[T]) Store(v *T) {
	if t := step(Store, &x.at, "pointer"); t != nil {
		x.at.release(t, v != x.p.Load())
		t.result("= %s", numbered{v})
	}
	x.p.Store(v)
}

// Swap sets the pointer and returns the one before.
func (x *Pointer[T]) Swap(v *T) *T {
	t := step(Update, &x.at, "pointer")
	before := x.p.Swap(v)
	if t != nil {
		x.at.acquire(t)
		x.at.release(t, v != before)
		t.result("%s → %s", numbered{before}, numbered{v})
	}
	return before
}

// CompareAndSwap sets the pointer to v if it is old, and reports whether it was.
func (x *Pointer[T]) CompareAndSwap(old, v *T) bool {
	t := step(Update, &x.at, "pointer")
	swapped := x.p.CompareAndSwap(old, v)
	if t != nil {
		x.at.acquire(t)
		if swapped {
			x.at.release(t, v != old)
			t.result("%s → %s", numbered{old}, numbered{v})
		} else {
			t.result("is %s, not %s", numbered{x.p.Load()}, numbered{old})
		}
	}
	return swapped
}
