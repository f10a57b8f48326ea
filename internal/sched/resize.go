package sched

import (
	"runtime"
	"slices"
)

// How the number of processors changes. The list of processors only grows, and none moves in it; those from the limit on go out of service:
// they leave the census, queue what they have for the others, and have no home, until a higher limit brings them back.
//
// Whoever sets the limit, one at a time:
//
//	L1  makes the processors that are missing, out of service            (each is marked as retired, then the list)
//	L2  sets the limit
//	L3  brings back those below the limit that are retired               (B1 to B3)
//	L4  takes those from the limit on out of service that sleep          (X1 to X4), and wakes their hosts to let go of them
//
// A processor that is awake looks at the limit each surplusTurn tasks, and when it has nothing to do. If it is beyond:
//
//	Y1  it queues what it has for the others, as from outside
//	Y2  it leaves the census: serving−1 and awake−1, and searching−1 if it searched, at one instant
//	Y3  if nobody searches now, it looks at all queues once more, as in P3
//	Y4  it has no home any more, and is marked as retired
//	Y5  if it is below the limit by now, it is brought back
//
// One that parks, whether it is wanted or not, does L4 after P2 and P3 if there are too many in service. To take out one that sleeps:
//
//	X1  if its flag is not up, it is awake, or somebody is about to wake it: it looks at the limit itself
//	X2  serving−1, unless all are awake
//	X3  takes the flag of that processor down: it is out, and is told so in its bed
//	X4  if it was not up any more: undoes X2, wakes a processor for what was queued meanwhile by those who saw that all are
//	    awake, and does L4 again
//
// To bring one back:
//
//	B1  takes its mark away: one does it
//	B2  counts it as serving and awake
//	B3  gives it to a host, where it looks for work, as all do at first
//
// L2 comes before L3 and L4; P2 and Y4 come before the processor looks at the limit: so either the processor sees the new limit, or whoever
// set it sees the processor parked, or retired. What a processor that goes had queued is visible since Y1, before Y2; who queues something
// between and counts on a searcher that goes is covered by Y3.
//
// Call those who are past W1 or X2, and have not taken their flag, claimants. Flags that are up, and were raised by processors past P2, are as many as
// serving−awake and the claimants together, less the flags that were taken from processors between P1 and P2. So each claimant finds a
// flag, as without X: those between P1 and P2 have one too. One that sleeps and is too many may fail in X2 because
// claimants have counted on its flag, and then take that of one between P1 and P2, or undo X2. The one does L4 after its P2, the
// other after X4: so nobody who is too many sleeps for ever.
//
// Checked by: TestResize…, TestExploreResize

// MostProcessors is as many as the census can count, with room for those who are about to be counted.
const MostProcessors = 1<<15 - 1

// all returns the processors that there ever were.
func (s *Scheduler) all() []*Processor { return *s.processors.Load() }

// grow makes processors up to a number (L1), and has each prepared before anybody else sees it. One goroutine at a time.
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

// Resize changes how many processors there are while the scheduler runs, between Start and Stop; afterwards it does nothing. It does not wait for those
// that are too many: each goes when its task has returned, and what it had queued is run by the others. A number that follows GOMAXPROCS is as said
// here until that changes. Any goroutine; it waits for
// others that call it at the same time. It panics before Start, and if n is less than 1 or above 32767.
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

// setExtra changes how many processors there are beyond what Resize has said. The watch only.
func (s *Scheduler) setExtra(extra int) {
	s.resizing.Lock()
	defer s.resizing.Unlock()
	s.extra = extra
	s.resize()
}

// resize makes as many processors as are wanted. With resizing held.
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
	s.monitor.armFast() // one alone does not wind it for its slot
}

// dismissSleepers takes all that are too many, and sleep, out of service.
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

// followGo makes as many processors as Go has, if the scheduler was made so. There is no notification when that number changes.
func (s *Scheduler) followGo() {
	if !s.follow {
		return
	}
	if n := min(runtime.GOMAXPROCS(0), MostProcessors); n != s.followed {
		s.followed = n
		s.Resize(n)
	}
}

// isSurplus reports whether the processor shall go out of service. Not while the scheduler ends: whoever ends last discards what is queued.
func (p *Processor) isSurplus() bool {
	return p.index >= int(p.scheduler.limit.Load()) && !p.scheduler.stopping.Load()
}

// giveAway queues all that the processor has for the others (Y1). Owner only.
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

// withdraw takes this processor, which is awake, out of the census (Y2, Y3).
func (p *Processor) withdraw(searching bool) {
	s := p.scheduler
	noneSearching, idle := s.census.withdraw(searching) // Y2
	if noneSearching && s.hasWork() {                   // Y3
		s.wakeOne()
	} else if idle {
		s.wentIdle()
	}
}

// takeOut takes p, if it sleeps and nobody is about to wake it, out of service. Its host must be told. If somebody woke it just now, that is
// undone, and dismissSleepers must be called.
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

// bringBack takes p into service if it is retired.
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

// retire lets go of a processor that ends because the scheduler quits, or that is out of service. When the last one ends, nobody comes any more
// for what is queued from then on: it is discarded.
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
