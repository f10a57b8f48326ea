package sched

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/internal/sys/netpoll"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/yield"
)

// While every P of Go is busy, Go polls the network only every 10 ms: processors that yield leave its run queues never
// empty (package netpoll). So a busy processor polls now and then, in place of a yield. What one P polls is found for all
// of them. So the polls are the business of the process, not of one processor or scheduler: lookout.
//
//	E1  A poll is due when next has passed.
//	E2  Whoever sets began polls; it does so again when breathAfter has passed, by another processor then.
//	E3  The end of a poll sets next.
//
// A poll waits until a P has nothing to run. Where more processors than Ps are busy that is when enough of them wait in
// a poll, as by E2 one after another comes to do. Where other goroutines keep the queues full for longer than
// pollPatience, the poll has failed, and next is far: polls that fail take at most 1/pollShare of a processor's time.
//
// Nobody polls while a processor is parked: most likely a P is idle then, and an idle P polls by itself. A poll beside one
// is not cheap: it has made two units that talk to each other on one of two processors a quarter slower, even once each 10 ms.

const (
	// pollEvery is how long a processor is busy until it polls, unless another has.
	pollEvery = 200 * time.Microsecond
	// pollAgain is the same when other goroutines ran in the last yield.
	pollAgain = 100 * time.Microsecond
	// mostPollsInRow is how often in a row a processor polls that has only work of Idle, while each finds something.
	mostPollsInRow = 32
	// emptyYield is more than a yield takes in which no other goroutine runs.
	emptyYield = 1500 * time.Nanosecond
	// pollsPerLook is how often, in polls, a processor looks at GOMAXPROCS.
	pollsPerLook = 64
	// pollPatience is how long a processor waits in a poll, at most.
	pollPatience = time.Millisecond
	// pollShare is how many times longer than a poll that failed it takes until the next one.
	pollShare = 32
	// mostPollers is how many processors of a scheduler may be in a poll at a time.
	mostPollers = 16
	// pollerRetry is how long a scheduler that could not make a poller makes do without.
	pollerRetry = time.Second
)

// epoch is when the process began, for clocks that all processors share.
var epoch = time.Now()

// lookout is part of no protocol that must not fail: without polls, sockets are served late. The explorer need not know of it.
var netPolls struct {
	_           pad.Line
	next, began atomic.Int64 // since epoch
	_           pad.Line
}

// pollers are those of a scheduler, made when they are needed.
type pollers struct {
	free   chan *netpoll.Poller // nil: never polls
	made   atomic.Int32
	failed atomic.Int64 // until when none is made, since epoch
	closed atomic.Bool
}

// init allows polls, but for a scheduler in a bubble of testing/synctest: there, time stands still while a goroutine waits for what is outside. A bubble's
// clock begins in the year 2000, long before the process.
func (ps *pollers) init() {
	if time.Now().Round(0).Before(epoch.Round(0).AddDate(-1, 0, 0)) {
		return
	}
	ps.free = make(chan *netpoll.Poller, mostPollers)
}

// pollDue reports whether it is for p, which has been busy since the time given, to poll now (E1, E2).
func (p *Processor) pollDue(now, since time.Duration) bool {
	next := netPolls.next.Load()
	if int64(now) < next || now-since < pollEvery || p.scheduler.pollers.free == nil {
		return false
	}
	began := netPolls.began.Load()
	return int64(now)-began >= int64(yieldAfter) && netPolls.began.CompareAndSwap(began, int64(now))
}

// poll has Go poll the network, and lets other goroutines run, those that it finds too. It returns the time.
func (p *Processor) poll(now time.Duration) (later time.Duration) {
	pollers := &p.scheduler.pollers
	poller := pollers.take(now)
	if poller == nil {
		runtime.Gosched()
		return time.Since(epoch)
	}
	defer pollers.giveBack(poller)
	for range mostPollsInRow {
		polled := poller.Poll(pollPatience)
		now = time.Since(epoch)
		yield.Local() // the processor's goroutine is the one that Go picks first of those that it has found
		later = time.Since(epoch)
		if !polled {
			netPolls.next.Store(int64(later + pollShare*pollPatience))
			return later
		}
		if p.counters.polls.Add(1); p.counters.polls.Load()%pollsPerLook == 1 {
			p.yieldTimer.gomaxprocs = runtime.GOMAXPROCS(0)
		}
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

// hasten has the next poll come soon, as what other goroutines did just now has answers, most likely; but not after a poll that failed.
func pollSooner(now time.Duration) {
	next, soon := netPolls.next.Load(), int64(now+pollAgain)
	if soon < next && next <= int64(now+pollEvery) {
		netPolls.next.CompareAndSwap(next, soon)
	}
}

// givesWayToAll reports whether all that the processor has to run comes after whatever ordinary goroutines do, and no P is
// idle for those.
func (p *Processor) yieldsToAll() bool {
	s := p.scheduler
	return p.turns.running == Idle && (p.held&^uncounted|s.board.word.Load())&^Idle.bit() == 0 && !p.normalWaits() && s.census.awake() >= p.yieldTimer.gomaxprocs
}

// take returns a poller that is not in use, nil if there is none to be had.
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

// giveBack lays the poller back. No more are made than there is room for.
func (ps *pollers) giveBack(poller *netpoll.Poller) {
	ps.free <- poller
	if ps.closed.Load() { // before it was laid back, or it is found now
		ps.empty()
	}
}

// close closes the pollers, those in use when they are given back. Any goroutine, any number of times.
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
