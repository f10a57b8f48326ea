package freerun

import (
	"unsafe"
)

// Until it is ready, a message to several units lives as a sent or told message to one unit does.
// Then it is placed in all mailboxes and gets another vtable. With that it holds its units when
// it is run or fails, and lets go of them afterwards.

// multiSend is a sent message to several units. If those are few, the parts lie behind it, in the
// struct that contains it.
type multiSend[A, R any] struct {
	sendMessage[A, R]
	multi
}

// multiTell is a told message to several units. It is used again later than other told messages:
// multi_reuse.go.
type multiTell[A any] struct {
	tellMessage[A]
	multi
}

// multiOperation is an operation on several units.
type multiOperation[A, R any] struct {
	operation[A, R]
	placed     *vtable // of sent messages that are placed
	placedTold *vtable // of told messages that are placed
}

// complete makes what the operation needs only once.
func (o *multiOperation[A, R]) complete(name string, code func(*message) uintptr) {
	o.operation.complete(name, code)
	o.several = true
	o.makeMultiVtables(o.sent.identity)
}

// send sends m, whose parts have their units. It does not wait.
func (o *multiOperation[A, R]) send(c *Context, m *multiSend[A, R], arg A) Future[R] {
	w := c.here()
	m.offset = uint32(unsafe.Offsetof(m.multi))
	m.arg = arg
	m.become(o.sent)
	m.unit = &w.rt.free
	f := Future[R]{cell: &m.result}
	err := m.arrange(w)
	if err == nil {
		err = w.admits(c, m.unit, &m.message)
	}
	if err != nil {
		o.refuseSend(c, w, &m.sendMessage, err)
		return f
	}
	o.launch(w, &m.sendMessage, anySender)
	return f
}

// tell is send for a message without a future.
func (o *multiOperation[A, R]) tell(c *Context, w *worker, m *multiTell[A], arg A) error {
	m.offset = uint32(unsafe.Offsetof(m.multi))
	m.arg = arg
	m.become(o.told)
	m.unit = &w.rt.free
	if err := m.arrange(w); err != nil {
		return err
	}
	if err := w.admits(c, m.unit, &m.message); err != nil {
		return err
	}
	if o.args == nil {
		o.told.place(w, &m.message)
		return nil
	}
	if w.observed.Load() != 0 {
		w.traceNeeds(&m.message, o.args, unsafe.Pointer(&m.arg))
	}
	return o.collectTell(w, &m.tellMessage, anySender)
}
