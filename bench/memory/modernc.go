//go:build unix || windows

package memory

import (
	"errors"
	"sync"

	"modernc.org/memory"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/alloc"
)

// rivals is empty where modernc.org/memory does not build.
var rivals = []programs.Variant{
	alloc.Variant("modernc", programs.Rival, "modernc.org/memory, an Allocator for each task, or one under a mutex if frees are foreign", opener((*memory.Allocator).Malloc)),
	alloc.Variant("modernc-zero", programs.Rival, "the same; blocks come zeroed", opener((*memory.Allocator).Calloc)),
}

// method is Malloc or Calloc.
type method func(a *memory.Allocator, size int) ([]byte, error)

// own is an allocator for one task.
type own struct {
	*memory.Allocator
	allocate method
}

func (o own) Alloc(size int) ([]byte, error) { return o.allocate(o.Allocator, size) }

func (own) Bytes(block []byte) []byte { return block }

// shared is an allocator that all tasks use, one at a time.
type shared struct {
	mu        sync.Mutex
	allocator memory.Allocator
	allocate  method
}

func (s *shared) Alloc(size int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allocate(&s.allocator, size)
}

func (s *shared) Free(block []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allocator.Free(block)
}

func (*shared) Bytes(block []byte) []byte { return block }

// opener returns how the memory of a run is made that allocates by a method.
func opener(allocate method) alloc.Open[[]byte] {
	return func(d alloc.Demand) (alloc.Source[[]byte], error) { return open(d, allocate) }
}

func open(d alloc.Demand, allocate method) (alloc.Source[[]byte], error) {
	if d.Foreign {
		s := &shared{allocate: allocate}
		return alloc.Source[[]byte]{Task: func(int) alloc.Memory[[]byte] { return s }, Close: s.allocator.Close}, nil
	}
	var all []own
	return alloc.Source[[]byte]{
		Task: func(int) alloc.Memory[[]byte] {
			all = append(all, own{new(memory.Allocator), allocate})
			return all[len(all)-1]
		},
		Close: func() (err error) {
			for _, o := range all {
				err = errors.Join(err, o.Close())
			}
			return err
		},
	}, nil
}
