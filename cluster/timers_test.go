package cluster_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// session is a state with timers.
type session struct {
	Heard []string
	Then  string // what hear does next
}

// order says what a session does with its timers.
type order struct {
	Name  string
	After time.Duration
	Every bool
	Op    string // panics, goexits, fails; empty for one that is heard
	End   string // how the operation that sets the timer ends: as Op
}

var (
	sessions = freerun.NewKind("session", func(*freerun.Context, int) (session, error) { return session{}, nil }, cluster.Durable())
	hear     = freerun.Op[session, string, struct{}]("hear", nil)
	setTimer = freerun.Op("setTimer", func(c *freerun.Context, _ *session, o order) (struct{}, error) {
		set := cluster.TellAfter[session, string, struct{}]
		if o.Every {
			set = cluster.Every[session, string, struct{}]
		}
		if err := set(c, o.After, o.Name, hear, o.Name+o.Op); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, goesAwry(o.End)
	})
	cancelTimer = freerun.Op("cancelTimer", func(c *freerun.Context, _ *session, o order) (bool, error) {
		was, err := cluster.Cancel(c, o.Name)
		if err != nil {
			return false, err
		}
		return was, goesAwry(o.End)
	})
	setLate = freerun.Op("setLate", func(c *freerun.Context, _ *session, names []string) (struct{}, error) {
		for i, name := range names {
			if err := cluster.TellAfter(c, time.Duration(i+1)*time.Millisecond, name, hear, name); err != nil {
				return struct{}{}, err
			}
		}
		if err := cluster.Every(c, time.Hour, "zz", hear, "never"); err != nil {
			return struct{}{}, err
		}
		c.Block(func() { time.Sleep(time.Duration(len(names)+1) * time.Millisecond) })
		return struct{}{}, nil
	})
	heard     = freerun.ReadOp("heard", func(_ *freerun.Context, s *session, _ struct{}) ([]string, error) { return slices.Clone(s.Heard), nil })
	goneAwry  atomic.Int64
	errFailed = cluster.StoredError("test.errFailed", errors.New("it has failed"))
)

// goesAwry ends an operation as how says.
func goesAwry(how string) error {
	switch {
	case strings.HasSuffix(how, "panics"):
		goneAwry.Add(1)
		panic("it panics")
	case strings.HasSuffix(how, "goexits"):
		runtime.Goexit()
	case strings.HasSuffix(how, "fails"):
		return errFailed
	}
	return nil
}

func init() {
	freerun.Define(hear, func(c *freerun.Context, s *session, what string) (struct{}, error) {
		s.Heard = append(s.Heard, what)
		return struct{}{}, goesAwry(what)
	})
}

// hears waits until a session has heard n times, and returns what.
func hears(t *testing.T, rt *freerun.Runtime, key, n int) (all []string) {
	t.Helper()
	for len(all) < n {
		time.Sleep(time.Millisecond)
		all = must(t, heard.Send(rt.Context(), sessions.At(rt.Context(), key), struct{}{}))
	}
	return all
}

// TestTimers holds that timers tell once, in this process or in a later one, unless they are
// canceled or set anew, and that what undoes an operation undoes what it does to timers.
func TestTimers(t *testing.T) {
	dir := t.TempDir()
	rt, _, stop := start(t, dir)
	send := func(key int, o order) error {
		_, err := setTimer.Send(rt.Context(), sessions.At(rt.Context(), key), o).Wait(within(t))
		return err
	}
	cancels := func(key int, o order) (bool, error) {
		return cancelTimer.Send(rt.Context(), sessions.At(rt.Context(), key), o).Wait(within(t))
	}
	set := func(key int, o order) {
		t.Helper()
		if err := send(key, o); err != nil {
			t.Fatal(err)
		}
	}
	const far = time.Hour
	set(1, order{Name: "far", After: far})
	set(1, order{Name: "soon", After: time.Millisecond})
	set(1, order{Name: "now", After: -far})
	if all := hears(t, rt, 1, 2); len(all) != 2 || !slices.Contains(all, "soon") || !slices.Contains(all, "now") {
		t.Errorf("%q", all)
	}
	set(2, order{Name: "moved", After: time.Millisecond * 5})
	set(2, order{Name: "moved", After: far}) // in time, or not
	set(3, order{Name: "moved", After: far})
	set(3, order{Name: "moved", After: 0})
	hears(t, rt, 3, 1)
	set(4, order{Name: "canceled", After: far})
	if was, err := cancels(4, order{Name: "canceled", End: "panics"}); err == nil {
		t.Errorf("%v", was)
	}
	if was, err := cancels(4, order{Name: "canceled"}); !was || err != nil {
		t.Errorf("%v, %v: the first one was undone", was, err)
	}
	if was, err := cancels(4, order{Name: "canceled"}); was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	for _, end := range []string{"panics", "goexits"} {
		if err := send(5, order{Name: "undone", After: 0, End: end}); err == nil {
			t.Error(end)
		}
	}
	if err := send(5, order{Name: "kept", End: "fails"}); !errors.Is(err, errFailed) {
		t.Error(err)
	}
	if all := hears(t, rt, 5, 1); len(all) != 1 || all[0] != "kept" {
		t.Errorf("%q", all)
	}
	for i := range 100 {
		set(100+i, order{Name: "next", After: 200 * time.Millisecond})
		set(100+i, order{Name: "far", After: far})
	}
	stop()
	time.Sleep(200 * time.Millisecond)

	rt, _, stop = start(t, dir)
	for i := range 100 {
		if all := hears(t, rt, 100+i, 1); len(all) != 1 || all[0] != "next" {
			t.Errorf("%d: %q", i, all)
		}
	}
	if was, err := cancels(1, order{Name: "far"}); !was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	if was, err := cancels(100, order{Name: "next"}); was || err != nil {
		t.Errorf("%v, %v: it has told", was, err)
	}
	settle(t, rt)
	stop()
}

