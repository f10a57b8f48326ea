package buddy

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// model is the simplest space: the owner of each of the smallest blocks. A block is named by the
// smallest block at which it begins.
type model struct {
	least  uint
	leaves int
	owner  []int // of each smallest block: the one at which its block begins, or -1
	order  map[int]uint
}

func newModel(size uint64, least uint) *model {
	m := &model{least: least, leaves: int(size >> least), order: map[int]uint{}}
	m.owner = slices.Repeat([]int{-1}, m.leaves)
	return m
}

// isFree reports whether there is a block of that order at a smallest block, and all of it is free.
func (m *model) isFree(at int, order uint) bool {
	if order-m.least > 20 {
		return false
	}
	n := 1 << (order - m.least)
	return at%n == 0 && at+n <= m.leaves && !slices.ContainsFunc(m.owner[at:at+n], func(o int) bool { return o >= 0 })
}

// has reports whether a block of that order could be handed out.
func (m *model) has(order uint) bool {
	if order < m.least || order-m.least > 20 {
		return false
	}
	for at := 0; at < m.leaves; at += 1 << (order - m.least) {
		if m.isFree(at, order) {
			return true
		}
	}
	return false
}

// largest returns the largest order that could be handed out.
func (m *model) largest() (order uint, ok bool) {
	for order = uint(bits.Len(uint(m.leaves))) + m.least; order >= m.least && order <= 64; order-- {
		if m.has(order) {
			return order, true
		}
	}
	return 0, false
}

func (m *model) set(at int, order uint, owner int) {
	for i := range 1 << (order - m.least) {
		m.owner[at+i] = owner
	}
	if owner < 0 {
		delete(m.order, at)
	} else {
		m.order[at] = order
	}
}

// blocks returns the result that All must have: each block handed out, and free blocks as large as
// they can be.
func (m *model) blocks() (all []Block) {
	for at := 0; at < m.leaves; {
		b := Block{uint64(at) << m.least, m.order[at], Handed}
		if m.owner[at] < 0 {
			b.State = Free
			for b.Order = m.least; m.isFree(at&^(1<<(b.Order+1-m.least)-1), b.Order+1); b.Order++ {
			}
		}
		all = append(all, b)
		at += 1 << (b.Order - m.least)
	}
	return all
}

// drill makes calls to a space and to the model, and compares the answers.
type drill struct {
	s    *Space
	m    *model
	live []int
}

func newDrill(size uint64, least uint) *drill {
	return &drill{s: New(size, least), m: newModel(size, least)}
}

// do makes the call that an operation, a choice among the live blocks and an order stand for.
func (d *drill) do(operation, choice int, order uint) error {
	switch {
	case operation == 0:
		return d.some(choice%40>>(choice>>8%4), order)
	case operation == 1:
		return d.take(choice%(d.m.leaves+1), order)
	case operation < 4 || len(d.live) == 0:
		return d.alloc(order)
	}
	k := choice % len(d.live)
	at := d.live[k]
	is := d.m.order[at]
	offset := uint64(at) << d.m.least
	switch operation {
	case 4:
		grows := at%(2<<(is-d.m.least)) == 0 && d.m.isFree(at+1<<(is-d.m.least), is)
		if ok := d.s.Grow(offset, is); ok != grows {
			return fmt.Errorf("Grow(%#x, %d) = %v, want %v", offset, is, ok, grows)
		}
		if grows {
			d.m.set(at, is+1, at)
		}
	case 5:
		shrinks := order >= d.m.least && order <= is
		if ok := d.s.Shrink(offset, is, order); ok != shrinks {
			return fmt.Errorf("Shrink(%#x, %d, %d) = %v, want %v", offset, is, order, ok, shrinks)
		}
		if shrinks {
			d.m.set(at, is, -1)
			d.m.set(at, order, at)
		}
	default:
		if order != is && (d.s.Free(offset, order) || d.s.Grow(offset, order) || d.s.Shrink(offset, order, order)) {
			return fmt.Errorf("something was done about a block of order %d at %#x, which is of order %d", order, offset, is)
		}
		if inside := offset + 1<<(is-1); is > d.m.least && (d.s.Free(inside, is-1) || d.s.Grow(inside, is-1) || d.s.Shrink(inside, is-1, is-1)) {
			return fmt.Errorf("something was done about %#x, which is in the middle of a block", inside)
		}
		if !d.s.Free(offset, is) {
			return fmt.Errorf("Free(%#x, %d) = false", offset, is)
		}
		if d.s.Free(offset, is) || d.s.Grow(offset, is) || d.s.Shrink(offset, is, is) {
			return fmt.Errorf("something was done about %#x, which was given back", offset)
		}
		d.m.set(at, is, -1)
		d.live = slices.Delete(d.live, k, k+1)
	}
	return nil
}

