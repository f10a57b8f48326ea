package offheap_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
	"github.com/freerun-go/freerun/offheap"
)

// model is a program's own record of its blocks. Tests compare it with the arena: blocks do not
// overlap, keep their contents, and are counted.
type model struct {
	t     testing.TB
	a     *offheap.Arena
	held  []held
	bytes int64
}

// held is a live block. The bytes that were asked for hold a pattern made from its seed.
type held struct {
	block offheap.Block
	asked int
	tag   offheap.Tag
	seed  byte
}

func (h held) fill(bytes []byte) {
	for i := range h.asked {
		bytes[i] = h.seed + byte(i*7)
	}
}

// intact returns an error if the first n bytes differ from the pattern.
func (h held) intact(bytes []byte, n int) error {
	for i := range n {
		if want := h.seed + byte(i*7); bytes[i] != want {
			return fmt.Errorf("byte %d of %v, of %d, is %d, and %d was written", i, h.block, h.asked, bytes[i], want)
		}
	}
	return nil
}

func (m *model) check(h held, n int) {
	if err := h.intact(m.a.Bytes(h.block), n); err != nil {
		m.t.Fatal(err)
	}
}

// alloc allocates a block and compares it with what Alloc promises.
func (m *model) alloc(size int, tag offheap.Tag, zero bool, seed byte) {
	var block offheap.Block
	var err error
	switch {
	case zero:
		tag = 0
		block, err = m.a.AllocZero(size)
	default:
		block, err = m.a.AllocTagged(size, tag)
	}
	if err != nil {
		m.refused(err, size)
		return
	}
	bytes := m.a.Bytes(block)
	if want := m.a.SizeFor(size); len(bytes) != want || m.a.Size(block) != want || want < size || want&(want-1) != 0 {
		m.t.Fatalf("a block for %d bytes has %d, Size says %d, SizeFor %d", size, len(bytes), m.a.Size(block), want)
	}
	if zero {
		for i, v := range bytes {
			if v != 0 {
				m.t.Fatalf("byte %d of %d, which should be 0, is %d", i, len(bytes), v)
			}
		}
	}
	m.add(held{block, size, tag, seed})
}

func (m *model) add(h held) {
	h.fill(m.a.Bytes(h.block))
	m.held = append(m.held, h)
	m.bytes += int64(m.a.Size(h.block))
}

// refused holds that an error is ErrNoMemory, and true: no block of that size is free, nor cached.
func (m *model) refused(err error, size int) {
	if !errors.Is(err, offheap.ErrNoMemory) {
		m.t.Fatalf("%d bytes: %v", size, err)
	}
	if need := m.a.SizeFor(size); need != 0 {
		if s := m.a.Stats(); s.Largest >= int64(need) || s.Cached >= int64(need) && need <= 32 {
			m.t.Fatalf("no memory for %d bytes, with a free block of %d and %d in caches", need, s.Largest, s.Cached)
		}
	}
}

// remove checks the contents of a block and takes it out of the model.
func (m *model) remove(i int) held {
	h := m.held[i]
	m.check(h, h.asked)
	m.bytes -= int64(m.a.Size(h.block))
	last := len(m.held) - 1
	m.held[i] = m.held[last]
	m.held = m.held[:last]
	return h
}

func (m *model) free(i int) { m.a.Free(m.remove(i).block) }

func (m *model) resize(i, size int) {
	h := m.remove(i)
	block, err := m.a.Resize(h.block, size)
	if err != nil {
		m.refused(err, size)
		if block != h.block {
			m.t.Fatalf("a Resize that failed returned %v for %v", block, h.block)
		}
		m.check(h, h.asked)
		m.add(h)
		return
	}
	old := h.block
	h.block = block
	m.check(h, min(h.asked, size))
	if !panicked(func() { m.a.Free(old) }) {
		m.t.Fatal("the block of before a Resize could be freed")
	}
	h.asked = size
	m.add(h)
}

