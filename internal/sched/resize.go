package sched

import (
	"runtime"
	"slices"
)

// How the number of processors changes. The list of processors only grows, and none moves in it.
// The limit says how many are in service. A processor at or above the limit goes out of service:
// it leaves the census, queues its tasks for the others, and has no home until a higher limit
// brings it back.
//
// To set the limit, one goroutine at a time:
//
//	L1  makes the missing processors, out of service        (marks each as retired, then the list)
//	L2  sets the limit
//	L3  brings back those below the limit that are retired  (B1 to B3)
//	L4  takes those above the limit that sleep out of service  (X1 to X4), and wakes their hosts
//
// A processor that is awake looks at the limit each surplusTurn tasks, and when it finds no task.
// If it is surplus, that is, above the limit:
//
//	Y1  it queues its tasks for the others, as from outside
//	Y2  it leaves the census: serving−1, awake−1, and searching−1 if it searched, at one instant
//	Y3  if none searches now, it looks at all queues once more, as in P3
//	Y4  it gives up its home, and is marked as retired
//	Y5  if it is below the limit by now, it is brought back
//
// A processor that parks, surplus or not, does L4 after P2 and P3 if too many are in service. To
// take out one that sleeps:
//
//	X1  if its flag is not up, leaves it alone: it is awake, or about to be woken, and looks at
//	    the limit itself
//	X2  serving−1, unless all are awake
//	X3  takes the flag of that processor down: it is out of service; its home is told through its
//	    parker
//	X4  if the flag was not up any more: undoes X2, wakes a processor for tasks queued meanwhile
//	    by goroutines that saw all processors awake, and does L4 again
//
// To bring one back:
//
//	B1  takes its mark away: one goroutine succeeds
//	B2  counts it as serving and awake
//	B3  gives it to a host, where it looks for work, as every processor does at first
//
// Why no processor misses the limit:
//
//	L2 comes before L3 and L4; P2 and Y4 come before the processor looks at the limit.
//	So either the processor sees the new limit, or the goroutine that set it sees the processor
//	parked or retired.
//
// Why no task is lost:
//
//	The tasks of a processor that goes are visible since Y1, before Y2.
//	A task that is queued between, by a goroutine that counts on the searcher that goes, is
//	covered by Y3.
//
// Why each waker and each X3 finds its flag, and no surplus processor sleeps for ever:
//
//	A claimant is a goroutine past W1 or X2 that has not taken a flag yet.
//	The flags of processors past P2 number serving−awake plus the claimants, minus the flags that
//	were taken from processors between P1 and P2.
//	So each claimant finds a flag, as without X: a processor between P1 and P2 has one, too.
//	X2 may fail for a surplus sleeper because a claimant counts on its flag. That claimant may
//	take the flag of a processor between P1 and P2 instead, or undo X2.
//	In the first case that processor does L4 after its P2, or looks at the limit itself if P3
//	wakes it. In the second the claimant does L4 after X4.
//
// Checked by: TestResize…, TestExploreResize

// MostProcessors is the greatest number of processors: the census can count twice as many, which
// leaves room for those that are about to be counted.
const MostProcessors = 1<<15 - 1

// grow makes processors up to number n (L1), and calls prepare with each before it is published.
// One goroutine at a time.
func (s *Scheduler) grow(n int, prepare func(p *Processor)) {
	all := slices.Clip(s.all())
	s.parked.grow(n)
	for i := len(all); i < n; i++ {
		p := newProcessor(s, i)
		prepare(p)
		all = append(all, p)
	}
	s.processors.Store(&all)
}

// Resize changes the number of processors while the scheduler runs, between Start and Stop; after
// Stop it does nothing. It does not wait for surplus processors: each goes out of service when its
// task has returned, and the others run its queued tasks. If the scheduler follows GOMAXPROCS, n
// holds until that changes. Any goroutine; it waits for other calls of Resize. It panics before
// Start, and if n is less than 1 or above 32767.
func (s *Scheduler) Resize(n int) {
	checkSize(n)
	if s.monitor == nil {
		panic("sched: Resize before Start")
	}
	s.resizing.Lock()
	defer s.resizing.Unlock()
	s.wanted = n
	s.resize()
}

// setExtra changes the number of processors beyond what Resize has set. The monitor only.
func (s *Scheduler) setExtra(extra int) {
	s.resizing.Lock()
	defer s.resizing.Unlock()
	s.extra = extra
	s.resize()
}

