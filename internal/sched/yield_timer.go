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
	// allYieldTurn is how often, in yields that are due by time, a processor yields to all of Go's
	// goroutines although some processor is parked. While all are awake it always does, because
	// there may be no other thread to run them. Otherwise an idle thread most likely runs them; a
	// yield to all would only wake it for this processor's own goroutine.
	allYieldTurn = 4
	// wokenPause is the least time between two yields to goroutines that were woken. Such a yield
	// takes some 0.3 µs beside what the goroutine does.
	wokenPause = 5 * time.Microsecond
	// mostInstead is how many yields to goroutines that were woken may take the place of a due one:
	// those that other Ps have, and the network, wait meanwhile.
	mostInstead = 3
	// longOperation is the time from which on operations are long: see LooksUp.
	longOperation = 1400 * time.Nanosecond
	// wokenShare is the share of a batch that comes before a yield to a goroutine that was woken: a
	// batch takes some 22 µs, so that is more than a microsecond at most.
	wokenShare = 16
)

// yieldTimer decides when a processor yields: each YieldAfter, or so (the yields that are due), and
// to goroutines that its tasks have woken. It reads the clock once for each batch of operations. A
// batch has as many operations as took about half of YieldAfter lately. Its clock counts from
// epoch.
//
// Invariant: 1 ≤ batch ≤ whole, and left ≤ batch.
type yieldTimer struct {
	left, batch       int
	whole             int           // the batch as it was begun: lookSoon cuts it
	done              int           // operations before this batch
	inboxFirst        bool          // the next step looks into the inbox first
	slept             bool          // since the last read of the clock
	woke              bool          // since the last yield a task has woken a goroutine
	lookUp            bool          // operations are long: see LooksUp
	dueNow            bool          // the next YieldIfDue yields in any case
	readAt, yieldedAt time.Duration // the last read of the clock; the end of the last due yield
	busySince         time.Duration // the first read of the clock after the last sleep
	yieldAfter        time.Duration // from yieldedAt to the next due yield
	wokenFrom         time.Duration // yields to goroutines that were woken come from then on
	due               uint          // how many yields were due; see allYieldTurn
	instead           int           // yields that have put off the next due one: see mostInstead
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
	took, ran, slept := now-y.readAt, y.batch, y.slept
	if slept {
		y.slept, y.busySince = false, now
	}
	y.begin(nextBatch(y.whole, took*time.Duration(y.whole)/time.Duration(ran)), now)
	y.lookUp = took >= time.Duration(ran)*longOperation && !slept
	if took >= preemptedAfter && !slept { // a yield: Go has let others run, if there were some
		p.counters.pauses.Add(2)
		y.yieldedTill(now, took)
	}
	if now-y.yieldedAt < y.yieldAfter && !y.dueNow {
		if y.woke {
			p.yieldToWoken(now, took/time.Duration(ran))
		}
		return
	}
	y.dueNow, y.woke, y.instead = false, false, 0
	p.counters.pauses.Add(1)
	y.readAt = p.yieldNow(now)
	p.counters.pauses.Add(1)
	y.yieldedTill(y.readAt, y.readAt-now)
	if y.readAt-now > wokenPause { // goroutines have worked in it
		y.wokenFrom = y.readAt + PauseAfterWoken(y.readAt-now)
	}
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
	p.yieldTimer.due++
	switch all := p.scheduler.census.allAwake(); {
	case !all && p.yieldTimer.due%allYieldTurn != 0:
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

// NoteWoken is called by whoever has just ended a wait of an ordinary goroutine. If that is a task,
// its processor yields before its next operation, or soon: Go puts the goroutine into the queue of
// the processor's P, where it would wait for the next due yield, dozens of times as long as the
// task has taken (ADR 97). If operations are short, some more of them come first, about a
// microsecond's: they may wake others, which then run in the same yield. NoteWoken costs some
// nanoseconds. Any goroutine.
func NoteWoken() {
	if p := CurrentProcessor(); p != nil {
		y := &p.yieldTimer
		y.woke = true
		y.lookSoon(max(1, y.whole/wokenShare))
	}
}

// LooksUp reports whether operations are long, and the clock was read since the processor has
// looked around. Then a task that does several in a row should call [Processor.GiveWay]. Where they
// are short it may do so each few operations. By the running task only.
func (p *Processor) LooksUp() bool { return p.yieldTimer.lookUp }

// yieldToWoken yields to a goroutine that was woken, or, if it is too soon for that, has the
// processor look again when the time has come. An operation takes each, about.
func (p *Processor) yieldToWoken(now, each time.Duration) {
	y := &p.yieldTimer
	if wait := y.wokenFrom - now; wait > 0 {
		y.lookSoon(int(min(max(1, wait/max(1, each)), maxBatch)))
		return
	}
	y.woke = false
	p.counters.pauses.Add(1)
	yield.Local()
	p.counters.pauses.Add(1)
	y.readAt = time.Since(epoch)
	y.inboxFirst = true // the goroutine may have injected a task
	took := y.readAt - now
	y.wokenFrom = y.readAt + PauseAfterWoken(took)
	if took > wokenPause && y.instead < mostInstead { // goroutines have worked in it
		y.instead++
		y.yieldedTill(y.readAt, took)
	}
}

// PauseAfterWoken returns how long after a yield to a goroutine that was woken the next such yield
// comes at the earliest, if this one took the time took: if goroutines worked in it, twice as long
// as they did.
func PauseAfterWoken(took time.Duration) time.Duration { return max(wokenPause, 2*took) }

// yieldSoon has the processor yield when it next counts an operation.
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
// took the time took. One that was cut counts as if all of it had taken as long in proportion:
// after one long operation the batch is short, and grows again by doubling.
func nextBatch(batch int, took time.Duration) int {
	const goal = YieldAfter / 2
	if took <= goal/2 {
		return min(2*batch, maxBatch)
	}
	return min(max(1, int(int64(batch)*int64(goal)/int64(took))), maxBatch)
}
