//go:build !wasm

package cluster_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// till is the state of units that are changed together. It has what was done, in order.
type till struct {
	Sum  int
	Did  []int
	Odds float64 // cannot be encoded if it is NaN
}

// safe is the state of units of another kind.
type safe struct{ Sum int }

// move is what two tills are sent.
type move struct {
	ID, Amount int
	Does       string
	Tell       string // a till that is told
}

var (
	newTill = func(*freerun.Context, string) (till, error) { return till{Sum: 100}, nil }
	tills   = freerun.NewKind("till", newTill, cluster.Durable(cluster.Tagged()))
	safes   = freerun.NewKind("safe", func(*freerun.Context, string) (safe, error) { return safe{}, nil }, cluster.Durable(cluster.Tagged()))
	moves   = freerun.Op2("moves", func(c *freerun.Context, a, b *till, m move) (int, error) { return a.gives(c, b, m) })
	empties = freerun.Op2("empties", func(_ *freerun.Context, a *till, s *safe, _ int) (int, error) {
		s.Sum, a.Sum = s.Sum+a.Sum, 0
		return s.Sum, nil
	})
	evens = freerun.OpAll("evens", func(_ *freerun.Context, all []*till, id int) (int, error) { return even(all, id) })
	takes = freerun.Op("takes", func(_ *freerun.Context, a *till, m move) (int, error) { return a.changes(m) })
	shows = freerun.ReadOp("shows", func(_ *freerun.Context, a *till, _ int) (till, error) {
		return till{a.Sum, slices.Clone(a.Did), 0}, nil
	})
	counts   = freerun.ReadOp("counts", func(_ *freerun.Context, s *safe, _ int) (int, error) { return s.Sum, nil })
	asksMove = freerun.Op("asksMove", func(c *freerun.Context, a *till, tell bool) (int, error) {
		x, y := tills.At(c, "{d}/x"), tills.At(c, "{d}/y")
		if tell {
			return 0, moves.Tell(c, x, y, move{})
		}
		_, err := moves.Send(c, x, y, move{}).Result()
		return 0, err
	})
	moveTries sync.Map
)

func (a *till) changes(m move) (int, error) {
	a.Sum += m.Amount
	a.Did = append(a.Did, m.ID)
	switch {
	case m.Does == "panic once" && moveTry(m) == 1:
		panic(m.ID)
	case m.Does == "spoil":
		a.Odds = math.NaN()
	case m.Does == "end":
		runtime.Goexit()
	}
	return a.Sum, nil
}

// moveTry counts the runs of an operation.
func moveTry(m move) int64 {
	n, _ := moveTries.LoadOrStore(m.ID, new(atomic.Int64))
	return n.(*atomic.Int64).Add(1)
}

func (a *till) gives(c *freerun.Context, b *till, m move) (int, error) {
	a.Sum, b.Sum = a.Sum-m.Amount, b.Sum+m.Amount
	a.Did, b.Did = append(a.Did, m.ID), append(b.Did, m.ID)
	tell := func() error {
		if s, ok := squares.Load(c.Runtime()); ok {
			if err := overhears.Tell(c, s.(*freerun.Unit[square]), m.ID); err != nil {
				return err
			}
		}
		if m.Tell != "" {
			return takes.Tell(c, tills.At(c, m.Tell), move{ID: m.ID, Amount: m.Amount})
		}
		return nil
	}
	if err := tell(); err != nil {
		return 0, err
	}
	switch n := moveTry(m); m.Does {
	case "panic":
		panic(m.ID)
	case "panic once":
		if n == 1 {
			panic(m.ID)
		}
	case "end":
		runtime.Goexit()
	case "end again":
		if n == 1 {
			panic(m.ID)
		}
		runtime.Goexit()
	case "spoil":
		b.Odds = math.NaN()
	case "wait":
		return freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (int, error) { return 0, nil }))
	case "fail":
		return 0, errPoor
	case "outside":
		_, err := cluster.ID(c)
		_, canceled := cluster.Cancel(c, "x")
		return 0, errors.Join(err, canceled, cluster.Forget(c), cluster.TellAfter(c, 0, "x", takes, m), cluster.Ask(c, takes, tills.At(c, "{d}/x"), m, takesAnswer))
	}
	return a.Sum, nil
}

