package ddb

import (
	"fmt"
	"math"
	"runtime/debug"
	"strings"

	"github.com/freerun-go/freerun/offheap"
)

// Values selects where a server keeps keys and values. "" stands for OnHeap. [New] takes the names
// in upper or lower case, and refuses others.
type Values string

const (
	// OnHeap keeps them on Go's heap: one object for each key, which Go's collector visits in
	// every cycle. Replies refer to long values without a copy.
	OnHeap Values = "heap"
	// OffHeap keeps key and value together in a block of an offheap.Arena, whose size is a power of
	// two. The collector does not see them; what is left on its heap for each key has no pointers.
	// Replies are copies. The arena has twice the bytes of MaxMemory, or a GiB without a limit (256
	// MiB with 32-bit addresses), rounded up to a power of two. The system provides its pages on
	// first use. A full arena acts like the limit.
	OffHeap Values = "offheap"
)

// checkValues returns v in lower case, OnHeap for "".
func checkValues(v Values) (Values, error) {
	switch found := Values(strings.ToLower(string(v))); found {
	case "":
		return OnHeap, nil
	case OnHeap, OffHeap:
		return found, nil
	}
	return "", fmt.Errorf("ddb: values cannot be kept in %q: it must be %s or %s (Config.Values)", v, OnHeap, OffHeap)
}

// leastArena is the arena's size for limits of a few keys.
const leastArena = 1 << 20

// memory makes the budget, and the arena if there is to be one.
func (c Config) memory() (*budget, *offheap.Arena, error) {
	b := newBudget(c.Shards)
	b.limit.Store(c.MaxMemory)
	b.setPolicy(c.MaxMemoryPolicy)
	b.samples.Store(int32(c.MaxMemorySamples))
	if c.Values != OffHeap {
		return b, nil, nil
	}
	size := int64(256 << 20)
	if math.MaxInt > math.MaxInt32 {
		size = 1 << 30
	}
	if c.MaxMemory > 0 {
		size = max(leastArena, 2*min(c.MaxMemory, math.MaxInt64/4))
	}
	arena, err := offheap.New(size)
	if err != nil {
		return nil, nil, fmt.Errorf("ddb: for MaxMemory of %d bytes off the heap: %w", c.MaxMemory, err)
	}
	return b, arena, nil
}

// memoryPurge gives free memory back to the system: of Go's heap, after a collection, and of the
// arena.
func memoryPurge(c *connection, _ [][]byte, w *writer) {
	debug.FreeOSMemory()
	if c.server.arena != nil {
		c.server.arena.Trim()
	}
	w.ok()
}

// release frees all keys and values, and the arena. Nothing of the server may run any more.
func (s *Server) release() error {
	if s.arena == nil {
		return nil
	}
	for _, r := range s.records {
		r.clear()
	}
	return s.arena.Close()
}
