package memory

import "sync/atomic"

// Number lists the types of value that an Integer can hold.
type Number interface {
	int32 | int64 | uint32 | uint64 | uintptr
}

// Integer is an atomic integer. The zero value is 0; it must not be copied after first use. Its
// methods are those of the integers in sync/atomic.
type Integer[T Number] struct {
	v  atomic.Uint64 // T, widened
	at Location
}

// name returns the name of T. It is called at each access, so it allocates nothing.
func (x *Integer[T]) name() string {
	switch any(T(0)).(type) {
	case int32:
		return "int32"
	case int64:
		return "int64"
	case uint32:
		return "uint32"
	case uint64:
		return "uint64"
	}
	return "uintptr"
}

// Load returns the value.
func (x *Integer[T]) Load() T {
	t := step(Load, &x.at, x.name())
	v := T(x.v.Load())
	if t != nil {
		x.at.acquire(t)
		t.result("is %d", v)
	}
	return v
}

// Store sets the value.
func (x *Integer[T]) Store(v T) {
	if t := step(Store, &x.at, x.name()); t != nil {
		x.at.release(t, v != T(x.v.Load()))
		t.result("= %d", v)
	}
	x.v.Store(uint64(v))
}

// Swap sets the value and returns the one before.
func (x *Integer[T]) Swap(v T) T { return x.update(func(T) T { return v }) }

// Add adds d and returns the sum.
func (x *Integer[T]) Add(d T) T { return x.update(func(v T) T { return v + d }) + d }

// And keeps the bits of mask and returns the value before.
func (x *Integer[T]) And(mask T) T { return x.update(func(v T) T { return v & mask }) }

// Or sets the bits of mask and returns the value before.
func (x *Integer[T]) Or(mask T) T { return x.update(func(v T) T { return v | mask }) }

// CompareAndSwap sets the value to v if it is old, and reports whether it was.
func (x *Integer[T]) CompareAndSwap(old, v T) bool {
	t := step(Update, &x.at, x.name())
	swapped := x.v.CompareAndSwap(uint64(old), uint64(v))
	if t != nil {
		x.at.acquire(t)
		if swapped {
			x.at.release(t, v != old)
			t.result("%d → %d", old, v)
		} else {
			t.result("is %d, not %d", T(x.v.Load()), old)
		}
	}
	return swapped
}

func (x *Integer[T]) update(change func(T) T) (before T) {
	t := step(Update, &x.at, x.name())
	for {
		v := x.v.Load()
		if x.v.CompareAndSwap(v, uint64(change(T(v)))) {
			before = T(v)
			break
		}
	}
	if t != nil {
		x.at.acquire(t)
		x.at.release(t, before != change(before))
		t.result("%d → %d", before, change(before))
	}
	return before
}

// Bool is an atomic boolean. The zero value is false; it must not be copied after first use.
type Bool struct{ word Integer[uint32] }

func number(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// Load returns the value.
func (b *Bool) Load() bool { return b.word.Load() != 0 }

// Store sets the value.
func (b *Bool) Store(v bool) { b.word.Store(number(v)) }

// Swap sets the value and returns the one before.
func (b *Bool) Swap(v bool) bool { return b.word.Swap(number(v)) != 0 }

// CompareAndSwap sets the value to v if it is old, and reports whether it was.
func (b *Bool) CompareAndSwap(old, v bool) bool { return b.word.CompareAndSwap(number(old), number(v)) }
