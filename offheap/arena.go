package offheap

import (
	"errors"
	"fmt"
	"math/bits"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"syscall"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/offheap/internal/buddy"
)

// ErrNoMemory says that an arena has no free block of the size that was asked for. Errors that wrap
// it name the size.
var ErrNoMemory = errors.New("offheap: no memory")

// ErrInUse says that an arena cannot be closed because blocks of it are live. Errors that wrap it
// say how many blocks, and under which tags.
var ErrInUse = errors.New("offheap: blocks are live")

// ErrClosed says that the arena was closed before.
var ErrClosed = errors.New("offheap: the arena is closed")

// Arena is memory outside of Go's heap that is allocated in blocks. [New] makes one; the methods of
// the zero Arena panic, and an Arena must not be copied.
//
// Any goroutine, activity or operation may call its methods, except that Close must run alone. No
// method waits for another call, and none takes a lock.
type Arena struct {
	// immutable
	memory        []byte
	base          unsafe.Pointer
	size          uint64
	places        uint64
	least         uint   // log2 of the smallest block
	top           uint   // the class of the largest block
	cachedClasses uint   // classes below it are cached
	salt          uint32 // see nextBlock
	space         *buddy.Space
	states        states
	names         []string
	pages         pages
	depots        []depot // by class
	records       records

	closed atomics.Bool
	caches atomics.Pointer[[]*cache] // by the index of a pin; it only grows

	_     pad.Line
	taken atomics.Int64 // bytes that the buddy system has handed out
	peak  atomics.Int64
	_     pad.Line
}

// smallest is the size of the smallest block if no option says otherwise.
const smallest = 32

// New returns an arena of size bytes, rounded up to whole pages. Its blocks are powers of two up to
// size.
//
// size is at least one page of the system, 4 KiB on most, and at most 2³⁴ of the smallest blocks:
// 512 GiB if those have 32 bytes, half of that in a build with the tag freerun_debug, and 1 GiB
// where addresses have 32 bits. New reserves the bytes; they take memory when they are first
// touched. Beside them an arena takes up to 4 bytes for each block that it can be divided into,
// once such blocks were used.
//
// The error names the mistake in size or an option, or is the system's.
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
		return nil, fmt.Errorf("offheap: an arena of %d bytes; the size must be from %d, a page, to %d", size, page, most)
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

// Close gives the memory back to the system. While blocks are live it fails with [ErrInUse] and
// changes nothing; the error says how many blocks are live, and under which tags. A second Close
// returns [ErrClosed].
//
// No other call on the arena may be running, and every later call panics. The program must not
// touch memory of the arena afterwards ([Arena.Bytes], [View.At]): that is a fault that no recover
// catches, or an access to other memory that the system has mapped there since.
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

// offset returns the offset at which a place begins.
func (a *Arena) offset(place uint64) uint64 { return place << ((a.least + guard) & 63) }

// order returns the order of the blocks of a class in the buddy system.
func (a *Arena) order(class uint) uint { return class + a.least + guard }

// bytes returns the size of the blocks of a class, as the program knows it.
func (a *Arena) bytes(class uint) uint64 { return 1 << ((class + a.least) & 63) }

// span returns size bytes of the memory from offset on.
func (a *Arena) span(offset, size uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(a.base, offset)), size)
}
