package freerun

import (
	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/queue"
)

// Letters without a future are used again, so that Tell allocates nothing in steady state. They travel in batches:
//
//	sender ←─ its magazine (plain, its own) ←─ depot of the operation (whole batches) ←─ magazine of the processor ←─ run
//
// A magazine is a full batch in reserve and one that is in use, so that a sender and a receiver on one processor go on for a
// batch before they need the depot (J. Bonwick and J. Adams, Magazines and Vmem, USENIX 2001). The depot is a fixed number of
// slots that a batch is put into by compare-and-swap and taken from by swap: nothing is linked between batches, so there is
// no ABA, and what is retained is bounded: what does not fit is left to Go's collector.

const (
	batchSize  = 64
	depotSlots = 64
)

// magazine holds letters of one operation for one sender at a time.
type magazine struct {
	loaded, spare *queue.Node // spare is nil or a full batch
	count         int         // of loaded
}

// take returns a letter, nil if there is none.
func (m *magazine) take() *letter {
	n := m.loaded
	if n == nil {
		if n = m.spare; n == nil {
			return nil
		}
		m.load(n)
		m.spare = nil
	}
	m.loaded = n.Next()
	m.count--
	return letterOf(n)
}

// load makes a full batch the one in use.
func (m *magazine) load(batch *queue.Node) { m.loaded, m.count = batch, batchSize }

// put adds a letter, and returns a full batch if there are two already.
func (m *magazine) put(l *letter) (full *queue.Node) {
	if m.count == batchSize {
		full = m.spare
		m.spare, m.loaded, m.count = m.loaded, nil, 0
	}
	l.Link(m.loaded)
	m.loaded = &l.Node
	m.count++
	return full
}

// letterCache has a magazine for each operation, by the operation's number.
type letterCache struct{ magazines []magazine }

// of returns the magazine of operation id, nil if there is none yet.
func (k *letterCache) of(id int) *magazine {
	if id < len(k.magazines) {
		return &k.magazines[id]
	}
	return nil
}

// depot holds full batches of letters of one operation. Any goroutine.
type depot struct {
	slots [depotSlots]atomics.Pointer[queue.Node]
	flood flood
}

// put keeps a batch, or leaves it to the collector if the depot is full.
func (d *depot) put(batch *queue.Node) {
	for i := range d.slots {
		if d.slots[i].Load() == nil && d.slots[i].CompareAndSwap(nil, batch) {
			d.flood.returned()
			return
		}
	}
	d.flood.dropped()
	d.flood.returned()
}

// take returns a batch, nil if there is none.
func (d *depot) take() *queue.Node {
	for i := range d.slots {
		if d.slots[i].Load() != nil {
			if batch := d.slots[i].Swap(nil); batch != nil {
				return batch
			}
		}
	}
	return nil
}

// fromOutside counts a message that an ordinary goroutine is about to send, and returns a letter to use again, nil if a new one is
// to be made. It holds the sender back while the receiver is far behind.
func (d *depot) fromOutside(b *border, id int) *letter {
	l := d.fromStripe(b, id, 1)
	if l != nil || !d.flood.high() {
		return l
	}
	for l == nil && d.hold(b) {
		l = d.fromStripe(b, id, 0)
	}
	if !d.empty() {
		d.flood.returned() // there is more than this sender was told of: tell the next
	}
	return l
}

func (d *depot) empty() bool {
	for i := range d.slots {
		if d.slots[i].Load() != nil {
			return false
		}
	}
	return true
}

func (d *depot) fromStripe(b *border, id int, sent uint64) *letter {
	s := b.enter()
	if s == nil {
		b.sent.Add(sent)
		return nil
	}
	s.sent.Add(sent)
	m := s.letters.of(id)
	if m == nil {
		b.leave(s)
		b.makeMagazines(id)
		return nil
	}
	l := m.takeOrLoad(d)
	b.leave(s)
	return l
}

// takeOrLoad returns a letter from the magazine, or from a batch of the depot, which it loads.
func (m *magazine) takeOrLoad(d *depot) *letter {
	if l := m.take(); l != nil {
		return l
	}
	batch := d.take()
	if batch == nil {
		return nil
	}
	m.load(batch)
	return m.take()
}

// makeMagazines makes room for operation id in a stripe; allocated before entering it, as nobody should allocate much there.
func (b *border) makeMagazines(id int) {
	room := make([]magazine, id+1)
	if s := b.enter(); s != nil {
		if len(s.letters.magazines) < len(room) {
			copy(room, s.letters.magazines)
			s.letters.magazines = room
		}
		b.leave(s)
	}
}

// takeLetter returns a letter of operation id to use again, nil if there is none. On a processor.
func (c *Context) takeLetter(d *depot, id int) *letter { return c.magazine(id).takeOrLoad(d) }

// returnLetter takes back a letter of operation id. On a processor.
func (c *Context) returnLetter(d *depot, id int, l *letter) {
	if full := c.magazine(id).put(l); full != nil {
		d.put(full)
	}
}

// returnLate takes back the letter that the mailbox had not let go of when it was run.
func (c *Context) returnLate() {
	l := c.unreturned
	c.unreturned = nil
	l.kind().recycle(c, l)
}

func (c *Context) magazine(id int) *magazine {
	if m := c.letters.of(id); m != nil {
		return m
	}
	c.letters.magazines = append(c.letters.magazines, make([]magazine, id+1-len(c.letters.magazines))...)
	return &c.letters.magazines[id]
}
