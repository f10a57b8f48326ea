package freerun

import (
	"runtime"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pin"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// Letters without a future are used again, so that Tell allocates nothing in steady state. They travel in batches:
//
//	sender ←─ its magazine (plain, its own) ←─ depot of the operation (whole batches) ←─ magazine of the processor ←─ run
//
// A magazine is a full batch in reserve and one that is in use, so that a sender and a receiver on one processor go on for a
// batch before they need the depot (J. Bonwick and J. Adams, Magazines and Vmem, USENIX 2001). The depot is a fixed number of
// slots that a batch is put into by compare-and-swap and taken from by swap: nothing is linked between batches, so there is
// no ABA, and what is retained is bounded: what does not fit is left to Go's collector. All of it belongs to one runtime.

const (
	batchSize  = 64
	depotSlots = 64
)

// magazine holds letters of one operation for one sender at a time.
type magazine struct {
	loaded, spare *mailbox.Node // spare is nil or a full batch
	count         int           // of loaded
	depot         *depot
}

// take returns a letter, from the depot's batches if it has none itself; nil if there is none.
func (m *magazine) take() *message {
	if m.loaded == nil && !m.reload() {
		return nil
	}
	return m.next()
}

// next returns a letter of the batch in use, which there must be.
func (m *magazine) next() *message {
	n := m.loaded
	m.loaded = n.Next()
	m.count--
	return messageOf(n)
}

func (m *magazine) reload() bool {
	m.loaded, m.spare = m.spare, nil
	if m.loaded == nil {
		m.loaded = m.depot.take()
	}
	if m.loaded == nil {
		return false
	}
	m.count = batchSize
	return true
}

// put adds a letter, and gives a full batch to the depot if there are two already.
func (m *magazine) put(l *message) {
	if m.count == batchSize {
		if m.spare != nil {
			m.depot.put(m.spare)
		}
		m.spare, m.loaded, m.count = m.loaded, nil, 0
	}
	l.Link(m.loaded)
	m.loaded = &l.Node
	m.count++
}

// letterCache has a magazine for each operation, by the operation's number.
type messageCache struct{ magazines []magazine }

// of returns the magazine of operation id, nil if there is none yet.
func (k *messageCache) of(id int) *magazine {
	if id < len(k.magazines) && k.magazines[id].depot != nil {
		return &k.magazines[id]
	}
	return nil
}

// open returns the magazine of operation id, and makes it if there is none; room is for id+1
// magazines if there are fewer.
func (k *messageCache) open(id int, d *depot, room []magazine) *magazine {
	if len(k.magazines) <= id {
		copy(room, k.magazines)
		k.magazines = room
	}
	m := &k.magazines[id]
	if m.depot == nil {
		m.depot = d
	}
	return m
}

// magazine returns the processor's magazine of operation id.
func (s *worker) magazine(id int) *magazine {
	if m := s.messages.of(id); m != nil {
		return m
	}
	return s.messages.open(id, s.rt.depot(id), make([]magazine, id+1))
}

// letterFromOutside counts a message to u that is about to be sent from outside with operation id,
// and returns a letter to use again, nil if a new one is to be made, and the depot; or false if the
// runtime takes no messages of the sender any more. It holds an ordinary goroutine back while the
// receiver is far behind.
func (rt *Runtime) messageFromOutside(u *unit, id int) (l *message, d *depot, admitted bool) {
	l, d, found := rt.messageFromStripe(id, running)
	if found == refused && rt.standing() == insider {
		l, d, found = rt.messageFromStripe(id, drains)
	}
	if found == refused {
		return nil, nil, false
	}
	if l != nil || !d.flood.high() || rt.deterministic() || rt.standing() != outsider {
		return l, d, true
	}
	for l == nil && rt.hold(d, u) {
		if l, d, found = rt.messageFromStripe(id, counted); found == noStripe {
			l = d.takeOne()
		}
	}
	if !d.empty() {
		d.flood.returned() // there is more than this sender was told of: tell the next
	}
	return l, d, true
}

// letterAtHand is letterFromStripe for what is most often the case, in one piece: the batch in use has a letter. Otherwise it has done
// nothing, and returns nil. Only with pinning.
func (rt *Runtime) messageAtHand(id int) (*message, *depot) {
	i := pin.Pin()
	if i < len(rt.ingress.stripes) {
		s := &rt.ingress.stripes[i]
		if m := s.messages.of(id); m != nil && m.loaded != nil && s.count(rt, running) {
			l, d := m.next(), m.depot
			prefetch.ForWrite(unsafe.Pointer(m.loaded))
			pin.Unpin()
			return l, d
		}
	}
	pin.Unpin()
	return nil, nil
}

// found is what came of a look into a stripe.
type found uint8

const (
	served found = iota
	noStripe
	refused
)

// counted, in the place of a phase, says that the message was counted before.
const counted = ^uint32(0)

// letterFromStripe takes a letter from the stripe of this thread, after counting the message as
// countSent does, unless it was counted before. A stripe that has no magazine for operation id is
// left and entered again: where stripes are chosen by the depth of the stack, that must be here, or
// the magazine would be opened in another stripe, at each call. The letter is taken from the stripe
// that was entered last, whichever it is: so each call has looked into the depot, or found no
// stripe.
func (rt *Runtime) messageFromStripe(id int, latest uint32) (*message, *depot, found) {
	s := rt.ingress.enter()
	if s == nil {
		if latest != counted && !rt.countWithoutStripe(latest) {
			return nil, nil, refused
		}
		return nil, rt.depot(id), noStripe
	}
	if latest != counted && !s.count(rt, latest) {
		rt.ingress.leave(s)
		return nil, nil, refused
	}
	m := s.messages.of(id)
	if m == nil {
		rt.ingress.leave(s)
		d, room := rt.depot(id), make([]magazine, id+1) // not inside, where nobody should allocate much
		if s = rt.ingress.enter(); s == nil {
			return nil, d, noStripe
		}
		m = s.messages.open(id, d, room)
	}
	l, d := m.take(), m.depot
	rt.ingress.leave(s)
	return l, d, served
}

// depot holds full batches of letters of one operation. Any goroutine.
type depot struct {
	slots [depotSlots]atomics.Pointer[mailbox.Node]
	flood flood
}

// depot returns the depot of operation id.
func (rt *Runtime) depot(id int) *depot {
	if d, ok := rt.depots.Load(id); ok {
		return d.(*depot)
	}
	d := &depot{}
	d.flood.notice = make(chan struct{}, 1)
	d.flood.low = lowMark(rt.Processors(), runtime.GOMAXPROCS(0))
	first, _ := rt.depots.LoadOrStore(id, d)
	return first.(*depot)
}

// put takes back a batch that was run. It is left to the collector if the depot is full, or if
// there are too many.
func (d *depot) put(batch *mailbox.Node) {
	if d.flood.sinks() {
		d.flood.add(-batchSize)
		d.flood.returned()
		return
	}
	d.keep(batch)
}

// keep keeps a batch, or leaves it to the collector if the depot is full.
func (d *depot) keep(batch *mailbox.Node) {
	defer d.flood.returned()
	for i := range d.slots {
		if d.slots[i].Load() == nil && d.slots[i].CompareAndSwap(nil, batch) {
			return
		}
	}
	d.flood.dropped()
}

// take returns a batch, nil if there is none.
func (d *depot) take() *mailbox.Node {
	for i := range d.slots {
		if d.slots[i].Load() != nil {
			if batch := d.slots[i].Swap(nil); batch != nil {
				return batch
			}
		}
	}
	return nil
}

// takeOne returns one letter of a batch, for a sender that has no place to keep the others, which
// are left to the collector; nil if there is no batch.
func (d *depot) takeOne() *message {
	batch := d.take()
	if batch == nil {
		return nil
	}
	d.flood.add(1 - batchSize)
	return messageOf(batch)
}

func (d *depot) empty() bool {
	for i := range d.slots {
		if d.slots[i].Load() != nil {
			return false
		}
	}
	return true
}
