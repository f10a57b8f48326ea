package sched

import (
	"context"
	"iter"
	"runtime"
	"slices"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Goroutines outside a deterministic scheduler, where their time is simulated ([Config.Outside]).
// The driver chooses among them and the processors:
//
//	the goroutine that drives  is an [Outsider] from the beginning. Where it pauses or waits, it
//	                           is the driver until it is its turn again
//	others ([Scheduler.Go])    are coroutines of the driver, as hosts are
//
// An Outsider returns to the driver in Pause and Await alone. Drive, which ends the scheduler, runs
// none of them.

// Outsider is an ordinary goroutine that [Config.Choose] chooses, beside processors. Only the
// goroutine itself may call the methods.
type Outsider struct {
	drivenHost // of a coroutine; zero for the goroutine that drives
	driver     *driver
	index      int
	goroutine  uintptr     // 0 before it begins
	over       func() bool // what it waits for; nil while it waits for nothing
	ended      bool        // its function has returned
	lost       bool        // it waits for what never comes
	abandoned  bool        // it is to end where it waits
}

// outsiders are the outsiders of a driver.
type outsiders struct {
	all     []*Outsider // those that have not ended, oldest first; the first one drives
	made    int
	current *Outsider // it runs now; nil: a host runs, or no time of outsiders is simulated
	away    bool      // none of them is to go on, as Drive was called
}

func (x *outsiders) add(o *Outsider) {
	x.all = append(x.all, o)
	if x.made++; x.current == nil {
		x.current = o
	}
}

// appendReady appends the numbers of the outsiders that can go on.
func (x *outsiders) appendReady(ready []int) []int {
	for _, o := range x.all {
		if !x.away && (o.over == nil || o.lost || o.over()) {
			ready = append(ready, o.index)
		}
	}
	return ready
}

// numbered returns the outsider with a number, nil if a processor has it.
func (x *outsiders) numbered(index int) *Outsider {
	for _, o := range x.all {
		if o.index == index {
			return o
		}
	}
	return nil
}

// loseOne gives up the wait of the oldest coroutine that waits, and reports whether there was one.
func (x *outsiders) loseOne() bool {
	for _, o := range x.all[1:] {
		if o.over != nil && !o.lost {
			o.lost = true
			return true
		}
	}
	return false
}

// Outsider returns the outsider that runs now, nil if a task runs or if the scheduler does not
// simulate the time of goroutines outside.
func (s *Scheduler) Outsider() *Outsider {
	if s.driver == nil {
		return nil
	}
	return s.driver.outside.current
}

// Go has the driver choose one more goroutine outside, which calls f. It may end by
// [runtime.Goexit]; a panic of f goes on in the goroutine that drives. By an outsider.
func (s *Scheduler) Go(f func()) *Outsider {
	d := s.driver
	o := &Outsider{driver: d, index: len(s.all()) + d.outside.made}
	body := func(yield func(struct{}) bool) {
		o.yield, o.goroutine = yield, goid.ID()
		d.outside.current = o
		returned := false
		defer func() {
			d.outside.current, o.ended, d.tries.ran = nil, true, true
			d.outside.all = slices.DeleteFunc(d.outside.all, func(other *Outsider) bool { return other == o })
			if returned {
				return
			}
			if value := recover(); value != nil {
				panic(value) // on the goroutine that drives
			}
			if !o.abandoned {
				o.exiting = true // by runtime.Goexit, as a host: spawn
				o.passToDriver()
			}
		}()
		f()
		returned = true
	}
	onFreeThread(func() { o.resume, o.stop = iter.Pull(body) })
	d.outside.add(o)
	return o
}

// AbandonOutsiders ends the goroutines of [Scheduler.Go] that have not ended, where they wait.
// Their deferred functions run; a panic of one of those is the caller's. By the goroutine that
// drives, when the scheduler has been stopped.
func (s *Scheduler) AbandonOutsiders() {
	x := &s.driver.outside
	for _, o := range slices.Clone(x.all) {
		if o.resume == nil {
			continue
		}
		o.abandoned = true
		gone := make(chan any)
		go func() { // which ends as the coroutine does
			defer func() { gone <- recover() }()
			o.stop()
		}()
		value := <-gone
		x.all = slices.DeleteFunc(x.all, func(other *Outsider) bool { return other == o })
		if value != nil {
			panic(value)
		}
	}
}

// IsCoroutine reports whether the outsider is a coroutine of the driver, made by [Scheduler.Go].
// Any goroutine.
func (o *Outsider) IsCoroutine() bool { return o.resume != nil }

// RunsHere reports whether the calling goroutine is the outsider. Any goroutine.
func (o *Outsider) RunsHere() bool { return o.goroutine == goid.ID() }

// Index returns the outsider's number: those of outsiders follow those of processors. Any
// goroutine.
func (o *Outsider) Index() int { return o.index }

// Ended reports whether the function of the outsider has returned. Any goroutine, one at a time.
func (o *Outsider) Ended() bool { return o.ended }

// Pause lets the driver choose who goes on.
func (o *Outsider) Pause(s *Scheduler) { o.Await(s, nil, func() bool { return false }) }

// Await lets others go on until a condition holds, and reports whether it does: if not, nothing is
// left to run that could change that. goOn is called when nothing is left to run, and reports
// whether it has changed that. A nil condition holds.
func (o *Outsider) Await(s *Scheduler, over func() bool, goOn func() bool) bool {
	d := o.driver
	d.outside.current, o.over, d.tries.ran = nil, over, true
	defer func() { d.outside.current, o.over, o.lost = o, nil, false }() // at a panic, too
	switch {
	case o.resume == nil:
		onFreeThread(func() { o.lost = !d.driveFor(s, o, goOn) })
	default:
		if !d.tries.areDue() {
			d.chosen = d.next(s)
		}
		if d.chosen == &o.drivenHost && !d.isDue() {
			d.chosen = nil
		} else {
			o.passToDriver()
			if o.abandoned {
				runtime.Goexit()
			}
		}
	}
	return !o.lost
}

// driveFor drives until it is o's turn, and returns true, or nothing is left to run. Then the waits
// of all other outsiders were in vain, too, and have ended.
func (d *driver) driveFor(s *Scheduler, o *Outsider, goOn func() bool) bool {
	if !d.driving.CompareAndSwap(false, true) {
		panic("sched: several goroutines drive at a time, or a task does")
	}
	defer d.driving.Store(false)
	for !d.goOn(s, &o.drivenHost) {
		if !goOn() && !d.outside.loseOne() {
			return false
		}
	}
	return true
}

// AwaitIdle is [Scheduler.AwaitIdle] for an outsider. Others may go on to queue tasks. goOn is as
// for Await.
func (o *Outsider) AwaitIdle(ctx context.Context, s *Scheduler, settled, goOn func() bool) error {
	idle := func() bool { return s.isIdle() && settled() }
	reached := o.Await(s, func() bool { return idle() || s.stopping.Load() || ctx.Err() != nil }, goOn)
	switch {
	case !reached:
		return ErrStalled
	case idle():
		return nil
	case s.stopping.Load():
		return ErrStopped
	}
	return ctx.Err()
}
