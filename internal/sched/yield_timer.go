package sched

import (
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
	// answerEvery is the least time between two yields for goroutines that were woken. Such a yield
	// takes some 0.3 µs beside what the goroutine does.
	answerEvery = 5 * time.Microsecond
)

// yieldTimer decides when a processor yields. It reads the clock once for each batch of operations.
// A batch has as many operations as took about half of YieldAfter lately. Its clock counts from
// epoch.
type yieldTimer struct {
	left, batch       int
	whole             int           // the batch as it was begun: lookSoon cuts it
	done              int           // operations before this batch
	inboxFirst        bool          // the next step looks into the inbox first
	slept             bool          // since the last read of the clock
	readAt, yieldedAt time.Duration // the last read of the clock; the end of the last yield
	busySince         time.Duration // the first read of the clock after the last sleep
	yieldAfter        time.Duration // from yieldedAt to the next yield
	dueNow            bool          // the next YieldIfDue yields in any case
	regular           uint          // how many yields were due by time
	woke              bool          // see YieldForWoken
	answerFrom        time.Duration // a yield for a goroutine that was woken comes then, or later
	gomaxprocs        int           // GOMAXPROCS at the last look
}

func newYieldTimer() yieldTimer {
	now := time.Since(epoch)
	return yieldTimer{
		left: 1, batch: 1, whole: 1, readAt: now, yieldedAt: now, busySince: now, yieldAfter: YieldAfter,
	}
}

// operations returns how many operations the processor has run.
func (y *yieldTimer) operations() int { return y.done + y.batch - y.left }

// begin begins the next batch.
func (y *yieldTimer) begin(batch int, now time.Duration) {
	y.done = y.operations()
	y.batch, y.whole, y.left, y.readAt = batch, batch, batch, now
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
	y.begin(nextBatch(y.whole, took*time.Duration(y.whole)/time.Duration(y.batch)), now)
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

// YieldForWoken is called when the running task has ended a wait of an ordinary goroutine. Go puts
// the goroutine into the queue of the processor's P, where it would wait for YieldAfter, dozens of
// times as long as the task has taken. So the processor yields before its next operation, or, if it
// has just done so, some operations later: goroutines that ask without end get a known share of its
// time (ADR 97). By the running task only.
func (p *Processor) YieldForWoken() {
	p.yieldTimer.woke = true
	p.yieldTimer.lookSoon(1)
}

// answer yields for a goroutine that was woken, or, if that is too soon, has the processor do so
// some operations later. If others had the P for long, it does neither: they and the processor
// take turns (keepFor).
func (p *Processor) answer(now time.Duration) {
	y := &p.yieldTimer
	if y.yieldAfter > YieldAfter {
		y.woke = false
		return
	}
	if soon := y.answerFrom - now; soon > 0 {
		y.lookSoon(max(1, int(int64(y.batch)*int64(soon)/int64(YieldAfter/2))))
		return
	}
	y.woke = false
	p.counters.pauses.Add(1)
	yield.Local()
	p.counters.pauses.Add(1)
	y.readAt = time.Since(epoch)
	y.answerFrom = y.readAt + PauseAfterAnswer(y.readAt-now)
	y.inboxFirst = true // the goroutine may have injected a task
}

// PauseAfterAnswer returns how long after a yield for a goroutine that was woken the next such
// yield comes at the earliest, if this one took the time took. So they leave a processor two thirds
// of its time, whatever the goroutines do.
func PauseAfterAnswer(took time.Duration) time.Duration { return max(answerEvery, 2*took) }

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
