package freerun

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Sketch:     a reporter appends its report to the line of the function, and waits for it for a
//             moment. A line has a goroutine, the teller, while it has reports
// Invariants: R1 A line has one teller or none, which tells one report after another, in the order
//             in which they came; one if there are any.
//             R2 Nobody begins to wait for a line while the report under way is late: somebody has
//             waited for it, or behind it, in vain. So a function that is stuck costs one wait.
//             R3 Of reports that nobody waits for, a line keeps mostLeft. What comes then is
//             dropped and counted, and the log says so in its place in the order.
//             R4 A teller waits for no report: not for its own, and not for one of the other line,
//             whose teller may wait for its.
//             NOT invariant: that a report is told before the reporter goes on.
// Checked by: TestReports…, TestEndWaitsForReports, TestEndWithoutReports

// reports are what a runtime has to tell the user's functions: its logger, and the hook of
// [OnLost]. Such a function may take long, or for ever: it may wait for a lock of an activity that
// was preempted, or has yielded, on the processor that reports, and for a pipe that nobody reads.
// All fields are guarded by mu, which is never held while a function of the user's runs.
type reports struct {
	mu           sync.Mutex
	logs, losses reportLine
	idle         chan struct{} // closed when no line has reports any more; nil if nobody waits
	dropped      uint64
}

// reportLine are the reports to one function.
type reportLine struct {
	of *reports
	// says makes a report that n others were dropped.
	says func(n uint64) *report

	queue  []*report
	left   int     // those of queue that nobody waits for
	now    *report // is being told; nil if none is
	late   bool    // see R2
	tells  bool    // there is a teller
	teller uintptr // its goroutine, 0 until it runs
	gaps   uint64  // reports that were dropped after the last one of queue
}

// report is one report. The reporter makes it.
type report struct {
	what    string // calls the function, if that panics
	tell    func()
	crashed func(*PanicError) // is called if tell panics
	inside  bool              // tell runs as a part of the reporter's task
	done    chan struct{}     // closed when it was told, unless it is left

	left  bool        // nobody waits for it
	told  bool        // tell has ended, with crash
	crash *PanicError // nil if it has returned
	gaps  uint64      // reports that were dropped before it
}

// mostLeft is how many reports that nobody waits for a line keeps.
const mostLeft = 256

func (s *reports) init(logDropped, lossDropped func(n uint64) *report) {
	s.logs.of, s.losses.of = s, s
	s.logs.says, s.losses.says = logDropped, lossDropped
}

// tell has r told, and waits until it was, but at most for the given time.
func (l *reportLine) tell(r *report, most time.Duration) {
	r.done = make(chan struct{})
	if !l.enter(r) {
		return
	}
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-r.done:
	case <-late.C:
		if l.leave(r) {
			return
		}
	}
	if r.crash != nil {
		r.crashed(r.crash)
	}
}

// enter adds r, unless there is no room, and reports whether the reporter is to wait for it.
func (l *reportLine) enter(r *report) (waits bool) {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	waits = !l.late && !l.of.isTeller()
	if !waits {
		if l.left >= mostLeft {
			l.gaps++
			l.of.dropped++
			return false
		}
		r.left = true
		l.left++
	}
	r.gaps, l.gaps = l.gaps, 0
	l.queue = append(l.queue, r)
	if !l.tells {
		l.tells = true
		go l.run()
	}
	return waits
}

// leave ends the wait of r's reporter, unless r was told, and reports whether it did. If r is not
// even under way, it is kept as far as there is room.
func (l *reportLine) leave(r *report) bool {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if r.told {
		return false
	}
	r.left, l.late = true, true
	switch i := slices.Index(l.queue, r); {
	case i < 0: // it is under way
	case l.left < mostLeft:
		l.left++
	default:
		l.of.dropped++
		next := &l.gaps
		if i+1 < len(l.queue) {
			next = &l.queue[i+1].gaps
		}
		*next += 1 + r.gaps
		l.queue = slices.Delete(l.queue, i, i+1)
	}
	return true
}

// run tells the reports of the line until there are none. If one of them ends the goroutine,
// another one goes on.
func (l *reportLine) run() {
	ended := false
	defer func() {
		if !ended {
			l.abdicate()
			go l.run()
		}
	}()
	for r := l.next(); r != nil; r = l.next() {
		attempt(r.what, r.inside, r.tell, func(crash *PanicError) { l.end(r, crash) })
	}
	ended = true
}

// abdicate notes that the teller's goroutine ends, and may soon be another one's.
func (l *reportLine) abdicate() {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.teller = 0
}

// next returns the report that is to be told next. If there is none, it returns nil, and the
// calling teller is none any more.
func (l *reportLine) next() *report {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.teller = goid.ID()
	gaps := &l.gaps
	if len(l.queue) > 0 {
		gaps = &l.queue[0].gaps
	}
	switch n := *gaps; {
	case n > 0:
		*gaps = 0
		l.now = l.says(n)
		l.now.left = true
	case len(l.queue) > 0:
		l.now = l.queue[0]
		l.queue = slices.Delete(l.queue, 0, 1)
		if l.now.left {
			l.left--
		}
	default:
		l.teller, l.tells = 0, false
		l.of.rest()
		return nil
	}
	return l.now
}

// end notes how the report under way has ended, and tells the reporter. If that has gone on, the
// teller does what remains to be done.
func (l *reportLine) end(r *report, crash *PanicError) {
	l.of.mu.Lock()
	l.now, l.late = nil, false
	r.told, r.crash = true, crash
	left := r.left
	l.of.mu.Unlock()
	switch {
	case !left:
		close(r.done)
	case crash != nil:
		r.crashed(crash)
	}
}

// rest tells those who wait for it that no line has reports any more, if that is so. mu is held.
func (s *reports) rest() {
	if s.idle != nil && !s.logs.tells && !s.losses.tells {
		close(s.idle)
		s.idle = nil
	}
}

// told returns a channel that is closed once there are no reports. To a teller, which must not wait
// for that, it is closed.
func (s *reports) told() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	idle := s.idle
	if s.isTeller() {
		idle = make(chan struct{})
		close(idle)
	}
	s.rest()
	return idle
}

// giveUp has nobody wait for the reports under way, and returns how many reports there are.
func (s *reports) giveUp() (n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range []*reportLine{&s.logs, &s.losses} {
		n += uint64(len(l.queue))
		if l.now != nil {
			l.late = true
			n++
		}
	}
	return n
}

// isTeller reports whether the calling goroutine is a teller. mu is held.
func (s *reports) isTeller() bool {
	id := goid.ID()
	return id == s.logs.teller || id == s.losses.teller
}

// untold returns how many reports were dropped.
func (s *reports) untold() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}

// attempt runs the user's function f, as a part of a task if inside is true, and then calls ended
// with what f has ended with, also if f ends the goroutine.
func attempt(what string, inside bool, f func(), ended func(crash *PanicError)) {
	crash := &PanicError{Operation: what, Value: ErrGoexit}
	defer func() {
		if crash != nil {
			if v := recover(); v != nil {
				crash.Value = v
			}
			crash.Stack = debug.Stack()
		}
		ended(crash)
	}()
	if inside {
		sched.RunInside(f)
	} else {
		f()
	}
	crash = nil
}
