package complaints_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// The complaints of users of other libraries, each with the test that shows that freerun does not
// share it. Tests marked with * are in this folder, in this order; the others are beside the code
// that they test.
//
//	entities
//	protoactor-go#795    A calls B calls A: deadlock
//	    TestComplaintCallBack*, TestCycleOfMany
//	protoactor-go#1145   data race on a future
//	    TestComplaintFutureShared*, with -race
//	protoactor-go#838    a round trip 4 times as slow
//	    time, so no test: TestSendAllocatesOnce has the part that can be counted
//	protoactor-go#403    a mailbox that drops burns CPU
//	    TestComplaintRefusingMailboxRests*
//	hollywood#173        wake-up lost between pop and idle
//	    TestComplaintLastPopAndIdle*, TestNoWakeUpIsLost; all orders: queue.TestExploreMailbox
//	hollywood#43         actors that ended leak
//	    TestComplaintWhatEndedIsCollected*
//	hollywood#159        handler swapped mid-message
//	    TestComplaintRestartIsWhole*
//	hollywood#197        too many restarts end the process
//	    TestRestartOnPanic: they stop the unit, and its senders are told
//	ergo#94, #96         a mailbox drops silently
//	    TestComplaintNothingIsDroppedSilently*, TestMailboxRefuses, TestMailboxRefusesLate
//	ergo#21              a call and a full mailbox freeze
//	    TestComplaintCallsIntoFullMailboxes*, TestMailboxRings, TestHeldBackForMulti
//	goakt                Ask blocks a worker of the pool
//	    TestComplaintAskBlocksNoProcessor*, TestWouldBlock
//	goakt#895            a killed actor keeps its mailbox
//	    TestComplaintStoppedUnitKeepsNoMail*
//	goakt#412            10 times as slow after an upgrade
//	    time, so no test: the gate of the benchmarks looks for it
//
//	pools
//	pond#116, ants#312   same key, same worker
//	    a unit for each key: TestExclusion, TestOrderFromOutside
//	pond#50, go#51071    priorities
//	    TestPriorityWithinAUnit, TestPriorityStarvesNobody, TestMixedStress
//	ants#197, pond#56    nested submit and wait: deadlock
//	    TestComplaintNestedSubmitAndWait*, TestJoinDeep
//	pond#138             cancel with tasks queued: deadlock
//	    TestComplaintCancelWithThousandsQueued*, TestScopeCancel
//	pond#94              a panic without a stack
//	    TestPanic, TestJoinStolenPanics
//
//	containers
//	xsync SPSCQueue      consumer reads the producer's line
//	    where a line lies is not seen by a test: `freerun bench queues` has what it costs
//	xsync MPMCQueue      says "full" with most places free
//	    TestComplaintNoFalseFull*; all orders: queue.TestExploreBounded
//	xsync UMPSCQueue     keeps items alive
//	    TestComplaintContainersKeepNothing*, queue.TestBoundedKeepsNothing
//	xsync UMPSCQueue     has only a Dequeue that waits
//	    all have TryDequeue: TestComplaintContainersKeepNothing* calls it
//	gopkg lscq           a data race reported where none is
//	    all tests of queue run with -race
//	go-datastructures#150  a Get that waits burns a core
//	    queue.TestWaitingWaits, queue.TestSynchronousWaits: durably blocked in a bubble
//	lfq, ZenQ, …         lost items, ABA
//	    queue.TestExplore…
//
//	beyond Go
//	rayon#592, #957      short join behind a stolen long job
//	    TestJoinShort, TestExploreHelping
//	tokio#4730, #6353    a blocked task wedges its queue
//	    TestComplaintBlockedWedgesNothing*, TestBlockCostsNoParallelism
//	tokio#2349, #5712    the LIFO slot starves others
//	    TestSlotStarvesNobody, sched.TestFairness, sched.TestFairnessOfPingPong
//	rayon#642            200% CPU at one task a millisecond
//	    TestComplaintOneTaskAMillisecond*
//	tokio#2314           drain that waits for its deadline
//	    TestComplaintDrainEndsWithTheWork*
//	Verona               when(a, b) spins
//	    TestComplaintSeveralUnitsRest*
//	asio#147             strands share mutexes
//	    TestComplaintUnitsShareNoLock*

// party is the state of one of two units that call each other.
type party struct {
	other *freerun.Unit[party]
	calls int
}

var callOther = freerun.Op[party, int, int]("callOther", nil)

var _ = freerun.Define(callOther, func(c *freerun.Context, p *party, left int) (int, error) {
	p.calls++
	if left == 0 {
		return 0, nil
	}
	answer := callOther.Send(c, p.other, left-1)
	return freerun.Forward(c, freerun.Then(c, answer, func(_ *freerun.Context, n int) (int, error) { return n + 1, nil }))
})

func newParties(t *testing.T, rt *freerun.Runtime, options ...freerun.UnitOption) (a, b *freerun.Unit[party]) {
	t.Helper()
	a = freerun.NewUnit(rt, party{}, options...)
	b = freerun.NewUnit(rt, party{other: a}, options...)
	runtimetest.Must(t, freerun.Do(rt.Context(), a, func(_ *freerun.Context, p *party) (int, error) { p.other = b; return 0, nil }))
	return a, b
}