var takesAnswer = freerun.Op("takesAnswer", func(*freerun.Context, *till, cluster.Answer[move, int]) (int, error) { return 0, nil })

// even gives all tills the same sum, and the first one what is left.
func even(all []*till, id int) (int, error) {
	sum := 0
	for _, a := range all {
		sum += a.Sum
		a.Did = append(a.Did, id)
	}
	for _, a := range all {
		a.Sum = sum / len(all)
	}
	all[0].Sum += sum % len(all)
	return sum, nil
}

// shown returns the state of a till.
func shown(t *testing.T, rt *freerun.Runtime, key string) till {
	t.Helper()
	return must(t, shows.Send(rt.Context(), tills.At(rt.Context(), key), 0))
}

// TestSeveral holds that an operation on several units has its effect on all of them, and that a
// later process finds it; and that what it tells comes.
func TestSeveral(t *testing.T) {
	dir := t.TempDir()
	rt, _, stop := start(t, dir)
	c := rt.Context()
	a, b, s := tills.At(c, "{a}/1"), tills.At(c, "{a}/2"), safes.At(c, "the safe {a}")
	if got := must(t, moves.Send(c, a, b, move{ID: 1, Amount: 30, Tell: "{b}/1"})); got != 70 {
		t.Errorf("the outcome is %d", got)
	}
	// An error undoes nothing.
	if _, err := moves.Call(within(t), b, a, move{ID: 2, Amount: 1, Does: "fail"}); !errors.Is(err, errPoor) {
		t.Error(err)
	}
	if err := moves.Tell(c, a, b, move{ID: 3, Amount: 5}); err != nil {
		t.Error(err)
	}
	if got := must(t, evens.Send(c, []*freerun.Unit[till]{a, tills.At(c, "{a}/3"), b}, 4)); got != 300 {
		t.Errorf("the outcome is %d", got)
	}
	must(t, takes.Send(c, a, move{ID: 5, Amount: 7}))
	if got := must(t, empties.Send(c, a, s, 0)); got != 107 {
		t.Errorf("the outcome is %d", got)
	}
	settle(t, rt)
	stop()
	rt, _, _ = start(t, dir)
	for key, want := range map[string]till{
		"{a}/1": {0, []int{1, 2, 3, 4, 5}, 0}, "{a}/2": {100, []int{1, 2, 3, 4}, 0}, "{a}/3": {100, []int{4}, 0}, "{b}/1": {130, []int{1}, 0},
	} {
		if got := shown(t, rt, key); got.Sum != want.Sum || !slices.Equal(got.Did, want.Did) {
			t.Errorf("%s has %v, want %v", key, got, want)
		}
	}
	if got := must(t, counts.Send(rt.Context(), safes.At(rt.Context(), "the safe {a}"), 0)); got != 107 {
		t.Errorf("the safe has %d", got)
	}
}

