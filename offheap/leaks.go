package offheap

import (
	"fmt"
	"strings"

	"github.com/freerun-go/freerun/offheap/internal/buddy"
)

// Leak is a block that is live.
type Leak struct {
	Block Block
	Size  int    // as [Arena.Size] returns it
	Tag   Tag    // 0 if it has none
	Name  string // of the tag, as in the option TagNames, or ""
	Where string // the stack of its allocation, in a build with the tag freerun_debug; otherwise ""
}

// Leaks returns the live blocks in the order of their addresses, so that a test can say which
// blocks were not freed. It looks at every block. Blocks that are allocated or freed meanwhile are
// included or not. Any goroutine may call it.
func (a *Arena) Leaks() []Leak { return a.leaks(maxInt) }

func (a *Arena) leaks(most int) (leaks []Leak) {
	a.mustBeMade()
	a.mustBeOpen()
	for piece := range a.space.All() {
		if len(leaks) == most {
			break
		}
		if piece.State != buddy.Handed {
			continue
		}
		place := piece.Offset >> (a.least + guard)
		state := a.states.at(place).Load()
		if p := phase(state & phaseMask); p != live && p != moving {
			continue
		}
		b := blockAt(place, state)
		_, tag := a.fillAndTag(b)
		l := Leak{Block: b, Size: int(a.bytes(b.class())), Tag: tag, Name: a.nameOf(tag)}
		if r := a.records.of(b); r != nil {
			l.Where = strings.TrimPrefix(r.born.String(), "\n")
		}
		leaks = append(leaks, l)
	}
	return leaks
}

// firstLeaks says where the first few live blocks were allocated, if that is known.
func (a *Arena) firstLeaks() string {
	if !debug {
		return "; a build with the tag freerun_debug says where they were allocated"
	}
	var text strings.Builder
	for _, l := range a.leaks(3) {
		fmt.Fprintf(&text, "\n%v of %d bytes, allocated by\n%s", l.Block, l.Size, l.Where)
	}
	return text.String()
}

// eachFree calls do with the class of every free piece of memory.
func (a *Arena) eachFree(do func(class uint)) {
	for piece := range a.space.All() {
		if piece.State == buddy.Free {
			do(piece.Order - guard - a.least)
		}
	}
}