// TestComplaintCallBack, protoactor-go#795: A calls B, which calls A back. That deadlocks where a
// call keeps its actor waiting. Here calls go to and fro, a thousand deep and from both sides at
// once.
func TestComplaintCallBack(t *testing.T) {
	const deep, calls = 1000, 10
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		a, b := newParties(t, rt)
		var answers []freerun.Future[int]
		for range calls {
			answers = append(answers, callOther.Send(rt.Context(), a, deep), callOther.Send(rt.Context(), b, deep))
		}
		for _, f := range answers {
			if n := runtimetest.Must(t, f); n != deep {
				t.Fatalf("%d of %d calls were answered", n, deep)
			}
		}
	})
}

// TestComplaintFutureShared, protoactor-go#1145: many goroutines use one future in all ways while
// it is resolved. There is no data race. All see the same outcome, and all writes before it.
func TestComplaintFutureShared(t *testing.T) {
	boom := errors.New("boom")
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	pass := func(_ *freerun.Context, p *[4]int) (*[4]int, error) { return p, nil }
	for round := range 100 {
		fails := round%4 == 0
		var begin, all sync.WaitGroup
		begin.Add(1)
		f := freerun.Go(rt.Context(), func(c *freerun.Context) (*[4]int, error) {
			begin.Wait()
			p := new([4]int)
			p[3] = round
			if fails {
				return nil, boom
			}
			return p, nil
		})
		ways := map[string]func() (*[4]int, error){
			"Wait": func() (*[4]int, error) { return f.Wait(runtimetest.Within(t)) },
			"Done": func() (*[4]int, error) { <-f.Done(); return f.Result() },
			"Result": func() (*[4]int, error) {
				for {
					if p, err := f.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
						return p, err
					}
					runtime.Gosched()
				}
			},
			"Then":     func() (*[4]int, error) { return freerun.Then(rt.Context(), f, pass).Wait(runtimetest.Within(t)) },
			"argument": func() (*[4]int, error) { return shareFuture.Send(rt.Context(), f).Wait(runtimetest.Within(t)) },
			"Forward": func() (*[4]int, error) {
				return freerun.Go(rt.Context(), func(c *freerun.Context) (*[4]int, error) { return freerun.Forward(c, f) }).Wait(runtimetest.Within(t))
			},
		}
		for name, way := range ways {
			for range 2 {
				all.Go(func() {
					if p, err := way(); fails != (err != nil) || fails != errors.Is(err, boom) || !fails && p[3] != round {
						t.Errorf("%s: %v, %v", name, p, err)
					}
				})
			}
		}
		begin.Done()
		all.Wait()
	}
}

var shareFuture = freerun.FreeOp("shareFuture", func(_ *freerun.Context, f freerun.Future[*[4]int]) (*[4]int, error) { return f.Value(), nil })

// checkRests calls do in a bubble and lets an hour of the bubble's time go by. It fails the test if
// that hour moved any figure of any processor: a step, a search for work, a wake-up. The bubble's
// clock only advances while all its goroutines sleep, so a goroutine that spins makes the test
// hang.
func checkRests(t *testing.T, rt *freerun.Runtime, while string, do func()) {
	t.Helper()
	synctest.Wait()
	before := rt.Stats()
	do()
	synctest.Wait()
	time.Sleep(time.Hour)
	synctest.Wait()
	if after := rt.Stats(); !slices.Equal(before.Processors, after.Processors) {
		t.Errorf("processors did something %s:\n%+v, later\n%+v", while, before.Processors, after.Processors)
	}
}

// TestComplaintRefusingMailboxRests, protoactor-go#403: messages that a full mailbox refuses wake
// no processor and start no search for work. Neither does the unit with the full mailbox.
func TestComplaintRefusingMailboxRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, refused = 3, 1000
		rt, _ := runtimetest.Start(t, freerun.Processors(4))
		g := runtimetest.NewGate()
		u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(most, freerun.Reject))
		freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) { c.Block(g.Pass); return 0, nil })
		<-g.Entered
		for range most {
			if err := runtimetest.AddOne.Tell(rt.Context(), u, 1); err != nil {
				t.Fatal(err)
			}
		}
		checkRests(t, rt, "for messages that were refused", func() {
			for range refused {
				if err := runtimetest.AddOne.Tell(rt.Context(), u, 1); !errors.Is(err, freerun.ErrFull) {
					t.Errorf("a message without room: %v", err)
				}
			}
		})
		close(g.Opened)
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != most {
			t.Errorf("%d messages were run of %d", n, most)
		}
		checkRests(t, rt, "with nothing left to do", func() {})
	})
}

// TestComplaintLastPopAndIdle, hollywood#173: a message that arrives between the unit's last look
// into its mailbox and its going idle is run. The sender spins until the operation has begun, so
// that the next message arrives just when the unit has nothing left.
func TestComplaintLastPopAndIdle(t *testing.T) {
	const rounds = 15_000
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		var came atomic.Int64
		u := freerun.NewUnit(rt, &came)
		ctx := runtimetest.Within(t)
		for i := range int64(rounds) {
			if err := countUp.Tell(rt.Context(), u, i); err != nil {
				t.Fatal(err)
			}
			for tries := 1; came.Load() <= i; tries++ {
				if tries%100 != 0 {
					continue
				}
				if runtime.Gosched(); ctx.Err() != nil {
					t.Fatalf("message %d was not run", i)
				}
			}
			for range i % 50 { // the delay varies, so that the message arrives at different moments
				came.Load()
			}
		}
	})
}

var countUp = freerun.Op("countUp", func(_ *freerun.Context, n **atomic.Int64, _ int64) (int, error) { (*n).Add(1); return 0, nil })
