package freerun_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// diary is the state of a unit that writes down each message, and the priority it came with.
type diary struct{ entries []string }

var note = freerun.Op("note", func(c *freerun.Context, d *diary, text string) (int, error) {
	d.entries = append(d.entries, fmt.Sprint(c.Priority(), " ", text))
	return len(d.entries), nil
})

// entriesOf returns the entries of the diary, when all else is done.
func entriesOf(t *testing.T, rt *freerun.Runtime, u *freerun.Unit[diary]) []string {
	t.Helper()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	return runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, d *diary) ([]string, error) { return d.entries, nil }))
}

// TestPriorityWithinAUnit: a higher priority overtakes, and each priority is run in the order
// sent, whether the unit has its priority mailboxes already or not.
func TestPriorityWithinAUnit(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, diary{})
	for round := range 3 {
		g := runtimetest.NewGate()
		freerun.Do(rt.Context(), u, func(_ *freerun.Context, d *diary) (int, error) { g.Pass(); d.entries = nil; return 0, nil })
		<-g.Entered
		var want []string
		for i := range 4 {
			for _, p := range slices.Backward(runtimetest.Priorities) {
				note.Tell(rt.Context().WithPriority(p), u, fmt.Sprint(i))
			}
		}
		for _, p := range runtimetest.Priorities {
			for i := range 4 {
				want = append(want, fmt.Sprint(p, " ", i))
			}
		}
		close(g.Opened)
		// A turn of a lower priority may come in between; within one priority, nothing does.
		got := entriesOf(t, rt, u)
		for _, p := range runtimetest.Priorities {
			of := func(s string) bool { return s[:3] != p.String()[:3] }
			if g, w := slices.DeleteFunc(slices.Clone(got), of), slices.DeleteFunc(slices.Clone(want), of); !slices.Equal(g, w) {
				t.Errorf("round %d: %v", round, g)
			}
		}
		if first := got[:3]; !slices.Equal(first, want[:3]) {
			t.Errorf("round %d: first come %v of %v", round, first, got)
		}
		if last := got[len(got)-3:]; !slices.Equal(last, want[len(want)-3:]) {
			t.Errorf("round %d: last come %v of %v", round, last, got)
		}
	}
	if n := u.Stats().Operations; n != 3*(16+2) {
		t.Errorf("%d operations", n)
	}
}

var noteNext = freerun.FreeOp("noteNext", func(c *freerun.Context, u *freerun.Unit[diary]) (int, error) {
	return 0, note.Tell(c, u, "next")
})

// TestPriorityIsKept: a message has the priority of the operation that sends it, unless the
// receiving unit has a priority of its own.
func TestPriorityIsKept(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	s := rt.Scope(t.Context())
	defer s.Cancel(nil)
	u, own := freerun.NewUnit(rt, diary{}), freerun.NewUnit(rt, diary{}, freerun.UnitPriority(freerun.Low))
	for _, p := range runtimetest.Priorities {
		for _, c := range []*freerun.Context{rt.Context(), s.Context()} {
			noteNext.Tell(c.WithPriority(p), u)
			noteNext.Tell(c.WithPriority(p), own)
		}
		runtimetest.Must(t, freerun.Go(rt.Context().WithPriority(p), func(c *freerun.Context) (int, error) {
			if c.WithPriority(p) != c || c.WithPriority(freerun.High).WithPriority(p) != c || c.WithScope(s).Priority() != p || c.WithScope(s).WithPriority(freerun.High).Scope() != s {
				t.Errorf("%v: derived contexts", p)
			}
			noteNext.Tell(c.WithPriority(freerun.Idle), u)
			return 0, nil
		}))
	}
	if err := s.Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	got := entriesOf(t, rt, u)
	slices.Sort(got)
	want := []string{
		"high next", "high next", "idle next", "idle next", "idle next", "idle next", "idle next", "idle next",
		"low next", "low next", "normal next", "normal next",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for _, e := range entriesOf(t, rt, own) {
		if e != "low next" {
			t.Errorf("a unit of Low: %v", e)
		}
	}
	after := runtimetest.Must(t, freerun.Do(rt.Context(), own, func(c *freerun.Context, _ *diary) (freerun.Priority, error) { return c.Priority(), nil }))
	if after != freerun.Low {
		t.Errorf("a unit of Low runs with %v", after)
	}
}

// TestPriorityBoost: a unit that lies in the queue of Low behind a flood of Normal runs soon when
// a message of High comes for it.
func TestPriorityBoost(t *testing.T) {
	const flood = 2000
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	var ran atomic.Int64
	u := freerun.NewUnit(rt, 0)
	freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	at := func(c *freerun.Context) freerun.Future[int64] {
		return freerun.Do(c, u, func(*freerun.Context, *int) (int64, error) { return ran.Load(), nil })
	}
	low := at(rt.Context().WithPriority(freerun.Low))
	for range flood {
		freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { ran.Add(1); return 0, nil })
	}
	high := at(rt.Context().WithPriority(freerun.High))
	close(g.Opened)
	if n := runtimetest.Must(t, high); n > 8 {
		t.Errorf("High came after %d of Normal", n)
	}
	// Low has its turn: it does not wait for the end of the flood.
	if n := runtimetest.Must(t, low); n > flood/2 {
		t.Errorf("Low came after %d of Normal", n)
	}
	// The same holds for free operations.
	hold := runtimetest.NewGate()
	freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { hold.Pass(); ran.Store(0); return 0, nil })
	<-hold.Entered
	for range flood {
		freerun.Go(rt.Context().WithPriority(freerun.Low), func(*freerun.Context) (int, error) { ran.Add(1); return 0, nil })
	}
	free := freerun.Go(rt.Context().WithPriority(freerun.High), func(*freerun.Context) (int64, error) { return ran.Load(), nil })
	close(hold.Opened)
	if n := runtimetest.Must(t, free); n > 1 {
		t.Errorf("a free operation of High came after %d of Low", n)
	}
}