// TestSeveralUndone holds that an operation that does not end well has no effect on any unit, and
// tells nobody, and that its units go on.
func TestSeveralUndone(t *testing.T) {
	for _, does := range []string{"panic", "panic once", "end", "end again", "spoil", "wait", "full"} {
		for _, pending := range []bool{false, true} {
			rt, s, to := startLate(t)
			moveTries.Clear()
			c := rt.Context()
			a, b := tills.At(c, "{a}/1"), tills.At(c, "{a}/2")
			if pending { // it comes to a unit that writes, and has more
				s.hold()
				takes.Send(c, a, move{ID: 1})
				s.await(t, 1)
				takes.Send(c, a, move{ID: 2})
			} else {
				must(t, takes.Send(c, a, move{ID: 1}))
				must(t, takes.Send(c, a, move{ID: 2}))
			}
			if does == "full" {
				s.hold()
			}
			f := moves.Send(c, a, b, move{ID: 3, Amount: 50, Does: does, Tell: "{b}/1"})
			behind := []freerun.Future[int]{takes.Send(c, a, move{ID: 4, Amount: 1}), takes.Send(c, b, move{ID: 5, Amount: 1})}
			seen := shows.Send(c, b, 0)
			switch {
			case does != "full":
				s.letGo(nil)
			case pending: // the two before, and then the operation
				s.await(t, 1)
				s.letGoOne(nil)
				s.await(t, 1)
				s.letGoOne(nil)
				fallthrough
			default:
				s.await(t, 1)
				s.letGo(fmt.Errorf("here: %w", cluster.ErrNoSpace))
			}
			_, err := f.Wait(within(t))
			var panicked *freerun.PanicError
			switch does {
			case "panic once":
				if err != nil {
					t.Error(err)
				}
			case "panic":
				if !errors.As(err, &panicked) || moveTry(move{ID: 3}) != 4 {
					t.Errorf("%s: %v", does, err)
				}
			case "end", "end again":
				if !errors.Is(err, freerun.ErrGoexit) {
					t.Errorf("%s: %v", does, err)
				}
			case "wait":
				if !errors.Is(err, cluster.ErrForwarded) {
					t.Errorf("%s: %v", does, err)
				}
			case "full":
				if !errors.Is(err, cluster.ErrNoSpace) {
					t.Errorf("%s: %v", does, err)
				}
			default:
				if err == nil {
					t.Errorf("%s: no error", does)
				}
			}
			for _, f := range behind {
				must(t, f)
			}
			settle(t, rt)
			sums, did, heard := [3]int{101, 101, 100}, [3][]int{{1, 2, 4}, {5}, nil}, []int(nil)
			if does == "panic once" {
				sums, did, heard = [3]int{51, 151, 150}, [3][]int{{1, 2, 3, 4}, {3, 5}, {3}}, []int{3}
			}
			if got := must(t, seen); got.Sum != sums[1]-1 && got.Sum != sums[1] {
				t.Errorf("%s: a read has seen %v", does, got)
			}
			for n, key := range []string{"{a}/1", "{a}/2", "{b}/1"} {
				if got := shown(t, rt, key); got.Sum != sums[n] || !slices.Equal(got.Did, did[n]) {
					t.Errorf("%s, pending %v: %s has %v, want %d %v", does, pending, key, got, sums[n], did[n])
				}
			}
			if got := heardBy(t, rt, to); !slices.Equal(got, heard) {
				t.Errorf("%s: came %v, want %v", does, got, heard)
			}
		}
	}
}

// TestSeveralInTurn holds that an operation on several units comes after what its units were sent
// before, and before what they are sent later, reads, stops and other such operations, too, while
// writes wait and one has failed.
func TestSeveralInTurn(t *testing.T) {
	for _, fails := range []bool{false, true} {
		rt, s, _ := startLate(t)
		moveTries.Clear()
		c := rt.Context()
		a, b, d := tills.At(c, "{a}/1"), tills.At(c, "{a}/2"), tills.At(c, "{a}/3")
		must(t, takes.Send(c, d, move{}))
		s.hold()
		first := takes.Send(c, a, move{ID: 1, Amount: 1})
		s.await(t, 1)
		second := takes.Send(c, a, move{ID: 2, Amount: 1})
		third := moves.Send(c, a, b, move{ID: 3, Amount: 10})
		seen := shows.Send(c, b, 0)
		fourth := moves.Send(c, b, d, move{ID: 4, Amount: 10})
		fifth := takes.Send(c, d, move{ID: 5, Amount: 1})
		tills.Stop(c, "{a}/1")
		tills.Stop(c, "{a}/2")
		sixth := takes.Send(c, a, move{ID: 6, Amount: 1})
		for a.Stats().Operations < 3 || d.Stats().Operations < 2 {
			time.Sleep(100 * time.Microsecond)
		}
		if fails {
			s.letGo(fmt.Errorf("here: %w", cluster.ErrNoSpace))
		} else {
			s.letGo(nil)
		}
		for n, f := range []freerun.Future[int]{first, second, third, fourth, fifth, sixth} {
			if _, err := f.Wait(within(t)); (err != nil) != (fails && n < 2) {
				t.Errorf("operation %d: %v", n+1, err)
			}
		}
		if got := must(t, seen); got.Sum != 110 || !slices.Equal(got.Did, []int{3}) {
			t.Errorf("the read has seen %v", got)
		}
		settle(t, rt)
		did := map[string][]int{"{a}/1": {1, 2, 3, 6}, "{a}/2": {3, 4}, "{a}/3": {0, 4, 5}}
		if fails {
			did["{a}/1"] = []int{3, 6}
		}
		for key, want := range did {
			if got := shown(t, rt, key); !slices.Equal(got.Did, want) {
				t.Errorf("%s, fails %v: %v, want %v", key, fails, got.Did, want)
			}
		}
	}
}

