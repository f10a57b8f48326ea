package sched

import (
	"runtime"
	"time"

	"github.com/freerun-go/freerun/internal/sys/yield"
)

const (
	// breathAfter is how long a busy processor keeps its thread before it lets Go's scheduler run other goroutines: the
	// network, timers, and whatever the program does outside. Go itself would preempt it only after 10 ms.
	yieldAfter = 45 * time.Microsecond
	// mostUnread is how many operations a processor runs at most without reading the clock, which costs as much as one.
	maxBatch = 128
	// deepBreath is how often, in breaths, a processor yields to all of Go's goroutines though some processor is parked. When
	// all are awake it always does, as then nobody else may be there to run them; otherwise there is most likely an
	// idle thread, which runs them, and which a yield to all would only wake for this processor's own goroutine.
	allYieldTurn = 4
)

// breath decides when a processor yields. It reads the clock after as many operations as took about half of breathAfter lately. The clock counts from epoch.
type yieldTimer struct {
	left, batch       int
	done              int           // operations before this batch
	yielded           bool          // it has yielded, and not looked at the inbox since
	slept             bool          // it has slept, and not read the clock since
	readAt, yieldedAt time.Duration // the clock when it was read last, and after the last yield
	busySince         time.Duration // the clock when it was read first after it has slept
	dueNow            bool          // it yields at the next Breathe, however short it has been busy
	gomaxprocs        int           // GOMAXPROCS, as it was lately
}

func newYieldTimer() yieldTimer {
	now := time.Since(epoch)
	return yieldTimer{left: 1, batch: 1, readAt: now, yieldedAt: now, busySince: now}
}

// operations returns how many operations there were.
func (y *yieldTimer) operations() int { return y.done + y.batch - y.left }

// begin begins the next batch.
func (y *yieldTimer) begin(batch int, now time.Duration) {
	y.done = y.operations()
	y.batch, y.left, y.readAt = batch, batch, now
}

// Spend counts one operation run, and yields if it is time to. The task being run keeps what it holds.
func (p *Processor) Spend() {
	if p.Spent() {
		p.YieldIfDue()
	}
}

// Spent is the first part of Spend, for those who have something to do before the second one: it reports whether that is to be called, which is [Processor.Breathe].
func (p *Processor) Spent() bool {
	p.yieldTimer.left--
	return p.yieldTimer.left <= 0
}

// Breathe yields if it is time to, see [Processor.Spent].
func (p *Processor) YieldIfDue() {
	if p.letDriverChoose() { // each time: no time passes, so the count is never more than one
		return
	}
	y := &p.yieldTimer
	now := time.Since(epoch)
	if y.slept {
		y.slept, y.busySince = false, now
	}
	y.begin(nextBatch(y.batch, now-y.readAt), now)
	if now-y.yieldedAt < yieldAfter && !y.dueNow {
		return
	}
	y.dueNow = false
	p.counters.pauses.Add(1)
	y.readAt = p.yieldNow(now)
	p.counters.pauses.Add(1)
	y.yieldedAt = y.readAt
	y.yielded = true // whoever had a turn now may have sent something
}

// letRun lets other goroutines run, and has Go poll the network if it is time to. It returns the time.
func (p *Processor) yieldNow(now time.Duration) time.Duration {
	switch all := p.scheduler.census.allAwake(); {
	case !all && p.yields()%allYieldTurn != 0:
		yield.Local()
	case all && p.pollDue(now, p.yieldTimer.busySince):
		return p.poll(now)
	default:
		runtime.Gosched()
	}
	later := time.Since(epoch)
	if later-now < emptyYield {
		return later
	}
	pollSooner(later)
	if p.yieldsToAll() {
		return p.poll(later)
	}
	return later
}

// hurry has the processor yield after its next operation.
func (y *yieldTimer) yieldSoon() {
	y.dueNow = true
	if unrun := y.left - 1; unrun > 0 {
		y.batch -= unrun
		y.left -= unrun
	}
}

// breaths returns how often the processor has yielded, or begun to. Any goroutine.
func (p *Processor) yields() uint64 { return (p.counters.pauses.Load() + 1) / 2 }

// nextBatch returns how many operations to run before the clock is read again, if the last batch took that long.
func nextBatch(batch int, took time.Duration) int {
	const goal = yieldAfter / 2
	if took <= goal/2 {
		return min(2*batch, maxBatch)
	}
	return min(max(1, int(int64(batch)*int64(goal)/int64(took))), maxBatch)
}
