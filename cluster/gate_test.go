//go:build !wasm

package cluster_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/filestore"
)

// crier is the state of durable units that tell others, which are not durable, what they do.
type crier struct {
	N     int
	Voice float64 // cannot be encoded if it is NaN
}

// cry tells a crier what to send, and how it goes awry.
type cry struct {
	ID   int
	Does string
}

// square hears criers.
type square struct{ heard []int }

var (
	squares   sync.Map // *freerun.Runtime → *freerun.Unit[square]
	criers    = freerun.NewKind("crier", func(*freerun.Context, string) (crier, error) { return crier{}, nil }, cluster.Durable())
	overhears = freerun.Op("overhears", func(_ *freerun.Context, s *square, id int) (int, error) {
		s.heard = append(s.heard, id)
		return id, nil
	})
	cries = freerun.Op("cries", func(c *freerun.Context, a *crier, x cry) (int, error) {
		a.N++
		tries, _ := cryTries.LoadOrStore(x.ID, new(atomic.Int64))
		n := tries.(*atomic.Int64).Add(1)
		s := squareOf(c)
		if err := overhears.Tell(c, s, x.ID); err != nil {
			return 0, err
		}
		cryFutures.Store([2]int{x.ID, int(n)}, overhears.Send(c, s, -x.ID))
		switch x.Does {
		case "fail":
			return 0, errPoor
		case "panic":
			panic(x.ID)
		case "panic once":
			if n == 1 {
				panic(x.ID)
			}
		case "end":
			runtime.Goexit()
		case "spoil":
			a.Voice = math.NaN()
		case "wait":
			return freerun.Forward(c, overhears.Send(c, s, 0))
		}
		return a.N, nil
	})
	overlooks = freerun.ReadOp("overlooks", func(c *freerun.Context, a *crier, id int) (int, error) {
		return a.N, overhears.Tell(c, squareOf(c), id)
	})
	peeks                = freerun.ReadOp("peeks", func(_ *freerun.Context, a *crier, _ int) (int, error) { return a.N, nil })
	cryTries, cryFutures sync.Map
)

func squareOf(c *freerun.Context) *freerun.Unit[square] {
	s, _ := squares.Load(c.Runtime())
	return s.(*freerun.Unit[square])
}

// lateStore is a store whose writes are not made before they are let go, or fail.
type lateStore struct {
	engine.Engine
	mu    sync.Mutex
	holds bool
	puts  []func(why error)
	lost  string // what is in the key of a record that cannot be read; empty for none
}

var errLost = errors.New("it cannot be read")

// Get implements engine.Engine.
func (s *lateStore) Get(key []byte, done func(value []byte, err error)) {
	s.mu.Lock()
	lost := s.lost != "" && strings.Contains(string(key), s.lost)
	s.mu.Unlock()
	if lost {
		done(nil, errLost)
		return
	}
	s.Engine.Get(key, done)
}

// lose has the record of a unit not be readable; that of none with an empty key.
func (s *lateStore) lose(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = key
}

func (s *lateStore) Put(writes []engine.Write, done func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.holds {
		s.Engine.Put(writes, done)
		return
	}
	s.puts = append(s.puts, func(why error) {
		if why != nil {
			done(why)
			return
		}
		s.Engine.Put(writes, done)
	})
}

// hold has writes wait from now on.
func (s *lateStore) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = true
}

// letGo has the writes that wait be made, or fail, and those that come later, too.
func (s *lateStore) letGo(why error) {
	s.mu.Lock()
	all := s.puts
	s.puts, s.holds = nil, false
	s.mu.Unlock()
	for _, put := range all {
		put(why)
	}
}

// letGoOne has the first write that waits be made, or fail.
func (s *lateStore) letGoOne(why error) {
	s.mu.Lock()
	first := s.puts[0]
	s.puts = s.puts[1:]
	s.mu.Unlock()
	first(why)
}

