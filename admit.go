package freerun

// admits counts a message to u that is about to be sent through c from here, and gives it its origin; or returns why it is refused. For an activity, which is counted
// like one, l is nil.
func (s *worker) admits(c *Context, u *unit, l *message) error {
	if !s.accepts(u) {
		if err := s.refuses(u); err != nil {
			return u.refusing(err, l)
		}
	}
	var o *lineage
	if c.key != nil {
		var err error
		if o, err = c.enter(s); err != nil {
			return err
		}
	}
	if s.processor != nil {
		s.counters.sent.Add(1)
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

// refusing is naming for l, the message that was refused with err; nil stands for an activity.
func (u *unit) refusing(err error, l *message) error {
	return u.naming(err, func() string {
		if l == nil {
			return ""
		}
		return l.vtable().describe(l)
	})
}

// enter counts a message that is about to be sent through c, which has a realm, in its scope, and returns its origin; or the error if the
// scope was canceled: then it would not be started.
func (c *Context) enter(s *worker) (*lineage, error) {
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

// leave ends the part of a message in its scope, after its outcome is known. Its holder only.
func (l *message) leave(s *worker) {
	if o := l.lineage.Load(); o != nil {
		l.lineage.Store(nil) // a future must not keep the scope
		o.withdraw(s)
	}
}

// withdraw takes back what enter counted.
func (o *lineage) withdraw(s *worker) {
	if a := o.keyOf().account(); a != nil {
		s.credit.Put(a)
	}
}

// ended takes a message that was started out of its scope's account of those that run. It comes after withdraw.
func (o *lineage) ended(s *worker) {
	if a := o.keyOf().account(); a != nil {
		s.credit.End(a)
	}
}

// canceled returns the error of a letter whose scope was canceled, otherwise nil.
func (l *message) canceled() error {
	if x := l.lineage.Load().keyOf().scopeOf(); x != nil {
		return x.refusal()
	}
	return nil
}

// refusal returns why a letter must not be started, after begin has found that it must not.
func (l *message) refusal() error {
	if l.unit.rt.phase.Load() < aborting {
		if err := l.canceled(); err != nil {
			return err
		}
	}
	return ErrClosed
}

// countCycle counts a message of kind k that the caller has sealed as waiting for itself. Whoever wakes it may be looking at it, too.
func (s *worker) countCycle(m *promise, k *vtable) {
	s.countFailed(m.unit.rt, ErrCycle, 1)
	m.closedAsCycle(s, k)
}

func (m *promise) closedAsCycle(s *worker, k *vtable) {
	if m.lineage.Load() == nil {
		return
	}
	if x := m.blamed(); x != nil {
		name := k.name
		if name == "" {
			name = "a closure" // which one is in the argument, which may be gone
		}
		x.fail(name, m.lineage.Load(), ErrCycle)
	}
	m.lineage.Load().withdraw(s)
}

// blame tells c's scope of a message that was refused.
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
