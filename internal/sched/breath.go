package sched

import (
	"runtime"
	"time"

	"github.com/freerun-go/freerun/internal/sys/yield"
)

const (
	// breathAfter is how long a busy processor keeps its thread before it lets Go's scheduler run other goroutines: the
	// network, timers, and whatever the program does outside. Go itself would preempt it only after 10 ms.
	breathAfter = 45 * time.Microsecond
	// mostUnread is how many operations a processor runs at most without reading the clock, which costs as much as one.
	mostUnread = 128
	// deepBreath is how often, in breaths, a processor yields to all of Go's goroutines though some processor is parked. When
	// all are awake it always does, as then nobody else may be there to run them; otherwise there is most likely an
	// idle thread, which runs them, and which a yield to all would only wake for this processor's own goroutine.
	deepBreath = 4
)

// breath decides when a processor yields. It reads the clock after as many operations as took about half of breathAfter lately. The clock counts from epoch.
type breath struct {
	left, batch int
	done        int           // operations before this batch
	fresh       bool          // it has yielded, and not looked at the inbox since
	rested      bool          // it has slept, and not read the clock since
	read, taken time.Duration // the clock when it was read last, and after the last yield
	busy        time.Duration // the clock when it was read first after it has slept
	eager       bool          // it yields at the next Breathe, however short it has been busy
	ps          int           // GOMAXPROCS, as it was lately
}

func newBreath() breath {
	now := time.Since(epoch)
	return breath{left: 1, batch: 1, read: now, taken: now, busy: now}
}

// operations returns how many operations there were.
func (b *breath) operations() int { return b.done + b.batch - b.left }

// begin begins the next batch.
func (b *breath) begin(batch int, now time.Duration) {
	b.done = b.operations()
	b.batch, b.left, b.read = batch, batch, now
}

// Spend counts one operation run, and yields if it is time to. The task being run keeps what it holds.
func (p *Processor) Spend() {
	if p.Spent() {
		p.Breathe()
	}
}

// Spent is the first part of Spend, for those who have something to do before the second one: it reports whether that is to be called, which is [Processor.Breathe].
func (p *Processor) Spent() bool {
	p.breath.left--
	return p.breath.left <= 0
}

// Breathe yields if it is time to, see [Processor.Spent].
func (p *Processor) Breathe() {
	if p.letDriverChoose() { // each time: no time passes, so the count is never more than one
		return
	}
	b := &p.breath
	now := time.Since(epoch)
	if b.rested {
		b.rested, b.busy = false, now
	}
	b.begin(nextBatch(b.batch, now-b.read), now)
	if now-b.taken < breathAfter && !b.eager {
		return
	}
	b.eager = false
	p.counters.pauses.Add(1)
	b.read = p.letRun(now)
	p.counters.pauses.Add(1)
	b.taken = b.read
	b.fresh = true // whoever had a turn now may have sent something
}

// letRun lets other goroutines run, and has Go poll the network if it is time to. It returns the time.
func (p *Processor) letRun(now time.Duration) time.Duration {
	switch all := p.scheduler.census.allAwake(); {
	case !all && p.breaths()%deepBreath != 0:
		yield.Local()
	case all && p.pollDue(now, p.breath.busy):
		return p.poll(now)
	default:
		runtime.Gosched()
	}
	later := time.Since(epoch)
	if later-now < emptyYield {
		return later
	}
	hasten(later)
	if p.givesWayToAll() {
		return p.poll(later)
	}
	return later
}

// hurry has the processor yield after its next operation.
func (b *breath) hurry() {
	b.eager = true
	if unrun := b.left - 1; unrun > 0 {
		b.batch -= unrun
		b.left -= unrun
	}
}

// breaths returns how often the processor has yielded, or begun to. Any goroutine.
func (p *Processor) breaths() uint64 { return (p.counters.pauses.Load() + 1) / 2 }

// nextBatch returns how many operations to run before the clock is read again, if the last batch took that long.
func nextBatch(batch int, took time.Duration) int {
	const goal = breathAfter / 2
	if took <= goal/2 {
		return min(2*batch, mostUnread)
	}
	return min(max(1, int(int64(batch)*int64(goal)/int64(took))), mostUnread)
}
