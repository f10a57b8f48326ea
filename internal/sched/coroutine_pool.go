package sched

// maxFreeCoroutines is how many coroutines without a task a processor keeps, until it goes out of
// service or the scheduler ends. No timer frees them: it would wake idle processors.
const maxFreeCoroutines = 256

// TakeCoroutine returns a coroutine that KeepCoroutine has kept, nil if there is none. By the
// running task only.
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

// HasCoroutine reports whether TakeCoroutine would return one. By the running task only.
func (p *Processor) HasCoroutine() bool { return len(p.freeCoroutines) > 0 }

// KeepCoroutine keeps a suspended coroutine that has no task, for TakeCoroutine. If the processor
// has enough of them, it ends the coroutine: Suspend returns in it, and the body must return. By
// the running task only.
func (p *Processor) KeepCoroutine(co *Coroutine) {
	if len(p.freeCoroutines) >= maxFreeCoroutines {
		co.End()
		return
	}
	p.freeCoroutines = append(p.freeCoroutines, co)
}

// endCoroutines ends the coroutines that are kept. By the home of a processor that goes out of
// service.
func (p *Processor) endCoroutines() {
	for co := p.TakeCoroutine(); co != nil; co = p.TakeCoroutine() {
		co.End()
	}
}

// End continues a suspended coroutine for the last time: its body must return. Any goroutine.
func (co *Coroutine) End() { co.Enter(nil) }
