package offheap_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

// open returns an arena that is closed at the end of the test, and that must be empty then.
func open(t testing.TB, size int64, options ...offheap.Option) *offheap.Arena {
	t.Helper()
	a, err := offheap.New(size, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil && !errors.Is(err, offheap.ErrClosed) {
			t.Errorf("Close: %v", err)
		}
	})
	return a
}

// message returns the text that f panics with.
func message(t *testing.T, f func()) (text string) {
	t.Helper()
	defer func() {
		t.Helper()
		p := recover()
		if text, _ = p.(string); text == "" {
			t.Errorf("it panicked with %v", p)
		}
	}()
	f()
	return ""
}

func says(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q does not say %q", what, text, part)
		}
	}
}

// TestNew holds which arguments New refuses, and with which errors.
func TestNew(t *testing.T) {
	for what, try := range map[string]struct {
		size    int64
		options []offheap.Option
		says    []string
	}{
		"nothing":        {0, nil, []string{"an arena of 0 bytes", "the size must be from"}},
		"negative":       {-5, nil, []string{"an arena of -5 bytes"}},
		"too much":       {1 << 62, nil, []string{"an arena of 4611686018427387904 bytes"}},
		"no power of 2":  {1 << 20, []offheap.Option{offheap.SmallestBlock(48)}, []string{"smallest block of 48 bytes", "a power of two from 32 to 4096"}},
		"tiny blocks":    {1 << 20, []offheap.Option{offheap.SmallestBlock(16)}, []string{"smallest block of 16 bytes"}},
		"too many names": {1 << 20, []offheap.Option{offheap.TagNames(make([]string, 64)...)}, []string{"64 names", "63 tags"}},
	} {
		a, err := offheap.New(try.size, try.options...)
		if err == nil {
			t.Errorf("%s: no error", what)
			a.Close()
			continue
		}
		says(t, what, err.Error(), append(try.says, "offheap: ")...)
	}
}

// TestSizes makes arenas whose size is no power of two, and uses all of them.
func TestSizes(t *testing.T) {
	for _, size := range []int64{1 << 16, 1<<16 + 1, 3 << 16, 5<<20 + 4096} {
		a := open(t, size)
		if a.Usage().Size < size || a.Usage().Size > size+1<<16 {
			t.Errorf("%d bytes were asked for, and there are %d", size, a.Usage().Size)
		}
		var blocks []offheap.Block
		for {
			b, err := a.Alloc(1 << 12)
			if err != nil {
				break
			}
			bytes := a.Bytes(b)
			bytes[0], bytes[len(bytes)-1] = 1, 2
			blocks = append(blocks, b)
		}
		if got := int64(len(blocks)) << 12; got != a.Usage().Size {
			t.Errorf("%d of %d bytes could be allocated", got, a.Usage().Size)
		}
		for _, b := range blocks {
			a.Free(b)
		}
	}
}

