package freerun_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// slowly is an operation that takes as long as its argument says, and keeps its processor.
var slowly = freerun.Op("slowly", func(_ *freerun.Context, _ *int, d time.Duration) (int, error) {
	time.Sleep(d)
	return 0, nil
})

// slowlyBlocked is slowly, but leaves its processor meanwhile.
var slowlyBlocked = freerun.Op("slowlyBlocked", func(c *freerun.Context, _ *int, d time.Duration) (int, error) {
	c.Block(func() { time.Sleep(d) })
	return 0, nil
})

// TestFloodOfSlowOperations: the number of messages that senders without a pause pile up in ten
// seconds has a bound, however long the operations take. The bound is small for operations whose
// length the runtime can learn soon. The seconds are those of a synctest bubble.
func TestFloodOfSlowOperations(t *testing.T) {
	const size = 8 + 4*unsafe.Sizeof(uintptr(0)) // bytes of a tellMessage with a Duration
	const few, bound = 40_000, 32 << 20 / int64(size)
	for _, test := range []struct {
		takes time.Duration
		most  int64
	}{
		{100 * time.Microsecond, few},
		{time.Millisecond, few},
		{5 * time.Millisecond, few},
		{20 * time.Millisecond, few},
		{300 * time.Millisecond, bound},
		{4 * time.Second, bound},
	} {
		for _, senders := range []int{1, 2} {
			for _, op := range []*freerun.Operation[int, time.Duration, int]{slowly, slowlyBlocked} {
				t.Run(fmt.Sprintf("%v/senders=%d/blocked=%t", test.takes, senders, op == slowlyBlocked), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						rt, _ := runtimetest.Start(t, freerun.Processors(2))
						u := freerun.NewUnit(rt, 0)
						var told atomic.Int64
						most := int64(0)
						var wg sync.WaitGroup
						for i := range senders {
							wg.Go(func() {
								begin := time.Now()
								for own := 0; time.Since(begin) < 10*time.Second; own++ {
									if err := op.Tell(rt.Context(), u, test.takes); err != nil {
										t.Error(err)
									}
									if n := told.Add(1); i == 0 && own%16 == 0 {
										most = max(most, n-int64(u.Stats().Operations))
									}
								}
							})
						}
						wg.Wait()
						t.Logf("at most %d ahead, of %d", most, told.Load())
						_ = rt.Close()
						time.Sleep(test.takes) // the operation that runs
						if most > test.most {
							t.Errorf("%d messages are ahead of the receiver, want at most %d", most, test.most)
						}
					})
				})
			}
		}
	}
}

// TestFloodWithoutStripes: senders on Ps without a stripe are held back like others.
func TestFloodWithoutStripes(t *testing.T) {
	const most = 40_000
	synctest.Test(t, func(t *testing.T) {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		freerun.WithoutStripes(rt)
		u := freerun.NewUnit(rt, 0)
		begin, told := time.Now(), 0
		for ; time.Since(begin) < 5*time.Second; told++ {
			if err := slowly.Tell(rt.Context(), u, time.Millisecond); err != nil {
				t.Fatal(err)
			}
			if n := told - int(u.Stats().Operations); n > most {
				t.Fatalf("%d messages are ahead of the receiver, want at most %d", n, most)
			}
		}
	})
}

// TestFloodThatTheReceiverWaitsFor: a sender gets through many messages to a unit that begins no
// operation before the sender has ended. The unit's operation waits, in Block or with its
// processor; other units are idle, run the same operation, or run another one.
func TestFloodThatTheReceiverWaitsFor(t *testing.T) {
	const messages = 300_000
	for _, blocked := range []bool{true, false} {
		for _, others := range []string{"idle", "same operation", "another operation"} {
			t.Run(fmt.Sprintf("blocked=%t, others=%s", blocked, others), func(t *testing.T) {
				rt, _ := runtimetest.Start(t, freerun.Processors(2))
				u, other := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
				g := runtimetest.NewGate()
				freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
					if blocked {
						c.Block(g.Pass)
					} else {
						g.Pass()
					}
					return 0, nil
				})
				<-g.Entered
				var wg sync.WaitGroup
				stop := make(chan struct{})
				defer wg.Wait()
				defer close(stop)
				if others != "idle" {
					wg.Go(func() {
						for {
							select {
							case <-stop:
								return
							default:
							}
							if others == "same operation" {
								_ = runtimetest.AddOne.Tell(rt.Context(), other, 1)
							} else {
								_ = slowly.Tell(rt.Context(), other, 10*time.Microsecond)
							}
						}
					})
				}
				for range messages {
					if err := runtimetest.AddOne.Tell(rt.Context(), u, 1); err != nil {
						t.Fatal(err)
					}
				}
				close(g.Opened)
				if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != messages {
					t.Errorf("%d of %d messages", n, messages)
				}
			})
		}
	}
}

// TestFloodOfMessagesThatWait: a sender gets through many messages although the unit runs none of
// them, but runs others all the time. The sender's messages wait for a future that the sender
// resolves at the end.
func TestFloodOfMessagesThatWait(t *testing.T) {
	const messages = 100_000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	g := runtimetest.NewGate()
	f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { c.Block(g.Pass); return 1, nil })
	<-g.Entered
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0))
			}
		}
	})
	for range messages {
		if err := addWhenKnown.Tell(rt.Context(), u, f); err != nil {
			t.Fatal(err)
		}
	}
	close(g.Opened)
	close(stop)
	wg.Wait()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != messages {
		t.Errorf("%d of %d messages", n, messages)
	}
}

// addWhenKnown adds the result of a future.
var addWhenKnown = freerun.Op("addWhenKnown", func(_ *freerun.Context, sum *int, f freerun.Future[int]) (int, error) {
	*sum += f.Value()
	return *sum, nil
})
