package offheap

import (
	"errors"
	"fmt"
	"math/bits"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations
	"syscall"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/offheap/internal/buddy"
)

// ErrNoMemory says that an arena has no free block as large as the one that was asked for. Errors that wrap it say how large that was.
var ErrNoMemory = errors.New("offheap: no memory")

// ErrInUse says that an arena cannot be closed because blocks of it are live. Errors that wrap it say how many, and for what.
var ErrInUse = errors.New("offheap: blocks are live")

// ErrClosed says that an arena was closed before.
var ErrClosed = errors.New("offheap: the arena is closed")

// Arena is a piece of memory outside of Go's heap that is handed out in blocks. [New] makes one;
// the zero Arena panics, and an
// Arena must not be copied. Any goroutine, activity or operation may call its methods; none of them waits for another, and none takes a lock.
type Arena struct {
	// immutable
	memory        []byte
	base          unsafe.Pointer
	size          uint64
	places        uint64
	least         uint   // log2 of the smallest block
	top           uint   // the class of the largest
	cachedClasses uint   // classes below are cached
	salt          uint32 // see nextBlock
	space         *buddy.Space
	states        states
	names         []string
	pages         pages
	depots        []depot // by class
	records       records

	closed atomics.Bool
	caches atomics.Pointer[[]*cache] // by the number that a pin gives; it only grows

	_     pad.Line
	taken atomics.Int64 // bytes that the buddy system has handed out
	peak  atomics.Int64
	_     pad.Line
}

// smallest is the size of the smallest block, unless an option says otherwise.
const smallest = 32

// New returns an arena of size bytes, rounded up to whole pages, of which blocks of the powers of
// two up to size are made. size is from one page of the system, which is 4 KiB on most, to 2³⁴ of
// the smallest blocks: 512 GiB if those have 32 bytes, half of that in a build that guards blocks
// (freerun_debug), and 1 GiB where addresses have 32 bits. They are reserved at once, and take
// memory when they are first touched. Beside them an arena takes up to 4 bytes for each block that
// it can be divided into, once such blocks were used. The error says what is wrong about size or an
// option, or what the system said.
func New(size int64, options ...Option) (*Arena, error) {
	s := settings{smallest: smallest}
	for i, o := range options {
		if o.apply == nil {
			return nil, fmt.Errorf("offheap: a zero Option, the one with index %d", i)
		}
		if err := o.apply(&s); err != nil {
			return nil, err
		}
	}
	least := uint(bits.Len(uint(s.smallest)) - 1)
	most := int64(min(uint64(1)<<(least+placeBits), uint64(maxInt)/2+1)) >> guard
	page := uint64(syscall.Getpagesize())
	if size < int64(page) || size > most {
		return nil, fmt.Errorf("offheap: an arena of %d bytes; it must have from %d, which is a page, to %d", size, page, most)
	}
	a := &Arena{size: (uint64(size) + page - 1) &^ (page - 1), least: least, names: s.names}
	a.places = a.size >> least
	a.top = min(uint(bits.Len64(a.size))-1-least, classes-1)
	a.salt = saltOf(arenas.Add(1))
	var err error
	if a.memory, err = reserve(a.size << guard); err != nil {
		return nil, fmt.Errorf("offheap: reserve %d bytes: %w", a.size, err)
	}
	a.base = unsafe.Pointer(unsafe.SliceData(a.memory))
	if err = a.states.init(a.places, least); err != nil {
		return nil, errors.Join(fmt.Errorf("offheap: reserve the states of %d blocks: %w", a.places, err), unmap(a.memory))
	}
	a.space = buddy.New(a.size<<guard, least+guard)
	a.pages.init(a.size<<guard, page)
	a.caches.Store(new([]*cache))
	a.openDepots()
	a.records.init(a.places)
	return a, nil
}

const maxInt = int(^uint(0) >> 1)

// Capacity returns how many bytes the arena has.
func (a *Arena) Capacity() int64 {
	a.mustBeMade()
	return int64(a.size)
}

// Close gives the memory back to the system. It fails with [ErrInUse], and changes nothing, while blocks are live; the error says how many and for
// what. Nothing else of the arena may be running. A method that is called afterwards panics, and a second Close returns [ErrClosed]. What a
// program has kept of the memory ([Arena.Bytes], [View.At]) must not be touched any more: that is a fault that no recover catches, or, where the system has
// mapped something else there since, worse.
func (a *Arena) Close() error {
	a.mustBeMade()
	if a.closed.Load() {
		return ErrClosed
	}
	if err := a.inUse(); err != nil {
		return err
	}
	if a.closed.Swap(true) {
		return ErrClosed
	}
	err := unmap(a.memory)
	if a.states.memory != nil {
		err = errors.Join(err, unmap(a.states.memory))
	}
	return err
}

// offset returns where a place begins.
func (a *Arena) offset(place uint64) uint64 { return place << (a.least + guard) }

// order returns that of the blocks of a class.
func (a *Arena) order(class uint) uint { return class + a.least + guard }

// bytes returns the size of the blocks of a class, as the program knows them.
func (a *Arena) bytes(class uint) uint64 { return 1 << (class + a.least) }

// span returns a piece of the memory.
func (a *Arena) span(offset, size uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(a.base, offset)), size)
}