// TestSeveralLost holds that an operation fails one of whose units cannot be loaded, that the
// others go on, and that the unit does when it can be.
func TestSeveralLost(t *testing.T) {
	for _, when := range []string{"before", "as it runs again", "before it runs"} {
		rt, s, _ := startLate(t)
		moveTries.Clear()
		c := rt.Context()
		a, b := tills.At(c, "{a}/1"), tills.At(c, "{a}/2")
		m := move{ID: 3, Amount: 10}
		must(t, takes.Send(c, a, move{ID: 1, Amount: 1}))
		must(t, takes.Send(c, b, move{ID: 1, Amount: 1}))
		var f freerun.Future[int]
		switch when {
		case "before":
			must(t, tills.Stop(c, "{a}/1"))
			s.lose("{a}/1")
			f = moves.Send(c, b, a, m)
		case "as it runs again":
			s.lose("{a}/1")
			m.Does = "panic once"
			f = moves.Send(c, b, a, m)
		default:
			s.hold()
			takes.Send(c, a, move{ID: 2})
			s.await(t, 1)
			f = moves.Send(c, b, a, m)
			for b.Stats().Operations < 2 {
				time.Sleep(100 * time.Microsecond)
			}
			s.lose("{a}/1")
			s.letGo(fmt.Errorf("here: %w", cluster.ErrNoSpace))
		}
		behind := takes.Send(c, b, move{ID: 4, Amount: 1})
		if _, err := f.Wait(within(t)); !errors.Is(err, errLost) {
			t.Errorf("%s: %v", when, err)
		}
		if got := must(t, behind); got != 102 {
			t.Errorf("%s: the other one has %d", when, got)
		}
		s.lose("")
		for ctx := within(t); ; time.Sleep(time.Millisecond) {
			got, err := moves.Call(ctx, a, b, move{ID: 5, Amount: 1})
			if err == nil && got != 100 || ctx.Err() != nil {
				t.Fatalf("%s: %d, %v", when, got, err)
			}
			if err == nil {
				break
			}
		}
		if got := shown(t, rt, "{a}/1"); !slices.Equal(got.Did, []int{1, 5}) {
			t.Errorf("%s: %v", when, got)
		}
	}
}

