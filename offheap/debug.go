package offheap

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// A build with the tag freerun_debug records for each place the latest block there, and where it
// was allocated and freed. It detects three kinds of misuse that other builds do not:
//
//   - Every use of a block that is not live, by Bytes and Size too, until the place has the same
//     generation again, after 2^25 blocks.
//   - A write to a freed block. Free fills the block with poison, and the next Alloc checks it.
//     Memory from the buddy system that was never used is zero instead of poisoned, so a zero that
//     was written to a freed block may go unseen.
//   - A write beyond a block. Each block takes twice its size, in an arena that takes twice its
//     size. Behind the bytes that the program uses is a canary, which Free and Resize check. All
//     sizes that the program sees are as in other builds.
//
// The code here is in every build, and used where the constant debug is true.

// guard is the number of orders by which a block is larger than the program knows.
const guard = debugOrders

const (
	poison      = 0xDB
	poisonWord  = 0xDBDBDBDBDBDBDBDB
	canary      = 0xC5
	canaryBytes = 256 // the most bytes of a block's upper half that are its canary
)

// records holds the latest record of each place.
type records struct {
	chunks []atomics.Pointer[recordChunk]
}

const chunkRecords = 512

type recordChunk [chunkRecords]atomics.Pointer[record]

// record says what is known of a block.
type record struct {
	block Block
	asked int
	tag   Tag
	born  callStack
	died  atomics.Pointer[callStack]
}

// callStack is the program counters of a stack.
type callStack [16]uintptr

func newCallStack() *callStack {
	t := new(callStack)
	runtime.Callers(3, t[:])
	return t
}

// String returns the functions of the stack, without those of this package.
func (t *callStack) String() string {
	var text strings.Builder
	n := 0
	for n < len(t) && t[n] != 0 {
		n++
	}
	const own = "github.com/freerun-go/freerun/offheap."
	frames := runtime.CallersFrames(t[:n])
	for more := n > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if !strings.HasPrefix(f.Function, own) {
			fmt.Fprintf(&text, "\n\t%s\n\t\t%s:%d", f.Function, f.File, f.Line)
		}
	}
	return text.String()
}

func (r *records) init(places uint64) {
	if debug {
		r.chunks = make([]atomics.Pointer[recordChunk], (places+chunkRecords-1)/chunkRecords)
	}
}

func (r *records) at(place uint64) *atomics.Pointer[record] {
	c := &r.chunks[place/chunkRecords]
	if c.Load() == nil {
		c.CompareAndSwap(nil, new(recordChunk))
	}
	return &c.Load()[place%chunkRecords]
}

// of returns the record of a block, nil if the place has none, or one of another block.
func (r *records) of(b Block) *record {
	if !debug || b.place()/chunkRecords >= uint64(len(r.chunks)) {
		return nil
	}
	if known := r.at(b.place()).Load(); known != nil && known.block == b {
		return known
	}
	return nil
}

// history says where a block was allocated and freed, as far as that is known, at the end of a
// message.
func (a *Arena) history(b Block) string {
	r := a.records.of(b)
	if r == nil {
		return ""
	}
	text := fmt.Sprintf("\n%d bytes, allocated by%v", r.asked, &r.born)
	if t := r.died.Load(); t != nil {
		text += fmt.Sprintf("\nfreed by%v", t)
	}
	return text
}

// recordAlloc records the allocation of a block that the caller owns, and sets its canary.
func (a *Arena) recordAlloc(b Block, asked int, tag Tag) {
	r := &record{block: b, asked: asked, tag: tag, born: *newCallStack()}
	a.records.at(b.place()).Store(r)
	for c := a.canaryOf(b); len(c) > 0; c = c[1:] {
		c[0] = canary
	}
}

func (a *Arena) canaryOf(b Block) []byte {
	size := a.bytes(b.class())
	return a.span(a.offset(b.place())+size, min(size, canaryBytes))
}

// acquireLive takes a live block into the hands of the caller. It panics if the block is not live,
// or if its canary was overwritten.
func (a *Arena) acquireLive(call string, s *atomics.Uint32, b Block) {
	if !s.CompareAndSwap(b.state(live), b.state(moving)) {
		a.misuse(call, b)
	}
	for i, v := range a.canaryOf(b) {
		if v != canary {
			panic(fmt.Sprintf("offheap: %s of %v: the program wrote behind the block, %d bytes beyond its %d%s", call, b, i, a.bytes(b.class()), a.history(b)))
		}
	}
}

// recordFree records the end of a block that is in the hands of the caller, and fills it with
// poison.
func (a *Arena) recordFree(b Block) {
	if r := a.records.of(b); r != nil {
		r.died.Store(newCallStack())
	}
	fillPoison(a.real(b))
}

// fillPoison fills memory with poison.
func fillPoison(memory []byte) {
	memory[0] = poison
	for n := 1; n < len(memory); n *= 2 {
		copy(memory[n:], memory[:n])
	}
}

// real returns all the memory of a block.
func (a *Arena) real(b Block) []byte {
	return a.span(a.offset(b.place()), a.bytes(b.class())<<guard)
}

// checkPoison panics if a block was written to while it was free. whole says that the block was
// freed as it is, so that it holds nothing but poison.
func (a *Arena) checkPoison(b Block, whole bool) {
	memory := a.real(b)
	for i := 0; i < len(memory); i += 8 {
		word := binary.NativeEndian.Uint64(memory[i:])
		if word == poisonWord || word == 0 && !whole {
			continue
		}
		text := ""
		if r := a.records.at(b.place()).Load(); r != nil {
			text = a.history(r.block)
		}
		for memory[i] == poison {
			i++
		}
		panic(fmt.Sprintf("offheap: the program wrote to byte %d of %d at offset %d, which were free%s", i, len(memory)>>guard, a.offset(b.place()), text))
	}
}

// fillAndTag returns how much of a live block was asked for, and its tag.
func (a *Arena) fillAndTag(b Block) (fill uint, tag Tag) {
	if debug {
		if r := a.records.of(b); r != nil {
			return fillOf(r.asked, b.class()+a.least), r.tag
		}
	}
	return b.fill(), b.tag()
}

// mustBeLive panics if a block is not live.
func (a *Arena) mustBeLive(call string, b Block) {
	if s := a.stateOf(call, b); s.Load() != b.state(live) {
		a.misuse(call, b)
	}
}
