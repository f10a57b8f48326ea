package freerun_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Operations that only look.

var lookAt = freerun.ReadOp("lookAt", func(_ *freerun.Context, n *int, add int) (int, error) { return *n + add, nil })

func TestRead(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	u := freerun.NewUnit(rt, 1)
	if v := runtimetest.Must(t, freerun.Read(c, u, func(_ *freerun.Context, n *int) (int, error) { return *n, nil })); v != 1 {
		t.Error(v)
	}
	runtimetest.AddOne.Tell(c, u, 4)
	f := lookAt.Send(c, u, 10)
	runtimetest.AddOne.Tell(c, u, 5)
	g := lookAt.Send(c, u, 100)
	if v, w := runtimetest.Must(t, f), runtimetest.Must(t, g); v != 15 || w != 110 {
		t.Error(v, w)
	}
	if n := u.Stats().Operations; n != 5 {
		t.Errorf("%d operations", n)
	}
	other, _ := runtimetest.Start(t)
	if _, err := lookAt.Send(other.Context(), u, 1).Result(); !errors.Is(err, freerun.ErrOtherRuntime) {
		t.Error(err)
	}
	late := freerun.Go(c, func(*freerun.Context) (int, error) { return 7, nil })
	if v := runtimetest.Must(t, lookLater.Send(c, u, late)); v != 17 {
		t.Error(v)
	}
	if n := allocations(func() {
		for f := lookAt.Send(c, u, 1); ; runtime.Gosched() {
			if _, err := f.Result(); err != freerun.ErrWouldBlock {
				return
			}
		}
	}); n > 1 {
		t.Errorf("%v allocations per Send", n)
	}
}

var lookLater = freerun.ReadOp("lookLater", func(_ *freerun.Context, n *int, f freerun.Future[int]) (int, error) {
	return *n + f.Value(), nil
})

// TestReadersOverlap has two readers each wait for the other. In even rounds the first one is
// alone when it starts; in odd rounds the second one is behind it in the mailbox.
func TestReadersOverlap(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	u := freerun.NewUnit(rt, 0)
	meet := func(mine, others chan struct{}) func(*freerun.Context, *int) (int, error) {
		return func(_ *freerun.Context, n *int) (int, error) {
			close(mine)
			<-others
			return *n, nil
		}
	}
	for round := range 100 {
		x, y := make(chan struct{}), make(chan struct{})
		var f, g freerun.Future[int]
		if round%2 == 0 {
			f = freerun.Read(c, u, meet(x, y))
			<-x
			g = freerun.Read(c, u, meet(y, x))
		} else {
			gate := runtimetest.NewGate()
			freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { gate.Pass(); return 0, nil })
			<-gate.Entered
			f, g = freerun.Read(c, u, meet(x, y)), freerun.Read(c, u, meet(y, x))
			close(gate.Opened)
		}
		runtimetest.Must(t, f)
		runtimetest.Must(t, g)
	}
}

// TestReadersAndWriters: no writer runs beside another operation. A reader sees exactly the writes
// that its sender has sent before it. So readers and writers of one sender do not pass one another.
func TestReadersAndWriters(t *testing.T) {
	const senders, each = 4, 4000
	for _, processors := range []int{1, 2, 4} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		c := rt.Context()
		type state struct {
			written [senders]int
		}
		units := [2]*freerun.Unit[state]{freerun.NewUnit(rt, state{}), freerun.NewUnit(rt, state{})}
		var inside [2]atomic.Int32 // a reader adds one, a writer a thousand
		var wrong, overlaps atomic.Int64
		write := func(s int, of ...int) func(*freerun.Context, []*state) (int, error) {
			return func(_ *freerun.Context, states []*state) (int, error) {
				for i, st := range states {
					if inside[of[i]].Add(1000) != 1000 {
						wrong.Add(1)
					}
					st.written[s]++
				}
				for _, u := range of {
					inside[u].Add(-1000)
				}
				return 0, nil
			}
		}
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				var sent [2]int
				for i := range each {
					u := (s + i/7) % 2
					switch {
					case i%5 == 0:
						freerun.WhenAll(c, []*freerun.Unit[state]{units[u], units[1-u]}, write(s, u, 1-u))
						sent[0]++
						sent[1]++
					case i%3 == 0:
						freerun.WhenAll(c, units[u:u+1], write(s, u))
						sent[u]++
					default:
						want := sent[u]
						freerun.Read(c, units[u], func(_ *freerun.Context, st *state) (int, error) {
							if n := inside[u].Add(1); n > 1000 {
								wrong.Add(1)
							} else if n > 1 {
								overlaps.Add(1)
							}
							if st.written[s] != want {
								wrong.Add(1)
							}
							inside[u].Add(-1)
							return 0, nil
						})
					}
				}
			})
		}
		wg.Wait()
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		if n := wrong.Load(); n != 0 {
			t.Errorf("%d processors: %d times wrong", processors, n)
		}
		t.Logf("%d processors: %d readers met others", processors, overlaps.Load())
		if s := rt.Stats(); s.Sent != s.Done || s.Failed != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// TestReadersCrash: a reader that panics, or ends its goroutine, leaves the unit to others.
func TestReadersCrash(t *testing.T) {
	const rounds = 200
	for _, processors := range []int{1, 3} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		c := rt.Context()
		u := freerun.NewUnit(rt, 0)
		var readers []freerun.Future[int]
		for i := range rounds {
			for k := range i % 4 {
				readers = append(readers, freerun.Read(c, u, func(_ *freerun.Context, n *int) (int, error) {
					switch (i + k) % 3 {
					case 0:
						panic("boom")
					case 1:
						runtime.Goexit()
					}
					return *n, nil
				}))
			}
			runtimetest.AddOne.Tell(c, u, 1)
		}
		for _, f := range readers {
			_, err := f.Wait(runtimetest.Within(t))
			var p *freerun.PanicError
			if err != nil && !errors.As(err, &p) {
				t.Error(err)
			}
		}
		if v := runtimetest.Must(t, lookAt.Send(c, u, 0)); v != rounds {
			t.Errorf("%d of %d written", v, rounds)
		}
		if s := rt.Stats(); s.Sent != s.Done || s.Lost != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// TestReadersUnderClose: each message was run or failed with ErrClosed.
func TestReadersUnderClose(t *testing.T) {
	const senders, each = 3, 1000
	for round := range 10 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		u := freerun.NewUnit(rt, 0)
		var okay, closed atomic.Int64
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				var futures []freerun.Future[int]
				for i := range each {
					if i%4 == s {
						futures = append(futures, runtimetest.AddOne.Send(rt.Context(), u, 1))
					} else {
						futures = append(futures, lookAt.Send(rt.Context(), u, 1))
					}
					if s == 0 && i == 90*(round+1) {
						go rt.Close()
					}
				}
				for _, f := range futures {
					switch _, err := f.Wait(runtimetest.Within(t)); {
					case err == nil:
						okay.Add(1)
					case errors.Is(err, freerun.ErrClosed):
						closed.Add(1)
					default:
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		rt.Close()
		if okay.Load()+closed.Load() != senders*each {
			t.Fatalf("%d and %d of %d", okay.Load(), closed.Load(), senders*each)
		}
		if s := rt.Stats(); s.Sent != s.Done {
			t.Errorf("%+v", s)
		}
	}
}