// TestTimersInOrder holds that the timers of a unit that are late tell in the order of their times,
// whatever their names.
func TestTimersInOrder(t *testing.T) {
	rt, _, stop := start(t, t.TempDir())
	names := []string{"m", "c", "x", "a", "n", "b"}
	must(t, setLate.Send(rt.Context(), sessions.At(rt.Context(), 1), names)) // they are late
	if all := hears(t, rt, 1, len(names)); !slices.Equal(all, names) {
		t.Errorf("%q", all)
	}
	stop()
}

// TestEvery holds that a timer that repeats tells again and again, in a later process, too, and
// what is missed once.
func TestEvery(t *testing.T) {
	dir := t.TempDir()
	rt, _, stop := start(t, dir)
	must(t, setTimer.Send(rt.Context(), sessions.At(rt.Context(), 1), order{Name: "tick", After: 20 * time.Millisecond, Every: true}))
	before := len(hears(t, rt, 1, 3))
	stop()
	time.Sleep(200 * time.Millisecond)
	rt, _, stop = start(t, dir)
	hears(t, rt, 1, before+3)
	if was := must(t, cancelTimer.Send(rt.Context(), sessions.At(rt.Context(), 1), order{Name: "tick"})); !was {
		t.Error("it is gone")
	}
	settle(t, rt) // what it has told
	n := len(hears(t, rt, 1, 0))
	time.Sleep(60 * time.Millisecond)
	if all := hears(t, rt, 1, 0); len(all) != n {
		t.Errorf("%d after the end, and %d before it", len(all), n)
	}
	stop()
}

// TestTimerFails holds that what a timer tells, and fails for good, is recorded, and that others go
// on.
func TestTimerFails(t *testing.T) {
	rt, n, _ := start(t, t.TempDir())
	u := sessions.At(rt.Context(), 1)
	goneAwry.Store(0)
	must(t, setTimer.Send(rt.Context(), u, order{Name: "it ", Op: "panics"}))
	must(t, setTimer.Send(rt.Context(), u, order{Name: "it ", Op: "fails", After: time.Millisecond}))
	if all := hears(t, rt, 1, 1); len(all) != 1 || all[0] != "it fails" {
		t.Errorf("%q", all)
	}
	must(t, setTimer.Send(rt.Context(), u, order{Name: "it ", Op: "goexits"}))
	must(t, setTimer.Send(rt.Context(), u, order{Name: "other", Op: "panics"}))
	for found := 0; found < 2; {
		found = 0
		for f, err := range n.Failures() {
			if err != nil || f.Kind != "session" || f.Key != "1" || f.Operation != "hear" {
				t.Fatalf("%+v, %v", f, err)
			}
			found++
		}
	}
}

// TestTimersRefused has what is no operation of a durable unit, or cannot be stored.
func TestTimersRefused(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	for name, err := range map[string]error{
		"outside":    cluster.TellAfter(c, 0, "x", hear, ""),
		"every":      cluster.Every(c, 1, "x", hear, ""),
		"ask":        cluster.Ask(c, deposit, accounts.At(c, "a"), 1, deposited),
		"in a plain": must(t, freerun.Do(c, freerun.NewUnit(rt, 0), func(c *freerun.Context, _ *int) (error, error) { return cluster.TellAfter(c, 0, "x", hear, ""), nil })),
	} {
		if !errors.Is(err, cluster.ErrOutside) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := cluster.Cancel(c, "x"); !errors.Is(err, cluster.ErrOutside) {
		t.Error(err)
	}
	all := must(t, tries.Send(c, sessions.At(c, 1), struct{}{}))
	want := []string{"is for states of cluster_test.account", "has a name of 513 bytes", "there is no form for a chan", "not durable", "is for states of cluster_test.account"}
	for i, text := range all {
		if i < len(want) && !strings.Contains(text, want[i]) {
			t.Errorf("%d: %s", i, text)
		}
	}
	if text := must(t, looks.Send(c, sessions.At(c, 1), struct{}{})); !strings.Contains(text, "not in an operation of a durable unit") {
		t.Error(text)
	}
	func() {
		defer func() { t.Log(recover()) }()
		cluster.Every(c, 0, "x", hear, "")
		t.Error("Every of no time")
	}()
}

var (
	holds = freerun.Op("holds", func(*freerun.Context, *session, chan int) (int, error) { return 0, nil })
	// tries does what is refused, and returns the errors.
	tries = freerun.Op("tries", func(c *freerun.Context, s *session, _ struct{}) ([]string, error) {
		plain := freerun.NewUnit(c.Runtime(), account{})
		return []string{
			fmt.Sprint(cluster.TellAfter(c, 0, "x", deposit, 1)),
			fmt.Sprint(cluster.TellAfter(c, 0, strings.Repeat("x", 513), hear, "")),
			fmt.Sprint(cluster.TellAfter(c, 0, "x", holds, nil)),
			fmt.Sprint(cluster.Ask(c, deposit, plain, 1, deposited)),
			fmt.Sprint(cluster.Ask(c, deposit, accounts.At(c, "x"), 1, deposited)),
		}, nil
	})
	looks = freerun.ReadOp("looks", func(c *freerun.Context, _ *session, _ struct{}) (string, error) {
		return fmt.Sprint(cluster.TellAfter(c, 0, "x", hear, "")), nil
	})
)
