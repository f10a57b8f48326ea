package freerun

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/magazine"
	"github.com/freerun-go/freerun/internal/sys/pin"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// Messages without a future are used again, so that Tell allocates nothing in steady state: see
// internal/magazine. Each worker and each stripe has a magazine for each operation. Magazines and
// depots belong to one runtime.

// magazine returns the processor's magazine of operation id.
func (w *worker) magazine(id int) *magazine.Magazine {
	if m := w.messages.Of(id); m != nil {
		return m
	}
	return w.messages.Open(id, w.rt.depot(id), make([]magazine.Magazine, id+1))
}

// messageFromOutside counts a message to u that is about to be sent with operation id, without a
// processor. It returns the operation's depot and a message to use again, nil if the sender has to
// allocate one; or false if the runtime takes no more messages of the sender. It makes an ordinary
// goroutine wait while the receiver is far behind (hold), unless
// noWait.
func (rt *Runtime) messageFromOutside(u *unit, id int, noWait bool) (m *message, d *magazine.Depot, admitted bool) {
	m, d, found := rt.messageFromStripe(id, running)
	if found == refused && rt.standing() == insider {
		m, d, found = rt.messageFromStripe(id, drains)
	}
	if found == refused {
		return nil, nil, false
	}
	if m != nil || !d.High() || noWait || rt.standing() != outsider {
		return m, d, true
	}
	for m == nil && rt.env.hold(d, u) {
		if m, d, found = rt.messageFromStripe(id, counted); found == noStripe {
			m = messageOf(d.TakeOne())
		}
	}
	if !d.Empty() {
		d.Returned() // one notice may stand for several batches: wake the next sender
	}
	return m, d, true
}

// messageAtHand is the fast path of messageFromStripe, in one piece: the batch in use has a
// message. If it has none, or the runtime does not run, messageAtHand does nothing and returns nil.
// It is used only with pinning.
func (rt *Runtime) messageAtHand(id int) (*message, *magazine.Depot) {
	i := pin.Pin()
	if s := rt.ingress.stripes.At(i); s != nil {
		if m := s.Kept.Of(id); m != nil && m.Loaded() != nil && s.Admit(&rt.phase, running) {
			msg, d := messageOf(m.Next()), m.Depot()
			prefetch.ForWrite(unsafe.Pointer(m.Loaded()))
			pin.Unpin()
			return msg, d
		}
	}
	pin.Unpin()
	return nil, nil
}

// found is the result of messageFromStripe.
type found uint8

const (
	served   found = iota // the stripe was searched, and then the depot if the stripe had none
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
func (rt *Runtime) messageFromStripe(id int, latest uint32) (*message, *magazine.Depot, found) {
	s := rt.ingress.stripes.Enter()
	if s == nil {
		if latest != counted && !rt.ingress.stripes.AdmitWithout(&rt.phase, latest) {
			return nil, nil, refused
		}
		return nil, rt.depot(id), noStripe
	}
	if latest != counted && !s.Admit(&rt.phase, latest) {
		s.Leave()
		return nil, nil, refused
	}
	m := s.Kept.Of(id)
	if m == nil {
		s.Leave()
		// Allocated here, because the owner of a stripe must not allocate much.
		d, room := rt.depot(id), make([]magazine.Magazine, id+1)
		if s = rt.ingress.stripes.Enter(); s == nil {
			return nil, d, noStripe
		}
		m = s.Kept.Open(id, d, room)
	}
	msg, d := messageOf(m.Take()), m.Depot()
	s.Leave()
	return msg, d, served
}

// depot returns the depot of operation id, and makes it if there is none.
func (rt *Runtime) depot(id int) *magazine.Depot {
	if d, ok := rt.depots.Load(id); ok {
		return d.(*magazine.Depot)
	}
	d := magazine.NewDepot(magazine.LowMark(rt.Processors(), runtime.GOMAXPROCS(0)))
	first, _ := rt.depots.LoadOrStore(id, d)
	return first.(*magazine.Depot)
}

// hold makes the sender of a message to u wait. It returns true when a batch comes back to the
// depot, and false when the sender must go on without one.
//
// Checked by: TestExploreMark… (internal/magazine), TestFlood…
func (rt *Runtime) hold(d *magazine.Depot, u *unit) bool {
	defer d.EndWait()
	if !d.BeginWait() {
		return true
	}
	t, ok := rt.ingress.timers.Get().(*time.Timer)
	if ok {
		t.Reset(magazine.Patience)
	} else {
		t = time.NewTimer(magazine.Patience)
	}
	defer rt.ingress.timers.Put(t)
	w := d.Watch(uintptr(unsafe.Pointer(u)), rt.ranOf(u))
	for {
		select {
		case <-d.Notice():
			t.Stop()
			d.Flowed(&w, rt.ranOf(u))
			return true
		case <-t.C:
		}
		switch {
		case !d.Empty():
			return true
		case !d.High() || rt.phase.Load() >= aborting: // messages have failed; or none will run
			return false
		case d.Dry(&w, rt.ranOf(u)):
			return false
		}
		t.Reset(magazine.Patience)
	}
}

// ranOf returns a number that grows with each operation on u. For the free unit, it grows with each
// message of the runtime that is done.
func (rt *Runtime) ranOf(u *unit) uint64 {
	if u == &rt.free {
		return rt.done()
	}
	return u.operations.Load()
}
