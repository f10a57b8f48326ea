package sched

import "iter"

// drivenHost is a host of a deterministic scheduler, as a coroutine of the driver. One goroutine
// runs at a time, so its fields are all of one instant.
type drivenHost struct {
	resume  func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	parker  *parker      // where it sleeps, nil if it does not
	quit    *closeSignal // also ends its sleep; nil if none does
	exiting bool         // a task has ended it with runtime.Goexit
}

// spawn makes the coroutine of a new host. It begins when it is first resumed.
func (d *driver) spawn(h *Host, live func()) {
	t := new(drivenHost)
	body := func(yield func(struct{}) bool) {
		t.yield = yield
		returned := false
		defer func() {
			if returned {
				return
			}
			if value := recover(); value != nil {
				panic(value) // the scheduler does not recover panics: this one is the driver's
			}
			t.exiting = true
			t.passToDriver() // a coroutine that ended now would end the driver's goroutine, too
		}()
		live()
		returned = true
	}
	onFreeThread(func() { t.resume, t.stop = iter.Pull(body) })
	h.driven = t
	d.hosts = append(d.hosts, h)
}

// passToDriver returns to the driver. On the coroutine only.
func (t *drivenHost) passToDriver() { t.yield(struct{}{}) }

// passToDriver lets the driver choose which host goes on, from the host's own stack or that of a
// coroutine in its place. A host that is locked to its thread goes on itself.
func (h *Host) passToDriver() {
	if co := h.base.running.Load(); co == nil {
		if !h.lock.Held() {
			h.driven.passToDriver()
		}
	} else if !co.lock.Held() {
		co.passToDriver()
	}
}

// sleep is [parker.park] of a driven host.
func (t *drivenHost) sleep(h *Host, p *parker, quit *closeSignal) bool {
	t.parker, t.quit = p, quit
	for !t.isReady() {
		h.passToDriver()
	}
	t.parker, t.quit = nil, nil
	if task := h.Task(); task != nil { // it waited in its middle
		h.scheduler.driver.tries.resumed(task)
	}
	return p.tryConsume()
}

// isReady reports whether the host can go on.
func (t *drivenHost) isReady() bool {
	return t.parker == nil || t.parker.hasToken() || t.quit != nil && t.quit.closed()
}