// resize makes as many processors as are wanted. The caller holds resizing.
func (s *Scheduler) resize() {
	if s.stopping.Load() {
		return
	}
	n := min(s.wanted+s.extra, MostProcessors)
	s.grow(n, func(p *Processor) { // L1
		p.retired.Store(true)
		if s.config.Added != nil {
			s.config.Added(p)
		}
	})
	s.limit.Store(int32(n)) // L2
	for _, p := range s.all()[:n] {
		s.bringBack(p) // L3
	}
	s.dismissSleepers() // L4
	s.monitor.armFast() // a single processor does not arm the monitor for its slot
}

// dismissSleepers takes all surplus processors that sleep out of service (L4).
func (s *Scheduler) dismissSleepers() {
	for again := true; again; {
		again = false
		for _, p := range s.all() {
			if !p.isSurplus() {
				continue
			}
			taken, undone := s.takeOut(p)
			if taken {
				p.dismiss.Set(true)
				p.parker.unpark()
			}
			again = again || undone
		}
	}
}

func checkSize(n int) {
	if n < 1 || n > MostProcessors {
		panic("sched: the number of processors must be between 1 and 32767")
	}
}

// followGo sets the number of processors to GOMAXPROCS if the scheduler follows it. Go sends no
// notification when that changes.
func (s *Scheduler) followGo() {
	if !s.follow {
		return
	}
	if n := min(runtime.GOMAXPROCS(0), MostProcessors); n != s.followed {
		s.followed = n
		s.Resize(n)
	}
}

// isSurplus reports whether the processor must go out of service. It must not while the scheduler
// ends: the last processor to end discards what is queued.
func (p *Processor) isSurplus() bool {
	return p.index >= int(p.scheduler.limit.Load()) && !p.scheduler.stopping.Load()
}

// giveAway queues all tasks of the processor for the others (Y1). Owner only.
func (p *Processor) giveAway() {
	s := p.scheduler
	if t := p.takeCarried(); t != nil {
		s.Inject(t)
	}
	if t := p.handed; t != nil {
		p.handed = nil
		s.Inject(t)
	}
	if t := p.slot.take(); t != nil {
		s.Inject(t)
	}
	for _, pr := range byRank {
		l := p.levelOf(pr)
		if l == nil {
			continue
		}
		for t := l.pop(); t != nil; t = l.pop() {
			s.InjectAt(pr, t)
		}
		for list := l.share.Swap(nil); list != nil; {
			var t *Task
			t, list = cut(list)
			s.InjectAt(pr, t)
		}
	}
	p.held = 0
}

// withdraw takes this processor, which is awake, out of the census (Y2, Y3). Owner only.
func (p *Processor) withdraw(searching bool) {
	s := p.scheduler
	noneSearching, idle := s.census.withdraw(searching) // Y2
	if noneSearching && s.hasWork() {                   // Y3
		s.wakeOne()
	} else if idle {
		s.wentIdle()
	}
}

// takeOut takes p out of service if it sleeps and no waker is about to wake it. If taken, the
// caller must tell p's home. If a waker took the flag first, the change is undone, and the caller
// must do L4 again.
func (s *Scheduler) takeOut(p *Processor) (taken, undone bool) {
	if !s.parked.isUp(p.index) || !s.census.shrink() { // X1, X2
		return false, false
	}
	if s.parked.lower(p.index) { // X3
		return true, false
	}
	s.census.unshrink() // X4
	if s.hasWork() {
		s.wakeOne()
	}
	return false, true
}

// bringBack takes p into service if it is retired (B1 to B3).
func (s *Scheduler) bringBack(p *Processor) {
	if !p.retired.CompareAndSwap(true, false) { // B1
		return
	}
	p.dismiss.Set(false)
	s.serving.Add(1)
	s.census.enlist() // B2
	s.armMonitor()
	s.handOff(p) // B3
}

// retire releases a processor that ends because the scheduler quits, or, with out, that goes out
// of service. After the last one has ended, no processor comes for the queued tasks, and they are
// discarded.
func (h *Host) retire(p *Processor, out bool) {
	s := h.scheduler
	p.endCoroutines()
	h.release(p)
	if s.serving.Add(-1) == 0 {
		s.stopped.Store(true)
		s.sweepInbox()
	}
	if !out {
		return
	}
	p.retired.Store(true) // Y4
	if p.index < int(s.limit.Load()) {
		s.bringBack(p) // Y5
	}
}
