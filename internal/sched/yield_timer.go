package sched

import (
	"runtime"
	"time"

	"github.com/freerun-go/freerun/internal/sys/yield"
)

const (
	// YieldAfter is how long a busy processor keeps its thread before it lets Go's scheduler run
	// other goroutines: those of the network, of timers and of the rest of the program. Go itself
	// would preempt it only after 10 ms.
	YieldAfter = 45 * time.Microsecond
	// preemptedAfter is how long Go has a goroutine run, at least, before it preempts it for
	// others.
	preemptedAfter = 10 * time.Millisecond
	// maxPatience is the longest time for which a processor keeps its thread because others had
	// it for long. Go's monitor, which looks each 10 ms, preempts a goroutine before.
	maxPatience = 2 * preemptedAfter
	// patienceShare is the share of a yield for which the processor keeps its thread afterwards:
	// others have it at most four times as long, up to maxPatience. Without, goroutines that are
	// never all blocked leave a processor 45 µs of each 20 ms. With all of the yield in place of
	// a quarter, requests of a server beside busy processors take half as long again: ADR 92.
	patienceShare = 4
	// maxBatch is how many operations a processor runs at most between two reads of the clock. A
	// read costs as much as an operation.
	maxBatch = 128
	// allYieldTurn is how often, in yields, a processor yields to all of Go's goroutines although
	// some processor is parked. While all are awake it always does, because there may be no other
	// thread to run them. Otherwise an idle thread most likely runs them; a yield to all would
	// only wake it for this processor's own goroutine.
	allYieldTurn = 4
)

// yieldTimer decides when a processor yields. It reads the clock once for each batch of operations.
// A batch has as many operations as took about half of YieldAfter lately. Its clock counts from
// epoch.
type yieldTimer struct {
	left, batch       int
	done              int           // operations before this batch
	inboxFirst        bool          // the next step looks into the inbox first
	slept             bool          // since the last read of the clock
	readAt, yieldedAt time.Duration // the last read of the clock; the end of the last yield
	busySince         time.Duration // the first read of the clock after the last sleep
	yieldAfter        time.Duration // from yieldedAt to the next yield
	dueNow            bool          // the next YieldIfDue yields in any case
	regular           uint          // how many yields were due by time
	woke              bool          // see YieldForWoken
	answeredAt        time.Duration // the end of the last yield for a goroutine that was woken
	gomaxprocs        int           // GOMAXPROCS at the last look
}

func newYieldTimer() yieldTimer {
	now := time.Since(epoch)
	return yieldTimer{
		left: 1, batch: 1, readAt: now, yieldedAt: now, busySince: now, yieldAfter: YieldAfter,
		gomaxprocs: runtime.GOMAXPROCS(0),
	}
}

// operations returns how many operations the processor has run.
func (y *yieldTimer) operations() int { return y.done + y.batch - y.left }

// begin begins the next batch.
func (y *yieldTimer) begin(batch int, now time.Duration) {
	y.done = y.operations()
	y.batch, y.left, y.readAt = batch, batch, now
}

// Spend counts one operation, and yields if a yield is due. The running task keeps what it holds.
// By the running task only.
func (p *Processor) Spend() {
	if p.Spent() {
		p.YieldIfDue()
	}
}

// Spent is the first half of Spend: it counts one operation and reports whether the caller must
// call [Processor.YieldIfDue], after anything it has to do before a yield. By the running task
// only.
func (p *Processor) Spent() bool {
	p.yieldTimer.left--
	return p.yieldTimer.left <= 0
}

// YieldIfDue is the second half of Spend: it yields if a yield is due. By the running task only.
func (p *Processor) YieldIfDue() {
	if p.letDriverChoose() { // each time: no time passes, so a batch is always one operation
		return
	}
	y := &p.yieldTimer
	now := time.Since(epoch)
	if y.slept {
		y.slept, y.busySince, y.woke = false, now, false
	}
	took := now - y.readAt
	y.begin(nextBatch(y.batch, took), now)
	if took >= preemptedAfter { // a yield: Go has let others run meanwhile, if there were some
		p.counters.pauses.Add(2)
		y.yieldedTill(now, took)
	}
	if now-y.yieldedAt < y.yieldAfter && !y.dueNow {
		if y.woke {
			p.answer(now)
		}
		return
	}
	y.dueNow, y.woke = false, false
	p.counters.pauses.Add(1)
	y.readAt = p.yieldNow(now)
	p.counters.pauses.Add(1)
	y.yieldedTill(y.readAt, y.readAt-now)
}

// yieldedTill notes the end of a yield that took the time took.
func (y *yieldTimer) yieldedTill(now, took time.Duration) {
	y.yieldedAt, y.yieldAfter = now, keepFor(took)
	y.inboxFirst = true // a goroutine that ran now may have injected a task
}

// keepFor returns how long a processor keeps its thread after a yield that took the time took.
func keepFor(took time.Duration) time.Duration {
	return min(max(YieldAfter, took/patienceShare), maxPatience)
}

// yieldNow lets other goroutines run, and has Go poll the network if a poll is due. It returns the
// time after that.
func (p *Processor) yieldNow(now time.Duration) time.Duration {
	p.yieldTimer.regular++
	switch all := p.scheduler.census.allAwake(); {
	case !all && p.yieldTimer.regular%allYieldTurn != 0:
		yield.Local()
	case all && p.pollDue(now, p.yieldTimer.busySince):
		return p.poll(now)
	default:
		yield.All()
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

// yieldSoon has the processor yield after its next operation.
func (y *yieldTimer) yieldSoon() {
	y.dueNow = true
	y.lookSoon(1)
}

// lookSoon has the processor read the clock after that many operations, if not before.
func (y *yieldTimer) lookSoon(operations int) {
	if unrun := y.left - operations; unrun > 0 {
		y.batch -= unrun
		y.left -= unrun
	}
}

// yields returns how often the processor has yielded or begun to. Any goroutine.
func (p *Processor) yields() uint64 { return (p.counters.pauses.Load() + 1) / 2 }

// nextBatch returns how many operations to run until the next read of the clock, if the last batch
// took the time took.
func nextBatch(batch int, took time.Duration) int {
	const goal = YieldAfter / 2
	if took <= goal/2 {
		return min(2*batch, maxBatch)
	}
	return min(max(1, int(int64(batch)*int64(goal)/int64(took))), maxBatch)
}
