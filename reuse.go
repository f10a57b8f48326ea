package freerun

import (
	"runtime"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pin"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// Messages without a future are used again, so that Tell allocates nothing in steady state. They
// travel in a circle, between magazine and depot in batches:
//
//	run ─→ magazine of the processor that ran it ─→ depot of the operation
//	    ─→ magazine of the sender's processor or stripe ─→ next Tell
//
// A magazine belongs to one owner, and needs no atomics. It has a batch in use and a full one in
// reserve, so that a sender and a receiver on one processor exchange at least a batch before they
// need the depot (J. Bonwick and J. Adams, Magazines and Vmem, USENIX 2001).
//
// A depot has a fixed number of slots. A compare-and-swap puts a batch into a slot, a swap takes it
// out. No link leads from batch to batch, so there is no ABA. The slots bound the memory that is
// retained: batches that do not fit are left to Go's collector.
//
// Magazines and depots belong to one runtime.

const (
	batchSize  = 64 // messages
	depotSlots = 64 // batches
)

// magazine holds messages of one operation for one owner, a processor or the holder of a stripe.
type magazine struct {
	loaded, spare *mailbox.Node // the batch in use; nil or a full batch
	count         int           // messages in loaded
	depot         *depot        // nil: the magazine was not opened yet
}

// take returns a message, and takes a batch from the depot if the magazine is empty. It returns nil
// if there is none.
func (m *magazine) take() *message {
	if m.loaded == nil && !m.reload() {
		return nil
	}
	return m.next()
}

// next returns a message of the batch in use, which must not be empty.
func (m *magazine) next() *message {
	n := m.loaded
	m.loaded = n.Next()
	m.count--
	return messageOf(n)
}

// reload puts a full batch, the spare one or one of the depot, in use. It returns false if there is
// none.
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

// put adds a message that was run. If both batches are full, it gives one to the depot.
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

// messageCache has a magazine for each operation, by the operation's number.
type messageCache struct{ magazines []magazine }

// of returns the magazine of operation id, nil if there is none yet.
func (k *messageCache) of(id int) *magazine {
	if id < len(k.magazines) && k.magazines[id].depot != nil {
		return &k.magazines[id]
	}
	return nil
}

// open returns the magazine of operation id, and makes it if there is none. room has id+1
// magazines: they replace the present ones if those are fewer.
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

// messageFromOutside counts a message to u that is about to be sent with operation id, without a
// processor. It returns the operation's depot and a message to use again, nil if the sender has to
// allocate one; or false if the runtime takes no more messages of the sender. It makes an ordinary
// goroutine wait while the receiver is far behind (tell_backpressure.go).
func (rt *Runtime) messageFromOutside(u *unit, id int) (l *message, d *depot, admitted bool) {
	l, d, found := rt.messageFromStripe(id, running)
	if found == refused && rt.standing() == insider {
		l, d, found = rt.messageFromStripe(id, drains)
	}
	if found == refused {
		return nil, nil, false
	}
	if l != nil || !d.flood.high() || rt.standing() != outsider {
		return l, d, true
	}
	for l == nil && rt.env.hold(d, u) {
		if l, d, found = rt.messageFromStripe(id, counted); found == noStripe {
			l = d.takeOne()
		}
	}
	if !d.empty() {
		d.flood.returned() // one notice may stand for several batches: wake the next sender
	}
	return l, d, true
}

// messageAtHand is the fast path of messageFromStripe, in one piece: the batch in use has a
// message. If it has none, or the runtime does not run, messageAtHand does nothing and returns nil.
// It is used only with pinning.
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

// found is the result of messageFromStripe.
type found uint8

const (
	served   found = iota // the stripe, and the depot if need be, was searched
	noStripe              // there was no stripe, or none the second time
	refused               // the phase is beyond latest; nothing was counted
)

// counted is given in the place of a phase for a message that was counted before.
const counted = ^uint32(0)

// messageFromStripe takes a message from the stripe of this thread. Before, it counts the message
// as countSent does, unless latest is counted.
//
// If the stripe has no magazine for operation id, messageFromStripe leaves the stripe, allocates,
// enters a stripe again and opens the magazine there. Without pinning, the depth of the stack
// chooses the stripe: so the second enter must be here, or each call would open a magazine in
// another stripe. The message is taken from the stripe that was entered last, whichever it is: so
// each call has looked into the depot, or found no stripe.
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
		// Allocated here, because the owner of a stripe must not allocate much.
		d, room := rt.depot(id), make([]magazine, id+1)
		if s = rt.ingress.enter(); s == nil {
			return nil, d, noStripe
		}
		m = s.messages.open(id, d, room)
	}
	l, d := m.take(), m.depot
	rt.ingress.leave(s)
	return l, d, served
}

// depot holds full batches of messages of one operation. Any goroutine may use it.
type depot struct {
	slots [depotSlots]atomics.Pointer[mailbox.Node]
	flood flood
}

// depot returns the depot of operation id, and makes it if there is none.
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

// put takes back a batch of messages that were run. The batch is left to the collector if the depot
// is full, or if a flood has left too many messages (tell_backpressure.go).
func (d *depot) put(batch *mailbox.Node) {
	if d.flood.sinks() {
		d.flood.add(-batchSize)
		d.flood.returned()
		return
	}
	d.keep(batch)
}

// keep puts a batch into a slot, or leaves it to the collector if the depot is full.
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

// takeOne returns one message of a batch, for a sender that has no magazine to keep the others.
// Those are left to the collector. It returns nil if there is no batch.
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
