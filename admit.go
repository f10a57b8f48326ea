package freerun

// admits counts a message to u that is about to be sent through c from worker s, and gives it its
// lineage; or it returns why the message is refused. l is nil for an activity, which is counted
// like a message.
func (s *worker) admits(c *Context, u *unit, l *message) error {
	if !s.accepts(u) {
		if err := s.refuses(u); err != nil {
			return u.refusing(err, l)
		}
	}
	var o *lineage
	if c.key != nil {
		var err error
		if o, err = c.admit(s); err != nil {
			return err
		}
	}
	if s.processor != nil {
		s.counters.sent.Add(1) // without a processor in a stripe: ingress.go
	} else if !s.rt.countSent(running) && (s.standing() != insider || !s.rt.countSent(drains)) {
		o.withdraw(s)
		return ErrClosed
	}
	if l == nil {
		return nil
	}
	if o != nil {
		l.lineage.Store(o)
	}
	if s.observed.Load() != 0 {
		s.sending(u, l)
	}
	return nil
}

// refusing adds to err what was refused, as naming does: the operation of message l. l is nil for
// an activity.
func (u *unit) refusing(err error, l *message) error {
	return u.naming(err, func() string {
		if l == nil {
			return ""
		}
		return l.vtable().describe(l)
	})
}

// admit counts a message that is about to be sent through c in the scope of c, and returns its
// lineage. If the scope was canceled it returns the error instead: the message would not start. c
// must have a key. [lineage.withdraw] takes the count back.
func (c *Context) admit(s *worker) (*lineage, error) {
	r := c.key
	if r.scope != nil {
		if err := r.scope.refusal(); err != nil {
			return nil, err
		}
		s.credit.Take(&r.scope.account)
	}
	if s.processor == nil {
		return &r.root, nil
	}
	return s.sends(c), nil
}

// leave takes the message out of its scope, after its outcome is known. Only its holder may call
// it.
func (l *message) leave(s *worker) {
	if o := l.lineage.Load(); o != nil {
		l.lineage.Store(nil) // a future must not keep the scope from being collected
		o.withdraw(s)
	}
}

// withdraw takes back what admit counted. A nil lineage has nothing to take back.
func (o *lineage) withdraw(s *worker) {
	if a := o.keyOf().account(); a != nil {
		s.credit.Put(a)
	}
}

// ended takes a message that was started out of its scope's account of running messages. It comes
// after withdraw: once nothing runs, what is open was not started.
func (o *lineage) ended(s *worker) {
	if a := o.keyOf().account(); a != nil {
		s.credit.End(a)
	}
}

// canceled returns the error of a message whose scope was canceled, otherwise nil.
func (l *message) canceled() error {
	if x := l.lineage.Load().keyOf().scopeOf(); x != nil {
		return x.refusal()
	}
	return nil
}

// refusal returns why a message must not start, after begin has found that it must not.
func (l *message) refusal() error {
	if l.unit.rt.phase.Load() < aborting {
		if err := l.canceled(); err != nil {
			return err
		}
	}
	return ErrClosed
}

// countCycle counts a message with vtable k that the caller has sealed as cycled. The goroutine
// that wakes the message may look at it at the same time, so nothing else in it is changed.
func (s *worker) countCycle(m *promised, k *vtable) {
	s.countFailed(m.unit.rt, ErrCycle, 1)
	m.closedAsCycle(s, k)
}

func (m *promised) closedAsCycle(s *worker, k *vtable) {
	if m.lineage.Load() == nil {
		return
	}
	if x := m.blamed(); x != nil {
		name := k.name
		if name == "" {
			name = "a closure" // its argument tells which, and may be gone
		}
		x.fail(name, m.lineage.Load(), ErrCycle)
	}
	m.lineage.Load().withdraw(s)
}

// blame reports a refused message to c's scope, unless that has failed already.
func (c *Context) blame(k *vtable, l *message, err error) {
	x := c.Scope()
	if x == nil || x.failure.Load() != nil {
		return
	}
	o := &c.key.root
	if s := c.here(); s.processor != nil {
		o = s.sends(c)
	}
	x.fail(k.describe(l), o, err)
}