// await waits until n writes wait.
func (s *lateStore) await(t *testing.T, n int) {
	t.Helper()
	for ctx := within(t); ctx.Err() == nil; time.Sleep(100 * time.Microsecond) {
		s.mu.Lock()
		waiting := len(s.puts)
		s.mu.Unlock()
		if waiting == n {
			return
		}
	}
	t.Fatal("the writes do not come")
}

// startLate returns a runtime whose store is late.
func startLate(t *testing.T) (rt *freerun.Runtime, s *lateStore, to *freerun.Unit[square]) {
	s = &lateStore{}
	rt = freerun.New()
	dir := t.TempDir()
	n, err := cluster.Join(rt, engine.Store[cluster.Store](func() (e engine.Engine, err error) {
		s.Engine, err = filestore.Open(dir, filestore.Options{Create: true})
		return s, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	to = freerun.NewUnit(rt, square{})
	squares.Store(rt, to)
	t.Cleanup(func() {
		squares.Delete(rt)
		if err := errors.Join(rt.Shutdown(within(t)), n.Close()); err != nil {
			t.Error(err)
		}
	})
	cryTries.Clear()
	cryFutures.Clear()
	return rt, s, to
}

// haveRun waits until a unit has begun n operations, of which the last is a read that it sends: so
// those before have run.
func haveRun(t *testing.T, c *freerun.Context, u *freerun.Unit[crier], n uint64) {
	t.Helper()
	peeks.Send(c, u, 0)
	for ctx := within(t); u.Stats().Operations < n; time.Sleep(100 * time.Microsecond) {
		if ctx.Err() != nil {
			t.Fatal("they do not run")
		}
	}
}

// heardBy returns what has come.
func heardBy(t *testing.T, rt *freerun.Runtime, to *freerun.Unit[square]) []int {
	t.Helper()
	return must(t, freerun.Do(rt.Context(), to, func(_ *freerun.Context, s *square) ([]int, error) { return slices.Clone(s.heard), nil }))
}

// TestGate holds that what a durable operation sends to a unit that is not durable leaves when its
// write is done, and before its outcome is known.
func TestGate(t *testing.T) {
	rt, s, to := startLate(t)
	c, ada := rt.Context(), criers.At(rt.Context(), "ada")
	s.hold()
	first := cries.Send(c, ada, cry{ID: 1})
	s.await(t, 1)
	second := cries.Send(c, ada, cry{ID: 2})
	third := cries.Send(c, ada, cry{ID: 3, Does: "fail"}) // an error undoes nothing
	seen := overlooks.Send(c, ada, 4)
	must(t, freerun.Do(c, to, func(*freerun.Context, *square) (int, error) { return 0, nil }))
	if got := heardBy(t, rt, to); len(got) != 0 {
		t.Errorf("before the write came %v", got)
	}
	s.letGo(nil)
	must(t, first)
	if got := heardBy(t, rt, to); !slices.Equal(got[:2], []int{1, -1}) {
		t.Errorf("with the outcome came %v", got)
	}
	must(t, second)
	if _, err := third.Wait(within(t)); !errors.Is(err, errPoor) {
		t.Error(err)
	}
	if must(t, seen) != 3 {
		t.Error("the read has seen something else")
	}
	settle(t, rt)
	if got := heardBy(t, rt, to); !slices.Equal(got, []int{1, -1, 2, -2, 3, -3, 4}) {
		t.Errorf("came %v", got)
	}
	for id := 1; id <= 3; id++ {
		f, _ := cryFutures.Load([2]int{id, 1})
		if got := must(t, f.(freerun.Future[int])); got != -id {
			t.Errorf("the future has %d", got)
		}
	}
	if s := rt.Stats(); s.Lost != 0 {
		t.Errorf("%d lost", s.Lost)
	}
}

// TestGateUndone holds that what an operation has sent that is undone is withdrawn, whatever has
// undone it, and that of one that runs again the last run counts.
func TestGateUndone(t *testing.T) {
	for _, does := range []string{"panic", "end", "spoil", "wait", "full", "undone with another", "panic once"} {
		rt, s, to := startLate(t)
		c, ada := rt.Context(), criers.At(rt.Context(), "ada")
		must(t, cries.Send(c, ada, cry{ID: 100}))
		want, tries := []int{100, -100}, 3
		var f freerun.Future[int]
		switch does {
		case "full":
			s.hold()
			f = cries.Send(c, ada, cry{ID: 1})
			s.await(t, 1)
			seen := overlooks.Send(c, ada, 2) // it has seen what is undone
			next := cries.Send(c, ada, cry{ID: 3})
			haveRun(t, c, ada, 5)
			s.letGo(fmt.Errorf("here: %w", cluster.ErrNoSpace))
			for _, f := range []freerun.Future[int]{seen, next} {
				if _, err := f.Wait(within(t)); err == nil {
					t.Error("it has an outcome")
				}
			}
			tries = 1
		case "undone with another": // it runs again when the other has panicked
			s.hold()
			f = cries.Send(c, ada, cry{ID: 5})
			s.await(t, 1)
			next := cries.Send(c, ada, cry{ID: 6})
			other := cries.Send(c, ada, cry{ID: 7, Does: "panic once"})
			haveRun(t, c, ada, 5)
			s.letGo(nil)
			must(t, f)
			must(t, next)
			must(t, other)
			want, tries = []int{100, -100, 5, -5, 6, -6, 7, -7}, 0
			f = freerun.Future[int]{}
			for _, id := range []int{6, 7} {
				undone, _ := cryFutures.Load([2]int{id, 1})
				if _, err := undone.(freerun.Future[int]).Wait(within(t)); !errors.Is(err, freerun.ErrCanceled) {
					t.Errorf("%s: what was undone has %v", does, err)
				}
			}
		case "panic once":
			f = cries.Send(c, ada, cry{ID: 1, Does: does})
			want, tries = []int{100, -100, 1, -1}, 1
		default:
			f = cries.Send(c, ada, cry{ID: 1, Does: does})
			if does != "panic" {
				tries = 1
			}
		}
		if tries > 0 {
			if _, err := f.Wait(within(t)); (err == nil) != (does == "panic once") {
				t.Errorf("%s: %v", does, err)
			}
		}
		settle(t, rt)
		if got := heardBy(t, rt, to); !slices.Equal(got, want) {
			t.Errorf("%s: came %v, want %v", does, got, want)
		}
		for n := 1; n <= tries; n++ {
			undone, ok := cryFutures.Load([2]int{1, n})
			if !ok {
				t.Fatalf("%s: there is no run %d", does, n)
			}
			if _, err := undone.(freerun.Future[int]).Wait(within(t)); !errors.Is(err, freerun.ErrCanceled) {
				t.Errorf("%s: what was undone has %v", does, err)
			}
		}
		if s := rt.Stats(); s.Lost != 0 {
			t.Errorf("%s: %d lost", does, s.Lost)
		}
	}
}

// TestGateOrder holds that what one durable unit sends to another one comes in the order of its
// operations, once, also if some panic.
func TestGateOrder(t *testing.T) {
	rt, _, to := startLate(t)
	c, ada := rt.Context(), criers.At(rt.Context(), "ada")
	const n = 500
	var all []freerun.Future[int]
	for id := 1; id <= n; id++ {
		x := cry{ID: id}
		if id%17 == 0 {
			x.Does = "panic once"
		}
		all = append(all, cries.Send(c, ada, x))
	}
	for _, f := range all {
		must(t, f)
	}
	settle(t, rt)
	got := heardBy(t, rt, to)
	if len(got) != 2*n {
		t.Fatalf("%d came", len(got))
	}
	for i := range n {
		if id := i + 1; got[2*i] != id || got[2*i+1] != -id {
			t.Fatalf("came %v", got)
		}
	}
}