// TestPriorityInterruptsADrain: a unit with many messages, of Normal or of Low, lets work of High
// for others pass.
func TestPriorityInterruptsADrain(t *testing.T) {
	for _, options := range [][]freerun.UnitOption{nil, {freerun.UnitPriority(freerun.Low)}} {
		rt, _ := runtimetest.Start(t, freerun.Processors(1))
		u := freerun.NewUnit(rt, 0, options...)
		var ran, between atomic.Int64
		for i := range 100 {
			freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
				if ran.Add(1); i == 20 {
					sent := ran.Load()
					freerun.Go(c.WithPriority(freerun.High), func(*freerun.Context) (int, error) { between.Store(ran.Load() - sent); return 0, nil })
				}
				return 0, nil
			})
		}
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		if n := between.Load(); n > 17 {
			t.Errorf("High came after %d messages", n)
		}
	}
}

var again = freerun.Op[atomic.Bool, int, int]("again", nil)

var _ = freerun.Define(again, func(c *freerun.Context, stop *atomic.Bool, to int) (int, error) {
	if stop.Load() {
		return 0, nil
	}
	return 0, again.Tell(c, againUnits[to], to)
})

var againUnits [1]*freerun.Unit[atomic.Bool]

// TestPriorityStarvesNobody: a unit that sends itself messages of High without end still comes to
// its other messages.
func TestPriorityStarvesNobody(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	for _, p := range runtimetest.Priorities[1:] {
		u := freerun.NewUnit(rt, atomic.Bool{})
		againUnits[0] = u
		for range 3 {
			again.Tell(rt.Context().WithPriority(freerun.High), u, 0)
		}
		runtimetest.Must(t, freerun.Do(rt.Context().WithPriority(p), u, func(_ *freerun.Context, stop *atomic.Bool) (int, error) { stop.Store(true); return 0, nil }))
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
	}
}

// strict is the state of a unit that finds out whether two operations overlap, and which message
// came last from each sender with each priority.
type strict struct {
	busy int
	last [4][4]int
	seen int
}

type strictArg struct {
	sender, n int
	crash     bool
}

// TestPriorityStress sends with all priorities from many goroutines, with panics between, and
// accounts for every message.
func TestPriorityStress(t *testing.T) {
	const senders, each = 4, 1500
	rt, _ := runtimetest.Start(t, freerun.Processors(3))
	units := make([]*freerun.Unit[strict], 3)
	for i := range units {
		units[i] = freerun.NewUnit(rt, strict{})
	}
	var all sync.WaitGroup
	for sender := range senders {
		all.Go(func() {
			for n := range each {
				c := rt.Context().WithPriority(runtimetest.Priorities[(n/7+sender)%4])
				u := units[n%len(units)]
				if n%3 == 0 {
					// From inside, without order.
					freerun.Go(c, func(c *freerun.Context) (int, error) {
						return 0, strictOp.Tell(c, u, strictArg{sender: -1, crash: n%60 == 0})
					})
				}
				if err := strictOp.Tell(c, u, strictArg{sender, n + 1, n%50 == 0}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, u := range units {
		seen += runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, s *strict) (int, error) { return s.seen, nil }))
	}
	if want := senders * (each + each/3); seen != want {
		t.Errorf("%d of %d messages were run", seen, want)
	}
	if n := strictFaults.Load(); n != 0 {
		t.Errorf("%d overlapped, or came out of order", n)
	}
}

var strictFaults atomic.Int64

var strictOp = freerun.Op("strict", func(c *freerun.Context, s *strict, a strictArg) (int, error) {
	if s.busy++; s.busy != 1 {
		strictFaults.Add(1)
	}
	defer func() { s.busy-- }()
	s.seen++
	if a.sender >= 0 {
		last := &s.last[a.sender][c.Priority()]
		if a.n <= *last {
			strictFaults.Add(1)
		}
		*last = a.n
	}
	if a.crash {
		panic("as it should")
	}
	return 0, nil
})

// TestPriorityAtTheEnd: a message that lies in a priority mailbox when the runtime is closed
// fails, or is run.
func TestPriorityAtTheEnd(t *testing.T) {
	for range 20 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		u := freerun.NewUnit(rt, diary{})
		var futures []freerun.Future[int]
		for i := range 400 {
			if i == 200 {
				go rt.Close()
			}
			futures = append(futures, note.Send(rt.Context().WithPriority(runtimetest.Priorities[i%4]), u, ""))
		}
		rt.Close()
		for i, f := range futures {
			if _, err := f.Result(); err != nil && err != freerun.ErrClosed {
				t.Fatalf("message %d: %v", i, err)
			}
		}
	}
}

func TestPriorityAllocatesNothing(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	for _, p := range runtimetest.Priorities {
		if n := allocations(func() { runtimetest.AddOne.Tell(rt.Context().WithPriority(p), u, 1); awaitDone(rt) }); n != 0 {
			t.Errorf("%v: %v allocations per Tell", p, n)
		}
	}
}
