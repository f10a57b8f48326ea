package sched

import (
	"runtime"
	"time"

	"github.com/freerun-go/freerun/internal/yield"
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

// breath decides when a processor yields. It reads the clock after as many operations as took about half of breathAfter lately.
type breath struct {
	left, batch int
	fresh       bool // it has yielded, and not looked at the inbox since
	origin      time.Time
	read, taken time.Duration // the clock when it was read last, and after the last yield, since origin
}

func newBreath() breath { return breath{left: 1, batch: 1, origin: time.Now()} }

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
	now := time.Since(b.origin)
	b.batch = nextBatch(b.batch, now-b.read)
	b.left, b.read = b.batch, now
	if now-b.taken < breathAfter {
		return
	}
	p.counters.breaths.Add(1)
	if !p.scheduler.census.allAwake() && p.counters.breaths.Load()%deepBreath != 0 {
		yield.Local()
	} else {
		runtime.Gosched()
	}
	b.read = time.Since(b.origin)
	b.taken = b.read
	b.fresh = true // whoever had a turn now may have sent something
}

// nextBatch returns how many operations to run before the clock is read again, if the last batch took that long.
func nextBatch(batch int, took time.Duration) int {
	const goal = breathAfter / 2
	if took <= goal/2 {
		return min(2*batch, mostUnread)
	}
	return min(max(1, int(int64(batch)*int64(goal)/int64(took))), mostUnread)
}
