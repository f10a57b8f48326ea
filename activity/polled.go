package activity

import (
	"time"

	_ "github.com/freerun-go/freerun/activity/poll" // so that it is where this package is vendored
	"github.com/freerun-go/freerun/internal/pollpoint"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/beat"
	"github.com/freerun-go/freerun/internal/sys/blockhook"
)

// Sketch:     a poll is in code that has no activity in reach, and finds out who runs only while a
//             beat is set, about once in a millisecond. The processor of an activity yields once a
//             beat
//             nobody counts the processors that have still to see a beat: it is taken back by the
//             first poll that comes some microseconds after the first. Until then each poll of
//             each goroutine finds out who runs. A processor that has missed a beat sees the next
// Invariants: Q1 While activities of such a program run, beats come: who comes to run keeps them
//             coming, and so does each that polls.
//             Q2 An activity yields at a poll only where it may: it has a processor, is not locked
//             to its thread, holds no P of Go's, and no code of freerun relies on what runs (U2).
//             In a deterministic runtime, which counts checks alone, it does not.
//             An activity with n calls on its stack looks at them once in n/512 beats.
//             Q3 An activity does not end at a poll: code that knows nothing of activities may hold
//             a lock there. It ends where it next waits or yields by itself.
// Checked by: of package main TestPollsShare

// seenFor is how long a beat is set after the first poll has seen it. It is far longer than code
// runs between two polls.
const seenFor = 20 * time.Microsecond

func init() { pollpoint.Due = polled }

// seen is the beat that was seen last, and when it was seen first.
var seen struct {
	beat  atomics.Uint32
	since atomics.Uint64 // after epoch, in nanoseconds
}

var epoch = time.Now()

// polled is called at a poll while beat n is set.
func polled(n uint32) {
	if st := currentStack(); st != nil && st.seesBeat(n) {
		if st.passes > 0 {
			st.passes--
		} else {
			user, depth := runsUser(performs, 1)
			st.passes = uint8(depth / deep)
			if a := st.activity.Load(); user && !a.closing() {
				st.yield(a)
			}
		}
	}
	endBeat(n)
}

// deep is the number of calls on a stack for which one beat passes after a poll has looked at them:
// so a deep recursion spends some percent of its time on that, and yields less often.
const deep = 512

// seesBeat reports whether the activity that runs on the stack may yield, and its processor has not
// seen beat n yet. More beats come then.
func (st *stack) seesBeat(n uint32) bool {
	p := st.co.Processor()
	if p == nil || p.Driven() || st.co.Locked() || blockhook.Pinned() || !p.SeesBeat(n) {
		return false
	}
	beat.Keep()
	return true
}

// endBeat takes beat n back once it was set for long enough.
func endBeat(n uint32) {
	switch now := uint64(time.Since(epoch)); {
	case seen.beat.Load() != n:
		seen.since.Store(now)
		seen.beat.Store(n)
	case now-seen.since.Load() > uint64(seenFor):
		pollpoint.Word.CompareAndSwap(n, 0)
	}
}
