package offheap

import (
	"fmt"
	"strings"

	"github.com/freerun-go/freerun/internal/sys/pin"
)

// tally counts the blocks that a processor has allocated less those that it has freed. Its numbers
// may be negative; only their sum over all processors has a meaning.
type tally struct {
	blocks [classes]counter
	fills  [classes]counter // in 64ths of a block
	tags   [Tags]struct{ blocks, units counter }
}

// add counts a block of that class n times: 1 or -1. The caller is pinned to the processor.
func (t *tally) add(class, fill uint, tag Tag, n int) {
	t.blocks[class].Add(uint64(n))
	t.fills[class].Add(uint64(n * int(fill+1)))
	if tag != 0 {
		t.tags[tag].blocks.Add(uint64(n))
		t.tags[tag].units.Add(uint64(n) << class)
	}
}

// count is tally.add for a caller that is not pinned.
func (a *Arena) count(class, fill uint, tag Tag, n int) {
	c := a.enter()
	c.tally.add(class, fill, tag, n)
	pin.Unpin()
}

// live returns the number of live blocks of each class.
func (a *Arena) live() (blocks [classes]int64) {
	for _, c := range *a.caches.Load() {
		for i := range blocks {
			blocks[i] += int64(c.tally.blocks[i].Load())
		}
	}
	return blocks
}

// inUse returns an error that says which blocks are live, or nil if none is.
func (a *Arena) inUse() error {
	var blocks, bytes int64
	for class, n := range a.live() {
		blocks += n
		bytes += n << (uint(class) + a.least)
	}
	if blocks == 0 {
		return nil
	}
	var what []string
	for _, t := range a.byTag() {
		name := t.Name
		if name == "" {
			name = "without a tag"
			if t.Tag != 0 {
				name = fmt.Sprintf("with tag %d", t.Tag)
			}
		}
		what = append(what, fmt.Sprintf("%d %s of %d bytes in all", t.Blocks, name, t.Bytes))
	}
	return fmt.Errorf("%w: %d of %d bytes in all (%s)%s", ErrInUse, blocks, bytes, strings.Join(what, ", "), a.firstLeaks())
}