// TestArguments holds the messages about wrong sizes, tags and blocks.
func TestArguments(t *testing.T) {
	a, other := open(t, 1<<16), open(t, 1<<16)
	for _, size := range []int{0, 1, 32} {
		b := must(a.Alloc(size))
		if a.Size(b) != 32 {
			t.Errorf("a block for %d bytes has %d", size, a.Size(b))
		}
		a.Free(b)
	}
	for _, size := range []int{1<<16 + 1, math.MaxInt} {
		_, err := a.Alloc(size)
		if !errors.Is(err, offheap.ErrNoMemory) || a.SizeFor(size) != 0 {
			t.Errorf("%d bytes: %v", size, err)
			continue
		}
		says(t, "too large", err.Error(), fmt.Sprint(size), "bytes are more than a block of this arena can have, 65536")
	}
	says(t, "negative", message(t, func() { a.Alloc(-1) }), "a block of -1 bytes")
	says(t, "negative", message(t, func() { a.SizeFor(-1) }), "a block of -1 bytes")
	says(t, "a tag", message(t, func() { a.AllocTagged(1, 64) }), "tag 64: a tag is less than 64")
	b := must(a.Alloc(100))
	says(t, "negative", message(t, func() { a.Resize(b, -1) }), "a block of -1 bytes")
	says(t, "foreign", message(t, func() { other.Free(b) }), "Free of block", "belongs to another arena")
	a.Free(b)
	says(t, "twice", message(t, func() { a.Free(b) }), "Free of block", "freed or resized before")
	says(t, "stale", message(t, func() { a.Resize(b, 5) }), "Resize of block", "freed or resized before")
	says(t, "none", message(t, func() { a.Free(0) }), "Free of no block")
	says(t, "none", message(t, func() { a.Bytes(0) }), "Bytes of no block")
	says(t, "nonsense", message(t, func() { a.Free(^offheap.Block(0)) }), "Free of block")
	says(t, "nonsense", message(t, func() { a.Bytes(^offheap.Block(0)) }), "Bytes of block")
	if !offheap.Block(0).IsZero() || b.IsZero() {
		t.Error("the zero Block is none, and no other")
	}
}

// TestGenerations frees a block that was at a place long ago.
func TestGenerations(t *testing.T) {
	a := open(t, 1<<16)
	seen := map[offheap.Block]bool{}
	for range 5000 {
		b := must(a.Alloc(1 << 16)) // the only place of such a block
		if seen[b] {
			t.Fatalf("%v came twice", b)
		}
		for old := range seen {
			if !panicked(func() { a.Free(old) }) {
				t.Fatalf("%v was freed as %v", b, old)
			}
			break
		}
		seen[b] = true
		a.Free(b)
	}
}

// TestForeign frees blocks of another arena in which everything is at the same place.
func TestForeign(t *testing.T) {
	const n = 16
	var arenas [n]*offheap.Arena
	var blocks [n]offheap.Block
	for i := range arenas {
		arenas[i] = open(t, 1<<16)
		blocks[i] = must(arenas[i].Alloc(1 << 16))
	}
	for i, a := range arenas {
		for j, b := range blocks {
			if i != j && !panicked(func() { a.Free(b) }) {
				t.Errorf("arena %d took the block of arena %d", i, j)
			}
		}
	}
	for i, a := range arenas {
		a.Free(blocks[i])
	}
}

// TestClose closes an arena with live blocks, in vain, and then without.
func TestClose(t *testing.T) {
	a, err := offheap.New(1<<16, offheap.TagNames("names"))
	if err != nil {
		t.Fatal(err)
	}
	b, c := must(a.Alloc(100)), must(a.AllocTagged(1000, 1))
	err = a.Close()
	if !errors.Is(err, offheap.ErrInUse) {
		t.Fatalf("Close of an arena with two blocks: %v", err)
	}
	says(t, "in use", err.Error(), "2 of 1152 bytes in all", "1 without a tag of 128 bytes", "1 names of 1024 bytes")
	leaks := a.Leaks()
	if len(leaks) != 2 || leaks[0].Size+leaks[1].Size != 1152 || leaks[0].Name+leaks[1].Name != "names" {
		t.Errorf("%+v", leaks)
	}
	a.Free(b)
	a.Free(c)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != offheap.ErrClosed {
		t.Errorf("the second Close: %v", err)
	}
	for what, f := range map[string]func(){
		"Alloc": func() { a.Alloc(1) }, "AllocZero": func() { a.AllocZero(1) }, "Free": func() { a.Free(b) }, "Bytes": func() { a.Bytes(b) },
		"Resize": func() { a.Resize(b, 1) }, "Trim": func() { a.Trim() }, "Stats": func() { a.Stats() }, "Leaks": func() { a.Leaks() },
	} {
		says(t, what, message(t, f), "the arena is closed")
	}
}

