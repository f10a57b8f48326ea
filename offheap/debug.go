package offheap

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// A build with the tag freerun_debug knows of each place which block was there last, where that was allocated and freed, and finds out three kinds of
// misuse more than others do:
//
//   - every use of a block that is not live, Bytes and Size too, unless the place has come round to the same generation, after 2^25 blocks;
//   - writing to what was freed: Free fills a block with poison, and who gets it next looks whether that is still so. (Memory that comes from the buddy system may be zero
//     instead of poisoned, as it was never used: there a zero that was written to a freed block goes unseen.)
//   - writing beyond a block: each block is really one of twice its size, in an arena of twice its size, and behind it is a canary that Free and Resize
//     look at. Sizes are otherwise as always.
//
// The code here is in every build, and used where the constant debug is true.

// guard is how many orders a block is larger than what the program knows of.
const guard = debugOrders

const (
	poison      = 0xDB
	poisonWord  = 0xDBDBDBDBDBDBDBDB
	canary      = 0xC5
	canaryBytes = 256 // of the upper half of a block at most
)

// records has the latest record of each place.
type records struct {
	chunks []atomics.Pointer[recordChunk]
}

const chunkRecords = 512

type recordChunk [chunkRecords]atomics.Pointer[record]

// record is what is known of a block.
type record struct {
	block Block
	asked int
	tag   Tag
	born  callStack
	died  atomics.Pointer[callStack]
}

// callStack is a stack.
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

// of returns the record of a block, nil if there is none, or none any more.
func (r *records) of(b Block) *record {
	if !debug || b.place()/chunkRecords >= uint64(len(r.chunks)) {
		return nil
	}
	if known := r.at(b.place()).Load(); known != nil && known.block == b {
		return known
	}
	return nil
}

// history returns where a block was allocated and freed, as far as that is known, to be added to a message.
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

// recordAlloc notes who has allocated a block, which is the caller's, and sets its canary.
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

// acquireLive takes a live block into the hands of the caller. It panics if it is not live, or was written beyond.
func (a *Arena) acquireLive(call string, s *atomics.Uint32, b Block) {
	if !s.CompareAndSwap(b.state(live), b.state(moving)) {
		a.misuse(call, b)
	}
	for i, v := range a.canaryOf(b) {
		if v != canary {
			panic(fmt.Sprintf("offheap: %s of %v, behind which somebody wrote, %d bytes beyond its %d%s", call, b, i, a.bytes(b.class()), a.history(b)))
		}
	}
}

// recordFree notes who has freed a block, which is in the hands of the caller and was handed out or not, and fills it with poison.
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

// checkPoison panics if somebody wrote to a block while it was free. whole is true if it was freed as it is, so that there is nothing but poison.
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
		panic(fmt.Sprintf("offheap: somebody wrote to byte %d of %d at offset %d, which were free%s", i, len(memory)>>guard, a.offset(b.place()), text))
	}
}

// fillAndTag returns what is known of a live block besides its class.
func (a *Arena) fillAndTag(b Block) (fill uint, tag Tag) {
	if debug {
		if r := a.records.of(b); r != nil {
			return fillOf(r.asked, b.class()+a.least), r.tag
		}
	}
	return b.fill(), b.tag()
}

// mustBeLive panics if a block is not.
func (a *Arena) mustBeLive(call string, b Block) {
	if s := a.stateOf(call, b); s.Load() != b.state(live) {
		a.misuse(call, b)
	}
}
