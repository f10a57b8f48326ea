package sched

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/internal/sys/netpoll"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/yield"
)

// While every P of Go is busy, Go polls the network only every 10 ms: processors that yield never
// leave its run queues empty (internal/sys/netpoll). So a busy processor polls now and then, in
// place of a yield. A poll of one P makes goroutines runnable for all Ps, so all processors of the
// process share their polls (netPolls).
//
//	E1  A poll is due when next has passed.
//	E2  The processor that sets began polls. Another one may set it when YieldAfter has passed.
//	E3  The end of a poll sets next.
//
// Where the system tells that no event waits (netpoll.Poller.Futile), a yield takes the place of
// the poll: a poll parks the processor's goroutine, and if one of Go's threads waits for the
// network, that thread goes on with the goroutine, on another core's time. ADR 53 has figures.
//
// A poll waits until a P has nothing to run. If more processors than Ps are busy, that happens only
// when enough processors wait in polls. By E2 they begin to poll one after another. If other
// goroutines keep the queues full for longer than pollPatience, the poll has failed, and next is
// far: failed polls take at most 1/pollShare of a processor's time.
//
// No processor polls while another is parked, unless GOMAXPROCS processors are awake: most likely a
// P is idle then, and an idle P polls by itself. A poll while a P is idle is not cheap: two units
// that send to each other, on one of two processors, were a quarter slower even with one poll each
// 10 ms.

const (
	// pollEvery is the time for which a processor is busy before it polls, unless another has
	// polled.
	pollEvery = 200 * time.Microsecond
	// pollAgain is that time if other goroutines ran in the last yield.
	pollAgain = 100 * time.Microsecond
	// mostPollsInRow is the greatest number of polls in a row of a processor that has only work of
	// Idle, as long as other goroutines run after each poll.
	mostPollsInRow = 32
	// emptyYield is longer than a yield takes in which no other goroutine runs.
	emptyYield = 1500 * time.Nanosecond
	// pollsPerLook is the number of polls between two looks at GOMAXPROCS.
	pollsPerLook = 64
	// pollPatience is the longest time that a processor waits in a poll.
	pollPatience = time.Millisecond
	// pollShare is the time from a failed poll to the next one, as a multiple of pollPatience.
	pollShare = 32
	// mostPollers is the number of processors of a scheduler that may poll at a time.
	mostPollers = 16
	// pollerRetry is the time after which a scheduler that could not make a poller tries again.
	pollerRetry = time.Second
)

// epoch is the time at which the process began: the zero of the clock that all processors share.
var epoch = time.Now()

// netPolls holds the times of the process's polls. No protocol depends on it: without polls,
// sockets are only served late. So its accesses are no steps of the explorer.
var netPolls struct {
	_           pad.Line
	next, began atomic.Int64 // since epoch
	_           pad.Line
}

// pollers are the pollers of a scheduler, made at their first use.
type pollers struct {
	free   chan *netpoll.Poller // nil: the scheduler never polls
	made   atomic.Int32
	failed atomic.Int64 // none is made before that time, since epoch
	closed atomic.Bool
}

// init allows polls, except for a scheduler in a bubble of testing/synctest: time stands still
// there while a goroutine waits for something outside. A bubble's clock begins in the year 2000,
// long before the process.
func (ps *pollers) init() {
	if time.Now().Round(0).Before(epoch.Round(0).AddDate(-1, 0, 0)) {
		return
	}
	ps.free = make(chan *netpoll.Poller, mostPollers)
}

// pollDue reports whether p, which has been busy since the given time, must poll now (E1, E2).
func (p *Processor) pollDue(now, since time.Duration) bool {
	next := netPolls.next.Load()
	if int64(now) < next || now-since < pollEvery || p.scheduler.pollers.free == nil {
		return false
	}
	began := netPolls.began.Load()
	return int64(now)-began >= int64(YieldAfter) && netPolls.began.CompareAndSwap(began, int64(now))
}

// poll has Go poll the network and lets other goroutines run, including those that the poll finds.
// It returns the time after that.
func (p *Processor) poll(now time.Duration) (later time.Duration) {
	pollers := &p.scheduler.pollers
	poller := pollers.take(now)
	if poller == nil {
		yield.All()
		return time.Since(epoch)
	}
	defer pollers.giveBack(poller)
	if !p.yieldsToAll() && poller.Futile() {
		return p.lookAndYield()
	}
	for range mostPollsInRow {
		polled := poller.Poll(pollPatience)
		now = time.Since(epoch)
		// Go picks the processor's own goroutine before those that the poll has found.
		yield.Local()
		later = time.Since(epoch)
		if !polled {
			netPolls.next.Store(int64(later + pollShare*pollPatience))
			return later
		}
		p.countPoll()
		netPolls.next.Store(int64(later + pollEvery))
		if later-now < emptyYield {
			return later
		}
		pollSooner(later)
		if !p.yieldsToAll() {
			return later
		}
	}
	return later
}

// lookAndYield takes the place of a poll that would find nothing: the look was the poll (E3).
func (p *Processor) lookAndYield() (later time.Duration) {
	now := time.Since(epoch)
	yield.All()
	later = time.Since(epoch)
	p.countPoll()
	netPolls.next.Store(int64(later + pollEvery))
	if later-now >= emptyYield {
		pollSooner(later)
	}
	return later
}

func (p *Processor) countPoll() {
	if p.counters.polls.Add(1); p.counters.polls.Load()%pollsPerLook == 1 {
		p.yieldTimer.gomaxprocs = runtime.GOMAXPROCS(0)
	}
}

// pollSooner brings the next poll forward: other goroutines ran just now, and the answers to what
// they sent are likely to come soon. It does not do so after a failed poll.
func pollSooner(now time.Duration) {
	next, soon := netPolls.next.Load(), int64(now+pollAgain)
	if soon < next && next <= int64(now+pollEvery) {
		netPolls.next.CompareAndSwap(next, soon)
	}
}

// yieldsToAll reports whether the processor has only work of Idle, which comes after all ordinary
// goroutines, and no P is idle to run these.
func (p *Processor) yieldsToAll() bool {
	s := p.scheduler
	return p.turns.running == Idle && (p.held&^uncounted|s.board.word.Load())&^Idle.bit() == 0 && !p.normalWaits() && s.census.awake() >= p.yieldTimer.gomaxprocs
}

// take returns a poller that is not in use, or makes one; nil if it can do neither.
func (ps *pollers) take(now time.Duration) *netpoll.Poller {
	select {
	case poller := <-ps.free:
		return poller
	default:
	}
	if ps.closed.Load() || int64(now) < ps.failed.Load() {
		return nil
	}
	if ps.made.Add(1) > mostPollers {
		ps.made.Add(-1)
		return nil
	}
	poller, err := netpoll.New()
	if err != nil {
		ps.made.Add(-1)
		ps.failed.Store(int64(now + pollerRetry))
		return nil
	}
	return poller
}

// giveBack returns the poller for the next use. No more pollers are made than fit into free.
func (ps *pollers) giveBack(poller *netpoll.Poller) {
	ps.free <- poller
	if ps.closed.Load() { // if close sets closed after this, it finds the poller itself
		ps.empty()
	}
}

// close closes the pollers; those in use are closed when they are given back. Any goroutine, any
// number of times.
func (ps *pollers) close() {
	ps.closed.Store(true)
	ps.empty()
}

func (ps *pollers) empty() {
	for {
		select {
		case poller := <-ps.free:
			poller.Close()
		default:
			return
		}
	}
}