// TestResize holds where a block can stay in place, and that it is copied where it cannot.
func TestResize(t *testing.T) {
	a := open(t, 1<<20)
	b := must(a.Alloc(1 << 19))
	memory := &a.Bytes(b)[0]
	grown, err := a.Resize(b, 1<<20)
	if err != nil || &a.Bytes(grown)[0] != memory {
		t.Fatalf("the first half of an empty arena did not grow in place: %v", err)
	}
	for size := 1 << 20; size >= 32; size /= 2 {
		if grown, err = a.Resize(grown, size-7); err != nil || &a.Bytes(grown)[0] != memory || a.Size(grown) != size {
			t.Fatalf("a block did not shrink to %d bytes in place: %v", size, err)
		}
	}
	if u := a.Usage(); u.Live != 32 || u.Free+u.Cached != 1<<20-32 {
		t.Errorf("%+v", u)
	}
	if grown, err = a.Resize(grown, 1<<20); err != nil || &a.Bytes(grown)[0] != memory {
		t.Fatalf("a block did not grow in place: %v", err)
	}
	if same, err := a.Resize(grown, 1<<20+1); !errors.Is(err, offheap.ErrNoMemory) || same != grown {
		t.Errorf("more than the arena: %v", err)
	}
	a.Free(grown)
}

// TestTrim holds that memory goes back, comes back as zero, and that no live block is touched.
func TestTrim(t *testing.T) {
	a := open(t, 1<<24)
	b := must(a.Alloc(1 << 22))
	kept := held{block: must(a.Alloc(1 << 20)), asked: 1 << 20, seed: 3}
	kept.fill(a.Bytes(kept.block))
	for i := range a.Bytes(b) {
		a.Bytes(b)[i] = 1
	}
	a.Free(b)
	before := a.Stats().Touched
	released := a.Trim()
	after := a.Stats().Touched
	if before-after != released {
		t.Errorf("%d bytes were touched, then %d, and Trim says that it released %d", before, after, released)
	}
	if releases && released < 1<<22 {
		t.Errorf("4 MiB were freed, and Trim released %d bytes", released)
	}
	if a.Trim() != 0 {
		t.Error("a second Trim found something")
	}
	b = must(a.AllocZero(1 << 22))
	for i, v := range a.Bytes(b) {
		if v != 0 {
			t.Fatalf("byte %d is %d", i, v)
		}
	}
	if err := kept.intact(a.Bytes(kept.block), kept.asked); err != nil {
		t.Error(err)
	}
	a.Free(b)
	a.Free(kept.block)
}

// TestTrimEmptiesCaches holds that a Trim gives back the pages of blocks that were freed into the
// caches.
func TestTrimEmptiesCaches(t *testing.T) {
	a := open(t, 1<<24)
	const size, blocks = 1 << 10, 64
	var all []offheap.Block
	for range blocks {
		b := must(a.Alloc(size))
		clear(a.Bytes(b))
		all = append(all, b)
	}
	for _, b := range all {
		a.Free(b)
	}
	if a.Usage().Cached == 0 {
		t.Fatal("no block is cached")
	}
	released := a.Trim()
	if u := a.Usage(); u.Cached != 0 || releases && released < size*blocks {
		t.Errorf("Trim released %d of %d bytes, and %d are cached", released, size*blocks, u.Cached)
	}
}

// TestGrownPages holds that the pages by which a block has grown are known to be used.
func TestGrownPages(t *testing.T) {
	a := open(t, 1<<20)
	b := must(a.Alloc(1 << 16))
	b, err := a.Resize(b, 1<<19)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Bytes(b) {
		a.Bytes(b)[i] = 1
	}
	a.Free(b)
	b = must(a.AllocZero(1 << 20))
	for i, v := range a.Bytes(b) {
		if v != 0 {
			t.Fatalf("byte %d is %d", i, v)
		}
	}
	a.Free(b)
}

// releases says whether Trim can give memory back in this build.
var releases = runtime.GOOS == "linux" && !raceEnabled && !debugEnabled
