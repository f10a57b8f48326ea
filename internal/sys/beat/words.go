package beat

import (
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/pollpoint"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Sketch:     Keep:  if left is not above least
//                        swap most into left; if that was 0, start
//             start: wake the thread by futex; or make it, if there was none yet; or make a
//                    goroutine, if there can be no thread
//             beat:  sleep 1 ms; number the beat; if the word is 0, store the number in it
//                    subtract 1 from left; while that is 0, sleep in futex; repeat
// Invariants: B1 left counts the beats that are still wanted. Keep raises it, and what beats lowers
//             it, by 1, and only while it is above 0.
//             B2 left leaves 0 only by a swap of Keep, and that Keep starts. So there is one start
//             for each time that left comes down to 0.
//             B3 While left is above 0, one thread or one goroutine beats, or its start is under
//             way.
//             B4 No wake-up is lost. The kernel compares left with 0 under the lock of the futex's
//             queue: if the swap came before, the thread does not sleep; if it came later, the
//             wake-up after the swap finds the thread in the queue.
//             B5 A wake-up that comes late, when the thread is awake or sleeps again, does nothing:
//             the thread looks at left.
//             B6 The identity of the thread is stored before the thread runs, by the kernel. By B2
//             there is no later start before that thread has beaten, so that start finds it.
//             B7 The word leaves 0 only by a beat, and becomes 0 only by a reader.
//             B8 latest is written by what beats alone, and is not 0 after a beat.
//             Not invariant: that the thread is awake when Keep returns. Another Keep that found
//             left at 0 may be about to wake it.
//             Not invariant, once: that beats come after Keep, when the system begins to refuse the
//             thread its calls. The next Keep has a goroutine beat.
// Progress:   Keep and the beats do not wait for each other. A Keep that is preempted between its
//             swap and its start delays the beats for all, until it runs again.
// Cost:       Keep: one load; an exchange once in 28 beats. A beat: one system call of the thread.
// Checked by: TestComesAgain, TestSleeps, TestWakes, TestBusy, TestThread, TestStorm, TestRefused

// word is the word that beats set.
var word = &pollpoint.Word.Uint32

var (
	left   padded // the number of beats that are still wanted
	latest padded // the number of the latest beat
)

// padded is a word in cache lines of its own: what is polled often is beside nothing that others
// write.
type padded struct {
	_ pad.Line
	atomic.Uint32
	_ pad.Line
}