// TestSeveralRefused holds that an operation is refused whose units have no tag in common, and all
// else that cannot be with several units.
func TestSeveralRefused(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	fails := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	send := func(a, b string) error {
		_, err := moves.Send(c, tills.At(c, a), tills.At(c, b), move{}).Wait(within(t))
		return err
	}
	fails("other tags", send("{a}/1", "{b}/1"), cluster.ErrOtherTag)
	for _, none := range []string{"a", "{a", "a}", "{}a", "}a{"} {
		fails("no tag", send("{a}/1", none), cluster.ErrOtherTag)
		fails("no tag", send(none, "{a}/1"), cluster.ErrOtherTag)
	}
	fails("told", moves.Tell(c, tills.At(c, "{a}/1"), tills.At(c, "{b}/1"), move{}), cluster.ErrOtherTag)
	if err := send("{a}/{b}", "x{a}{c}"); err != nil { // the first braces count
		t.Error(err)
	}
	plain := freerun.NewUnit(rt, till{})
	_, err := moves.Send(c, tills.At(c, "{a}/1"), plain, move{}).Wait(within(t))
	fails("a plain unit behind", err, cluster.ErrNotDurable)
	_, err = moves.Send(c, plain, tills.At(c, "{a}/1"), move{}).Wait(within(t))
	fails("a plain unit before", err, cluster.ErrNotDurable)
	_, err = freerun.When2(c, tills.At(c, "{a}/1"), tills.At(c, "{a}/2"), func(*freerun.Context, *till, *till) (int, error) { return 0, nil }).Wait(within(t))
	fails("When2", err, cluster.ErrNotDurable)
	_, err = untagged.Send(c, accounts.At(c, "{a}/1"), accounts.At(c, "{a}/2"), 0).Wait(within(t))
	fails("a kind without tags", err, cluster.ErrOtherTag)
	for _, tell := range []bool{false, true} {
		_, err = asksMove.Send(c, tills.At(c, "{a}/1"), tell).Wait(within(t))
		fails("within an operation", err, cluster.ErrWithin)
	}
	once := cluster.Once(c, "id")
	_, err = moves.Send(once, tills.At(c, "{a}/1"), tills.At(c, "{a}/2"), move{}).Wait(within(t))
	fails("Once", err, cluster.ErrNotDurable)
	_, err = moves.Send(c, tills.At(c, "{a}/1"), tills.At(c, "{a}/2"), move{Does: "outside"}).Wait(within(t))
	fails("what is for one unit", err, cluster.ErrOutside)
	defer func() {
		if recover() == nil {
			t.Error("Stored takes Tagged")
		}
	}()
	cluster.Stored(takes, cluster.Tagged())
}

var untagged = freerun.Op2("untagged", func(_ *freerun.Context, _, _ *account, _ int) (int, error) { return 0, nil })

// TestSeveralStress has many senders, stops and panics: the sum stays, and each unit has done what
// one sender has sent in the order of sending.
func TestSeveralStress(t *testing.T) {
	dir := t.TempDir()
	rt, _, stop := start(t, dir)
	const n, senders, each = 6, 4, 300
	key := func(i int) string { return fmt.Sprintf("{stress}/%d", i) }
	var ids atomic.Int64
	ids.Store(1000)
	moveTries.Clear()
	var all sync.WaitGroup
	sent := make([][]int, senders)
	for s := range senders {
		all.Go(func() {
			random, c := rand.New(rand.NewPCG(uint64(s), 1)), rt.Context()
			var futures []freerun.Future[int]
			for range each {
				i := random.IntN(n)
				j := (i + 1 + random.IntN(n-1)) % n
				m := move{ID: int(ids.Add(1)), Amount: random.IntN(20)}
				if random.IntN(20) == 0 {
					m.Does = "panic once"
				}
				switch random.IntN(10) {
				case 0:
					tills.Stop(c, key(i))
				case 1, 2:
					m.Amount = 0
					futures = append(futures, takes.Send(c, tills.At(c, key(i)), m))
				case 3:
					futures = append(futures, evens.Send(c, []*freerun.Unit[till]{tills.At(c, key(i)), tills.At(c, key(j))}, m.ID))
				case 4:
					shows.Send(c, tills.At(c, key(i)), 0)
				default:
					futures = append(futures, moves.Send(c, tills.At(c, key(i)), tills.At(c, key(j)), m))
				}
				sent[s] = append(sent[s], m.ID)
				if random.IntN(8) == 0 && len(futures) > 0 {
					must(t, futures[len(futures)-1])
				}
			}
			for _, f := range futures {
				must(t, f)
			}
		})
	}
	all.Wait()
	for process := range 2 {
		sum := 0
		for i := range n {
			a := shown(t, rt, key(i))
			sum += a.Sum
			for s := range senders {
				mine := slices.DeleteFunc(slices.Clone(a.Did), func(id int) bool { return !slices.Contains(sent[s], id) })
				if !slices.IsSorted(mine) {
					t.Errorf("process %d: %s has done what sender %d has sent out of order", process, key(i), s)
				}
			}
		}
		if sum != n*100 {
			t.Errorf("process %d: there are %d", process, sum)
		}
		stop()
		if process == 0 {
			rt, _, stop = start(t, dir)
		}
	}
}