// counts compares the arena's counts with the model's.
func (m *model) counts() {
	s := m.a.Stats()
	if s.Live != m.bytes || s.Blocks != int64(len(m.held)) || s.Live+s.Cached+s.Free != s.Size {
		m.t.Fatalf("%d blocks of %d bytes are live, and the arena says %+v", len(m.held), m.bytes, s)
	}
	var live, asked int64
	tags := map[offheap.Tag]int64{}
	for _, h := range m.held {
		tags[h.tag]++
		size := int64(m.a.Size(h.block))
		asked += max(1, (int64(h.asked)*64+size-1)/size) * size
	}
	if s.Asked != asked/64 {
		m.t.Fatalf("%d bytes were asked for, and the arena says %d", asked/64, s.Asked)
	}
	var cached, free, largest int64
	for _, c := range s.Classes {
		live += c.Live * c.Size
		cached += c.Cached * c.Size
		free += c.Free * c.Size
		if c.Free > 0 {
			largest = c.Size
		}
	}
	if live != s.Live || cached != s.Cached || free != s.Free || largest != s.Largest {
		m.t.Fatalf("by class %d bytes are live, %d cached, %d free, %d of them in a block, and in all it is %+v", live, cached, free, largest, s)
	}
	for _, tag := range s.Tags {
		if tags[tag.Tag] != tag.Blocks {
			m.t.Fatalf("%d blocks have tag %d, and the arena says %d", tags[tag.Tag], tag.Tag, tag.Blocks)
		}
		delete(tags, tag.Tag)
	}
	if len(tags) != 0 {
		m.t.Fatalf("the arena knows nothing of tags %v", tags)
	}
	if leaks := m.a.Leaks(); len(leaks) != len(m.held) {
		m.t.Fatalf("%d leaks, and %d blocks are live", len(leaks), len(m.held))
	}
}

// end frees all blocks and holds that all the memory is there again.
func (m *model) end() {
	for len(m.held) > 0 {
		m.free(len(m.held) - 1)
	}
	m.counts()
	block, err := m.a.Alloc(int(m.a.Usage().Size))
	if err != nil {
		m.t.Fatalf("all is freed, and there is no block of the arena's size: %v, %+v", err, m.a.Stats())
	}
	m.a.Free(block)
}

// panicked runs f and reports whether it panicked with a text of this package.
func panicked(f func()) (did bool) {
	defer func() {
		if p := recover(); p != nil {
			if text, ok := p.(string); !ok || len(text) < 9 || text[:9] != "offheap: " {
				panic(p)
			}
			did = true
		}
	}()
	f()
	return false
}

// TestModel runs random operations on arenas that are small enough to be full now and then.
func TestModel(t *testing.T) {
	for _, smallest := range []int{32, 256} {
		t.Run(fmt.Sprint(smallest), func(t *testing.T) {
			random := rand.New(rand.NewPCG(replay.Seed(t), 0))
			m := &model{t: t, a: open(t, 1<<20, offheap.SmallestBlock(smallest), offheap.TagNames("a", "b"))}
			for i := range 30_000 {
				size := random.IntN(1 << random.IntN(19))
				switch n := random.IntN(10); {
				case n < 5:
					m.alloc(size, offheap.Tag(random.IntN(4)), n == 0, byte(i))
				case len(m.held) == 0:
				case n < 9:
					m.free(random.IntN(len(m.held)))
				default:
					m.resize(random.IntN(len(m.held)), size)
				}
				if i%3000 == 0 {
					m.counts()
					m.a.Trim()
				}
			}
			m.end()
		})
	}
}

// FuzzArena reads bytes as operations.
func FuzzArena(f *testing.F) {
	f.Add([]byte{0, 10, 0, 10, 2, 0, 2, 0, 3, 0})
	f.Add([]byte{1, 200, 0, 255, 4, 9, 2, 1, 4, 250, 3, 0, 0, 120})
	f.Add([]byte{0, 16, 0, 16, 4, 33, 0, 64, 5, 0, 2, 0, 1, 240, 3, 1, 4, 1})
	f.Fuzz(func(t *testing.T, program []byte) {
		m := &model{t: t, a: open(t, 1<<16)}
		for i := 0; i+1 < min(len(program), 400); i += 2 {
			n := int(program[i+1])
			size := n & 15 << (n >> 4) // 0 to 15 shifted by 0 to 15: up to 480 KiB, too much
			switch program[i] % 6 {
			case 0:
				m.alloc(size, offheap.Tag(n%3), false, byte(i))
			case 1:
				m.alloc(size, 0, true, byte(i))
			case 2:
				if len(m.held) > 0 {
					m.free(n % len(m.held))
				}
			case 3:
				m.a.Trim()
			case 4:
				if len(m.held) > 0 {
					m.resize(len(m.held)-1, size)
				}
			case 5:
				m.counts()
			}
		}
		m.end()
	})
}