func (d *drill) alloc(order uint) error {
	offset, ok := d.s.Alloc(order)
	if want := d.m.has(order); ok != want {
		return fmt.Errorf("Alloc(%d) = %#x, %v, want %v", order, offset, ok, want)
	}
	if !ok {
		return nil
	}
	return d.handed(offset, order)
}

// some asks for several blocks at once.
func (d *drill) some(n int, order uint) error {
	offsets := make([]uint64, n)
	got := d.s.AllocSome(order, offsets)
	for _, offset := range offsets[:got] {
		if err := d.handed(offset, order); err != nil {
			return err
		}
	}
	if got < n && d.m.has(order) {
		return fmt.Errorf("AllocSome hands out %d blocks of order %d, not %d, and there are more", got, order, n)
	}
	return nil
}

// take asks for the block at an offset.
func (d *drill) take(at int, order uint) error {
	offset := uint64(at) << d.m.least
	want := order >= d.m.least && at < d.m.leaves && d.m.isFree(at, order)
	if ok := d.s.Take(offset, order); ok != want {
		return fmt.Errorf("Take(%#x, %d) = %v, want %v", offset, order, ok, want)
	}
	if want {
		return d.handed(offset, order)
	}
	return nil
}

// handed records a block that was handed out.
func (d *drill) handed(offset uint64, order uint) error {
	at := int(offset >> d.m.least)
	if offset&(1<<d.m.least-1) != 0 || !d.m.isFree(at, order) {
		return fmt.Errorf("a block of order %d at %#x was handed out, which is not free, or none", order, offset)
	}
	d.m.set(at, order, at)
	d.live = append(d.live, at)
	return nil
}

// compare compares the blocks of both, and the figures.
func (d *drill) compare() error {
	want := d.m.blocks()
	if got := slices.Collect(d.s.All()); !slices.Equal(got, want) {
		return fmt.Errorf("the blocks are\n%v, not\n%v", got, want)
	}
	free, handed := uint64(0), map[uint]int64{}
	for _, b := range want {
		if b.State == Free {
			free += 1 << b.Order
		} else {
			handed[b.Order]++
		}
	}
	if got := d.s.FreeBytes(); got != free {
		return fmt.Errorf("%d bytes are free, not %d", got, free)
	}
	for order := range uint(70) {
		if got := d.s.HandedOut(order); got != handed[order] {
			return fmt.Errorf("%d blocks of order %d are handed out, not %d", got, order, handed[order])
		}
	}
	order, ok := d.s.Largest()
	if want, any := d.m.largest(); order != want || ok != any {
		return fmt.Errorf("the largest free block is of order %d, %v, not %d, %v", order, ok, want, any)
	}
	return nil
}

// sweep takes all free blocks of some size, one after another, and gives each back at once.
func (d *drill) sweep(least, most uint) error {
	want := uint64(0)
	for _, b := range d.m.blocks() {
		if b.State == Free && b.Order >= least {
			want += 1 << b.Order
		}
	}
	sum, end := uint64(0), uint64(0)
	for {
		offset, order, ok := d.s.TakeFree(end, least, most)
		if !ok {
			break
		}
		if offset < end || order < least || order > most || !d.m.isFree(int(offset>>d.m.least), order) {
			return fmt.Errorf("TakeFree(%#x, %d, %d) = %#x, %d, which is not free, or not what was asked for", end, least, most, offset, order)
		}
		if !d.s.Free(offset, order) {
			return fmt.Errorf("Free(%#x, %d) = false after TakeFree", offset, order)
		}
		sum, end = sum+1<<order, offset+1<<order
	}
	if sum != want {
		return fmt.Errorf("the free blocks from order %d on, in parts of order %d, have %d bytes, not %d", least, most, sum, want)
	}
	return nil
}

