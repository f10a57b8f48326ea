// Package travel has the values of contexts that go along with messages to other machines.
package travel

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Value is a value of a context that goes along.
type Value struct {
	Name string // between machines
	Key  any    // in the context
	// Volatile: it stays behind where a durable unit is sent to, or sends.
	Volatile bool
	// Encode returns the bytes of a value, nil for one that stays behind. Decode returns the value
	// again, nil for bytes that it does not know.
	Encode func(v any) []byte
	Decode func(b []byte) any
}

var all atomic.Pointer[[]Value]

// Register adds a value, during initialization. It panics for a name, or a key, that is there.
func Register(v Value) {
	for {
		before := all.Load()
		for _, other := range All() {
			if other.Name == v.Name || other.Key == v.Key {
				panic(fmt.Sprintf("freerun: two values that go to other machines have the name %q, or its key", v.Name))
			}
		}
		more := append(slices.Clone(All()), v)
		if all.CompareAndSwap(before, &more) {
			return
		}
	}
}

// All returns the values, which are not to be changed.
func All() []Value {
	if v := all.Load(); v != nil {
		return *v
	}
	return nil
}
