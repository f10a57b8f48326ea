package sched

import (
	"time"

	"github.com/freerun-go/freerun/internal/sys/yield"
)

// A task that ends a wait of an ordinary goroutine makes it ready: Go puts the goroutine into the
// queue of the P on which the processor runs. There it waits until the processor yields. That would
// be YieldAfter, dozens of times as long as the task has taken. So the processor yields for it
// before its next operation.
//
// Such yields come each answerEvery at most. One that is asked for sooner is made then, unless a
// yield that is due by time comes before. So callers that ask without end have a known share of the
// processor's time: a yield takes some 0.3 µs beside what the goroutine does.
//
// ADR 97 has figures.

// answerEvery is the least time between two yields for goroutines that were woken.
const answerEvery = 5 * time.Microsecond

// YieldForWoken is called when the running task has made an ordinary goroutine ready that waited
// for its outcome. The processor yields before its next operation, or soon. By the running task
// only.
func (p *Processor) YieldForWoken() {
	p.yieldTimer.woke = true
	p.yieldTimer.lookSoon(1)
}

// answer yields for a goroutine that was woken, or, if that has just been done, has the processor
// do so soon. It does neither if another P is idle: that takes the goroutine, and would take the
// processor's after the yield. Nor if other goroutines had the P for long: they and the processor
// take turns (keepFor).
func (p *Processor) answer(now time.Duration) {
	y := &p.yieldTimer
	switch {
	case p.scheduler.census.awake() < y.gomaxprocs || y.yieldAfter > YieldAfter:
		y.woke = false
	case now-y.answeredAt < answerEvery:
		y.lookSoon(max(1, int(int64(y.batch)*int64(answerEvery)/int64(YieldAfter/2))))
	default:
		y.woke = false
		p.counters.pauses.Add(1)
		yield.Local()
		p.counters.pauses.Add(1)
		y.answeredAt = time.Since(epoch)
		y.readAt = y.answeredAt
		y.inboxFirst = true // the goroutine may have injected a task
	}
}