// clear gives all blocks back, in any order; then the blocks are those of a new space.
func (d *drill) clear(random *rand.Rand) error {
	for len(d.live) > 0 {
		if err := d.do(7, random.IntN(len(d.live)), 0); err != nil {
			return err
		}
	}
	if err := d.compare(); err != nil {
		return err
	}
	if got, want := slices.Collect(d.s.All()), slices.Collect(New(d.s.Size(), d.m.least).All()); !slices.Equal(got, want) {
		return fmt.Errorf("when all is given back, the blocks are\n%v, not\n%v", got, want)
	}
	return nil
}

// TestModel makes random calls to spaces of all shapes.
func TestModel(t *testing.T) {
	random := rand.New(rand.NewPCG(replay.Seed(t), 1))
	for range 100 {
		least := uint(random.IntN(7))
		leaves := 1 + random.IntN(1500)
		if random.IntN(3) == 0 {
			leaves = 1 << random.IntN(12)
		}
		d := newDrill(uint64(leaves)<<least, least)
		fill := 3 + random.IntN(3)
		for i := range 500 {
			operation := random.IntN(fill + 4)
			order := least + uint(min(random.IntN(9), random.IntN(9)))
			if random.IntN(50) == 0 {
				order = uint(random.IntN(70))
			}
			if err := d.do(operation, random.IntN(1<<16), order); err != nil {
				t.Fatalf("%d leaves of order %d, call %d: %v", leaves, least, i, err)
			}
			if i%20 != 0 {
				continue
			}
			if err := d.compare(); err != nil {
				t.Fatalf("%d leaves of order %d, after call %d: %v", leaves, least, i, err)
			}
			from := least + uint(random.IntN(4))
			if err := d.sweep(from, from+uint(random.IntN(6))); err != nil {
				t.Fatalf("%d leaves of order %d, after call %d: %v", leaves, least, i, err)
			}
		}
		if err := d.clear(random); err != nil {
			t.Fatalf("%d leaves of order %d: %v", leaves, least, err)
		}
	}
}

// TestSizes makes the largest spaces, and takes their largest and their smallest blocks.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		size  uint64
		least uint
	}{{1, 0}, {32, 5}, {64, 5}, {1 << 20, 5}, {1 << 30, 5}, {3 << 30, 5}, {64 << 30, 12}, {3<<30 + 32, 5}, {1<<40 - 4096, 12}, {1 << 62, 40}} {
		s := New(c.size, c.least)
		if s.Size() != c.size || s.FreeBytes() != c.size {
			t.Errorf("%d bytes: the size is %d, and %d are free", c.size, s.Size(), s.FreeBytes())
		}
		largest, ok := s.Largest()
		if want := uint(bits.Len64(c.size)) - 1; !ok || largest != want {
			t.Errorf("%d bytes: the largest block is of order %d, %v, not %d", c.size, largest, ok, want)
		}
		var taken []Block
		for used := uint64(0); used < c.size; {
			order, ok := s.Largest()
			if !ok {
				t.Fatalf("%d bytes: nothing is left of %d", c.size, c.size-used)
			}
			offset, ok := s.Alloc(order)
			if !ok {
				t.Fatalf("%d bytes: no block of order %d, which is said to be the largest", c.size, order)
			}
			taken = append(taken, Block{Offset: offset, Order: order})
			used += 1 << order
		}
		if offset, ok := s.Alloc(c.least); ok {
			t.Errorf("%d bytes: one more than there are, at %d", c.size, offset)
		}
		for _, b := range taken {
			if !s.Free(b.Offset, b.Order) {
				t.Errorf("%d bytes: the block at %d is not handed out", c.size, b.Offset)
			}
		}
		if offset, ok := s.Alloc(c.least); !ok || !s.Free(offset, c.least) {
			t.Errorf("%d bytes: no smallest block", c.size)
		}
		if again, ok := s.Largest(); !ok || again != largest {
			t.Errorf("%d bytes: after all was given back the largest block is of order %d, not %d", c.size, again, largest)
		}
	}
}

// TestNewRefuses holds the messages about wrong sizes.
func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		size  uint64
		least uint
	}{{0, 5}, {33, 5}, {1<<62 + 1, 0}, {1 << 63, 40}, {64, 63}, {64, 200}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New(%d, %d) does not panic", c.size, c.least)
				}
			}()
			New(c.size, c.least)
		}()
	}
}
