package offheap

import (
	"errors"
	"fmt"
	"math/bits"
	_ "sync/atomic" // see internal/atomics: what inlines its operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/offheap/internal/buddy"
)

// ErrNoMemory says that an arena has no free block as large as the one that was asked for. Errors that wrap it say how large that was.
var ErrNoMemory = errors.New("offheap: no memory")

// ErrInUse says that an arena cannot be closed because blocks of it are live. Errors that wrap it say how many and how large.
var ErrInUse = errors.New("offheap: blocks are live")

const pageSize = 4096

// Arena is a piece of memory outside of Go's heap that is handed out in blocks. [New] makes one; the zero Arena cannot be used, and an
// Arena must not be copied. Any goroutine, activity or operation may call its methods; none of them waits.
type Arena struct {
	memory []byte
	base   unsafe.Pointer
	size   uint64
	least  uint // log2 of the smallest block
	top    uint // the class of the largest
	space  *buddy.Space
	states []atomics.Release[uint32]

	closed atomics.Bool
	blocks atomics.Int64
	bytes  atomics.Int64
}

// Option is an option of [New].
type Option func(*settings) error

type settings struct{ smallest int }

// SmallestBlock makes size, a power of two from 32 to 4096 bytes, that of the smallest block; without it, that is 32. Each smallest block takes
// 4 bytes of bookkeeping beside it once it is used, so a program whose blocks are larger may save some.
func SmallestBlock(size int) Option {
	return func(s *settings) error {
		if size < 32 || size > pageSize || size&(size-1) != 0 {
			return fmt.Errorf("offheap: a smallest block of %d bytes; it must be a power of two from 32 to %d", size, pageSize)
		}
		s.smallest = size
		return nil
	}
}

// New returns an arena of size bytes, rounded up to a power of two. They are reserved at once and take memory when they are first
// touched.
func New(size int64, options ...Option) (*Arena, error) {
	s := settings{smallest: 32}
	for _, o := range options {
		if err := o(&s); err != nil {
			return nil, err
		}
	}
	least := uint(bits.Len(uint(s.smallest)) - 1)
	most := int64(min(uint64(1)<<(least+1<<classBits-1), uint64(maxInt)/2+1))
	if size < pageSize || size > most {
		return nil, fmt.Errorf("offheap: an arena of %d bytes; it must have from %d to %d", size, pageSize, most)
	}
	order := uint(bits.Len64(uint64(size) - 1))
	memory, err := reserve(1 << order)
	if err != nil {
		return nil, fmt.Errorf("offheap: reserve %d bytes: %w", 1<<order, err)
	}
	a := &Arena{
		memory: memory, base: unsafe.Pointer(unsafe.SliceData(memory)),
		size: 1 << order, least: least, top: order - least,
		space: buddy.New(1<<order, least),
	}
	a.states = make([]atomics.Release[uint32], max(1<<a.top, groupSize))
	return a, nil
}

const maxInt = int(^uint(0) >> 1)

// Close gives the memory back to the system. It fails with [ErrInUse], and changes nothing, while blocks are live. Nothing else of the arena may be
// running; what is called afterwards panics.
func (a *Arena) Close() error {
	if n := a.blocks.Load(); n != 0 {
		return fmt.Errorf("%w: %d of %d bytes", ErrInUse, n, a.bytes.Load())
	}
	if a.closed.Swap(true) {
		return errClosed
	}
	return unreserve(a.memory)
}

var errClosed = errors.New("offheap: the arena is closed already")

func (a *Arena) open() {
	if a.closed.Load() {
		panic("offheap: the arena is closed")
	}
}

// at returns the address of the byte at an offset.
func (a *Arena) at(offset uint64) unsafe.Pointer { return unsafe.Add(a.base, offset) }

func (a *Arena) offset(b Block) uint64 { return b.place() << a.least }
