package memory

import (
	"fmt"
	"sync/atomic"
)

// relaxed is a store in the store buffer of a thread.
type relaxed struct {
	at    *Location
	write func()
	value any // the value, which its own thread sees already
	clock Clock
}

// Buffered returns the location of the oldest store in the buffer, or nil if the buffer is empty.
func (t *Thread) Buffered() *Location {
	if len(t.buffer) == 0 {
		return nil
	}
	return t.buffer[0].at
}

// Flush makes the oldest buffered store visible.
func (t *Thread) Flush() {
	s := t.buffer[0]
	t.buffer = t.buffer[1:]
	s.write()
	t.flushed.Join(&s.clock)
	t.flushed[t.ID+MaxThreads]++
	s.at.released = t.flushed
	t.Changes++
	t.result("= %v", s.value)
}

// Pending returns the number of stores in the buffer.
func (t *Thread) Pending() int { return len(t.buffer) }

// own returns the value of t's latest store to l that is still in its buffer.
func (t *Thread) own(l *Location) (v any, found bool) {
	for i := len(t.buffer) - 1; i >= 0; i-- {
		if t.buffer[i].at == l {
			return t.buffer[i].value, true
		}
	}
	return nil, false
}

// StoreBuffers makes relaxed stores wait in the buffer of their thread. Otherwise they are visible
// at once.
var StoreBuffers bool

// relaxedStore puts a store into the buffer of the current thread. Without buffers, or outside a
// model thread, it stores at once.
func relaxedStore(l *Location, typ string, value any, write func()) {
	t := Current
	if !StoreBuffers || t == nil || t.Freed {
		if t = step(Store, l, typ); t != nil {
			l.release(t, true)
			t.result("= %s", numbered{value})
		}
		write()
		return
	}
	l.touch(typ)
	t.Clock[t.ID]++
	t.buffer = append(t.buffer, relaxed{at: l, write: write, value: value, clock: t.Clock})
}

// relaxedLoad returns the value at l: the current thread's own store if it is still in the buffer,
// and otherwise the result of load.
func relaxedLoad[V any](l *Location, typ string, acquire bool, load func() V) V {
	t := step(Load, l, typ)
	if t != nil {
		if v, found := t.own(l); found { // still in the buffer
			t.result("is %s, its own", numbered{v})
			return v.(V)
		}
	}
	v := load()
	if t != nil {
		if acquire {
			l.acquire(t)
		}
		t.result("is %s", numbered{v})
	}
	return v
}

// RelaxedPointer is a pointer with relaxed stores and one writer at a time. The zero value is nil;
// it must not be copied after first use.
type RelaxedPointer[T any] struct {
	p  atomic.Pointer[T]
	at Location
}

// Store sets the pointer. One writer at a time.
func (r *RelaxedPointer[T]) Store(v *T) {
	relaxedStore(&r.at, "relaxed pointer", v, func() { r.p.Store(v) })
}

// Load returns some value stored before.
func (r *RelaxedPointer[T]) Load() *T {
	return relaxedLoad(&r.at, "relaxed pointer", false, r.p.Load)
}

// LoadAcquire is Load, ordered as an atomic operation.
func (r *RelaxedPointer[T]) LoadAcquire() *T {
	return relaxedLoad(&r.at, "relaxed pointer", true, r.p.Load)
}

// CompareAndSwap replaces old by v, and reports whether it did. Any goroutine.
func (r *RelaxedPointer[T]) CompareAndSwap(old, v *T) bool {
	t := step(Update, &r.at, "relaxed pointer")
	swapped := r.p.CompareAndSwap(old, v)
	if t != nil {
		r.at.acquire(t)
		if swapped {
			r.at.release(t, v != old)
			t.result("%s → %s", numbered{old}, numbered{v})
		} else {
			t.result("is %s, not %s", numbered{r.p.Load()}, numbered{old})
		}
	}
	return swapped
}

// Release is an integer whose Store comes after all earlier steps of its thread, but may become
// visible after later ones. The other operations are atomic. The zero value is 0; it must not be
// copied after first use.
type Release[T Number] struct{ word Integer[T] }

// Store sets the value.
func (r *Release[T]) Store(v T) {
	relaxedStore(&r.word.at, "release word", v, func() { r.word.v.Store(uint64(v)) })
}

// Load returns the value.
func (r *Release[T]) Load() T {
	return relaxedLoad(&r.word.at, "release word", true, func() T { return T(r.word.v.Load()) })
}

// Swap sets the value and returns the one before.
func (r *Release[T]) Swap(v T) T { return r.word.Swap(v) }

// CompareAndSwap sets the value to v if it is old, and reports whether it was.
func (r *Release[T]) CompareAndSwap(old, v T) bool { return r.word.CompareAndSwap(old, v) }

// numbered formats a value for a trace, a pointer by the last digits of its address. It formats
// only when the trace is printed.
type numbered struct{ value any }

// String formats the value.
func (n numbered) String() string {
	s := fmt.Sprintf("%p", n.value)
	if len(s) > 2 && s[:2] == "0x" {
		return "…" + s[max(2, len(s)-5):]
	}
	return fmt.Sprint(n.value)
}

// RelaxedIndex is an integer with relaxed stores and one writer at a time. A reader confirms later
// the value that it has read. The zero value is 0; it must not be copied after first use.
type RelaxedIndex struct {
	v  atomic.Uint64
	at Location
}

// Store sets the value. One writer at a time.
func (r *RelaxedIndex) Store(v uintptr) {
	relaxedStore(&r.at, "relaxed index", v, func() { r.v.Store(uint64(v)) })
}

// Load returns some value stored before.
func (r *RelaxedIndex) Load() uintptr {
	return relaxedLoad(&r.at, "relaxed index", false, func() uintptr { return uintptr(r.v.Load()) })
}
