package sched

// mostIdle is how many coroutines without a task a processor keeps, until it goes out of service or
// the scheduler ends. Nothing frees them by time: that would wake processors that are idle.
const maxFreeCoroutines = 256

// TakeCoroutine returns a coroutine that was kept, nil if there is none. By the running task only.
func (p *Processor) TakeCoroutine() *Coroutine {
	last := len(p.freeCoroutines) - 1
	if last < 0 {
		return nil
	}
	co := p.freeCoroutines[last]
	p.freeCoroutines[last] = nil
	p.freeCoroutines = p.freeCoroutines[:last]
	return co
}

// KeepCoroutine keeps a suspended coroutine that has nothing to do, for TakeCoroutine; if there are enough of them it is ended instead, which means
// that Suspend returns, and the body must return then. By the running task only.
func (p *Processor) KeepCoroutine(co *Coroutine) {
	if len(p.freeCoroutines) >= maxFreeCoroutines {
		co.End()
		return
	}
	p.freeCoroutines = append(p.freeCoroutines, co)
}

// endCoroutines ends those that are kept. By the home of a processor that goes out of service.
func (p *Processor) endCoroutines() {
	for co := p.TakeCoroutine(); co != nil; co = p.TakeCoroutine() {
		co.End()
	}
}

// End goes on with a suspended coroutine for the last time: its body must return. Any goroutine.
func (co *Coroutine) End() { co.Enter(nil) }
