package freerun_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// shelfStore is a store in memory: what it does is set by the tests.
type shelfStore struct {
	mu     sync.Mutex
	kept   map[string]int
	late   bool // answers come from another goroutine
	fails  error
	stays  int // so many times a state must stay
	around func(c *freerun.Context, i *freerun.Invocation) error
	decide func(m route.Message) (route.Verdict, error)
}

func (s *shelfStore) Decide(m route.Message) (route.Verdict, error) {
	s.mu.Lock()
	decide := s.decide
	s.mu.Unlock()
	if decide != nil {
		return decide(m)
	}
	return route.Here, nil
}

func (s *shelfStore) Load(u route.Unit[*freerun.Context], into any, done func(found bool, err error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, found := s.kept[u.Key().(string)]
	*into.(*int) = n
	fails := s.fails
	if s.late {
		go done(found, fails)
		return
	}
	done(found, fails)
}

func (s *shelfStore) Leave(u route.Unit[*freerun.Context], state any, stopped bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stays > 0 {
		s.stays--
		return false
	}
	s.kept[u.Key().(string)] = *state.(*int)
	return true
}

func (s *shelfStore) Around(c *freerun.Context, i *freerun.Invocation) error {
	s.mu.Lock()
	around := s.around
	s.mu.Unlock()
	if around != nil {
		return around(c, i)
	}
	return i.Next(c)
}

// set gives the store what the next test needs.
func (s *shelfStore) set(change func(s *shelfStore)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept, s.late, s.fails, s.stays, s.around = map[string]int{}, false, nil, 0, nil
	change(s)
}

var (
	theShelf = &shelfStore{}
	shelved  = freerun.NewKind("shelved", func(*freerun.Context, string) (int, error) { return 100, nil }, routing.Stored(theShelf),
		freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
			insideCalls.Store(i, true)
			return i.Next(c)
		}))
	shelvedAdd = freerun.Op("shelvedAdd", func(c *freerun.Context, s *int, n int) (int, error) {
		if n < 0 {
			panic(errByRoute)
		}
		*s += n
		return *s, nil
	})
	shelvedLater = freerun.Op("shelvedLater", func(c *freerun.Context, s *int, n int) (int, error) {
		return freerun.Forward(c, freerun.Then(c, freerun.After(c, time.Millisecond), func(*freerun.Context, time.Time) (int, error) { return n, nil }))
	})
	shelvedSeen = freerun.Op("shelvedSeen", func(c *freerun.Context, s *int, n int) (int, error) {
		seen = append(seen, fmt.Sprint(c.Scope() != nil, " ", c.Priority(), " ", c.Value(keyOfAgain{})))
		*s += n
		return *s, nil
	})
	insideCalls sync.Map
	seen        []string // by shelvedSeen
	misuses     atomic.Int64
)

type keyOfAgain struct{}

// TestStoredLife: a state comes from the store if it has one, and is given to it before it is
// dropped, unless the store says that it must stay.
func TestStoredLife(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("late ", late), func(t *testing.T) {
			rt, _ := runtimetest.Start(t)
			c := rt.Context()
			theShelf.set(func(s *shelfStore) { s.kept["a"], s.late = 7, late })
			a, b := shelved.At(c, "a"), shelved.At(c, "b")
			if got := runtimetest.Must(t, shelvedAdd.Send(c, a, 1)); got != 8 {
				t.Errorf("a has %d", got)
			}
			if got := runtimetest.Must(t, shelvedAdd.Send(c, b, 1)); got != 101 {
				t.Errorf("b has %d", got)
			}
			for i := range 50 {
				f := shelvedAdd.Send(c, a, 1)
				if !runtimetest.Must(t, shelved.Stop(c, "a")) {
					t.Fatal("a was passive")
				}
				if got := runtimetest.Must(t, f); got != 9+i {
					t.Fatalf("a has %d, want %d", got, 9+i)
				}
				runtime.GC()
			}
			theShelf.set(func(s *shelfStore) { s.stays, s.late = 1, late })
			runtimetest.Must(t, shelvedAdd.Send(c, b, 1))
			runtimetest.Must(t, shelved.Stop(c, "b"))
			if got := runtimetest.Must(t, shelvedAdd.Send(c, b, 1)); got != 103 {
				t.Errorf("b, which had to stay, has %d", got)
			}
			theShelf.set(func(s *shelfStore) { s.fails, s.late = errByRoute, late })
			_, err := shelvedAdd.Send(c, shelved.At(c, "c"), 1).Wait(runtimetest.Within(t))
			var failed *freerun.ActivationError
			if !errors.As(err, &failed) || !errors.Is(err, errByRoute) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestStoredRun: what a store does in a unit's turn has the state, makes a passive unit active, and
// is told when that fails; a state that it drops is loaded again.
func TestStoredRun(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	units := make(chan route.Unit[*freerun.Context], 100)
	theShelf.set(func(s *shelfStore) {
		s.kept["a"] = 7
		s.around = func(c *freerun.Context, i *freerun.Invocation) error {
			u := routing.Unit(i)
			if u.Key() != "a" || u.Kind() != freerun.NameOf(shelved) || u.Runtime() != rt {
				t.Errorf("unit %v of kind %s", u.Key(), u.Kind())
			}
			n, _ := u.Local().(int)
			u.SetLocal(n + 1)
			units <- u
			return i.Next(c)
		}
	})
	for range 3 {
		runtimetest.Must(t, shelvedAdd.Send(c, shelved.At(c, "a"), 1))
	}
	u := <-units
	ran := make(chan int, 1)
	u.Run(func(_ *freerun.Context, state any) {
		ran <- *state.(*int)
		if u.Local() != 3 {
			t.Errorf("local %v", u.Local())
		}
		u.Drop()
	}, func(err error) { t.Error(err) })
	if n := <-ran; n != 10 {
		t.Errorf("it has %d", n)
	}
	if got := runtimetest.Must(t, shelvedAdd.Send(c, shelved.At(c, "a"), 1)); got != 8 {
		t.Errorf("after the drop it has %d", got)
	}
	runtimetest.Must(t, shelved.Stop(c, "a"))
	theShelf.set(func(s *shelfStore) { s.fails = errByRoute })
	failed := make(chan error, 1)
	u.Run(func(*freerun.Context, any) { failed <- nil }, func(err error) { failed <- err })
	if err := <-failed; !errors.Is(err, errByRoute) {
		t.Errorf("%v", err)
	}
	rt.Close()
	u.Run(func(*freerun.Context, any) { failed <- nil }, func(err error) { failed <- err })
	if err := <-failed; !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// turnFunc is a turn that tells how it went.
type turnFunc func(c *freerun.Context, state any, err error)

func (f turnFunc) Run(c *freerun.Context, state any) { f(c, state, nil) }
func (f turnFunc) Failed(err error)                  { f(nil, nil, err) }

// TestSoon: a store has something run on a processor, and in an operation there a turn of a unit.
// At the end of the runtime it is told so.
func TestSoon(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	units := make(chan route.Unit[*freerun.Context], 1)
	theShelf.set(func(s *shelfStore) {
		s.around = func(c *freerun.Context, i *freerun.Invocation) error {
			units <- routing.Unit(i)
			return i.Next(c)
		}
	})
	runtimetest.Must(t, shelvedAdd.Send(c, shelved.At(c, "a"), 4))
	u := <-units
	type seen struct {
		state any
		err   error
	}
	came := make(chan seen, 2)
	routing.Soon(rt, turnFunc(func(c *freerun.Context, state any, err error) {
		came <- seen{state, err}
		u.RunTurn(c, turnFunc(func(_ *freerun.Context, state any, err error) { came <- seen{*state.(*int), err} }))
	}))
	if first, second := <-came, <-came; first != (seen{}) || second != (seen{state: 104}) {
		t.Errorf("%v, then %v", first, second)
	}
	quiet(t, rt)
	rt.Close()
	routing.Soon(rt, turnFunc(func(_ *freerun.Context, _ any, err error) { came <- seen{err: err} }))
	if got := <-came; !errors.Is(got.err, freerun.ErrClosed) {
		t.Errorf("%v", got)
	}
}

// TestAgain: an operation whose outcome is kept back runs again, with the interceptors inside, its
// scope, priority and values, and its last outcome counts.
func TestAgain(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	type again struct {
		u route.Unit[*freerun.Context]
		h route.Held
	}
	kept := make(chan again, 1)
	theShelf.set(func(s *shelfStore) {
		s.around = func(c *freerun.Context, i *freerun.Invocation) error {
			h := routing.Hold(i)
			err := i.Next(c)
			if h.Waits() != strings.Contains(i.Operation, "Later") {
				t.Errorf("%s waits: %v", i.Operation, h.Waits())
			}
			kept <- again{routing.Unit(i), h}
			return err
		}
	})
	seen = nil
	x := rt.Scope(t.Context())
	c := x.Context().WithPriority(freerun.High).WithValue(keyOfAgain{}, "v")
	for name, send := range map[string]func() freerun.Future[int]{
		"value":   func() freerun.Future[int] { return shelvedSeen.Send(c, shelved.At(c, "a"), 1) },
		"forward": func() freerun.Future[int] { return shelvedLater.Send(c, shelved.At(c, "a"), 5) },
	} {
		t.Run(name, func(t *testing.T) {
			f := send()
			k := <-kept
			done := make(chan error, 1)
			for range 3 {
				insideCalls.Clear()
				k.u.Run(func(c *freerun.Context, _ any) { done <- routing.Again(c, k.h) }, func(err error) { done <- err })
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				calls := 0
				insideCalls.Range(func(any, any) bool { calls++; return true })
				if calls != 1 {
					t.Errorf("%d calls of the interceptor inside", calls)
				}
			}
			if k.h.Waits() != (name == "forward") {
				t.Errorf("waits: %v", k.h.Waits())
			}
			k.h.Release(nil)
			want := 104
			if name == "forward" {
				want = 5
			}
			if got := runtimetest.Must(t, f); got != want {
				t.Errorf("%d, want %d", got, want)
			}
		})
	}
	if want := slices.Repeat([]string{"true high v"}, 4); !slices.Equal(seen, want) {
		t.Errorf("it has seen %q", seen)
	}
	if err := x.Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
}

// TestAgainEnds: a panic is the caller's, who decides about the outcome, which is still kept back.
func TestAgainEnds(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	kept := make(chan route.Held, 1)
	theShelf.set(func(s *shelfStore) {
		s.around = func(c *freerun.Context, i *freerun.Invocation) error {
			kept <- routing.Hold(i)
			u := routing.Unit(i)
			u.SetLocal(u)
			return nil
		}
	})
	a := shelved.At(rt.Context(), "a")
	f := shelvedAdd.Send(rt.Context(), a, -1)
	h := <-kept
	u := localOf(t, rt, a)
	done := make(chan error, 1)
	u.Run(func(c *freerun.Context, _ any) {
		defer func() {
			err := routing.Panicked(h, recover(), []byte("here"))
			h.Release(err)
			done <- err
		}()
		_ = routing.Again(c, h)
	}, func(err error) { done <- err })
	err := <-done
	if _, outcome := f.Wait(runtimetest.Within(t)); outcome != err {
		t.Errorf("the outcome is %v, not %v", outcome, err)
	}
	var p *freerun.PanicError
	if !errors.As(err, &p) || !errors.Is(err, errByRoute) || !strings.HasSuffix(p.Operation, "shelvedAdd") || string(p.Stack) != "here" {
		t.Errorf("%v", err)
	}
	if s := rt.Stats(); s.Panics != 1 {
		t.Errorf("%d panics", s.Panics)
	}
}

// localOf returns the unit that the store has put into itself.
func localOf(t *testing.T, rt *freerun.Runtime, a *freerun.Unit[int]) route.Unit[*freerun.Context] {
	t.Helper()
	found := make(chan route.Unit[*freerun.Context], 1)
	theShelf.set(func(s *shelfStore) {
		s.around = func(c *freerun.Context, i *freerun.Invocation) error {
			found <- routing.Unit(i).Local().(route.Unit[*freerun.Context])
			return i.Next(c)
		}
	})
	runtimetest.Must(t, shelvedAdd.Send(rt.Context(), a, 1))
	return <-found
}

// TestDeliver: what a store sends comes to its unit, with its mark; what has no name, or cannot be
// decoded, is refused.
func TestDeliver(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	marks := make(chan any, 1)
	theShelf.set(func(s *shelfStore) {
		s.around = func(c *freerun.Context, i *freerun.Invocation) error {
			marks <- routing.Mark(i)
			return i.Next(c)
		}
	})
	done := make(chan error, 1)
	good := route.Delivery{
		To:        []route.Place{{Kind: freerun.NameOf(shelved), Key: func(key any) error { *key.(*string) = "k"; return nil }}},
		Operation: freerun.NameOf(shelvedAdd), Arg: func(arg any) error { *arg.(*int) = 5; return nil },
		Mark: "mark", Done: func(_ any, err error) { done <- err },
	}
	if err := routing.Deliver(rt, &good); err != nil {
		t.Fatal(err)
	}
	if m, err := <-marks, <-done; m != "mark" || err != nil {
		t.Errorf("mark %v, %v", m, err)
	}
	f := shelvedAdd.Send(rt.Context(), shelved.At(rt.Context(), "k"), 1)
	if m, got := <-marks, runtimetest.Must(t, f); m != nil || got != 106 {
		t.Errorf("mark %v, %d", m, got)
	}
	bad := good
	bad.Arg = func(arg any) error { *arg.(*int) = -1; return nil }
	if err := routing.Deliver(rt, &bad); err != nil {
		t.Fatal(err)
	}
	if <-marks; !errors.Is(<-done, errByRoute) {
		t.Error("no panic")
	}
	broken := func(any) error { return errByRoute }
	for name, change := range map[string]func(d *route.Delivery){
		"there is no kind nobody":       func(d *route.Delivery) { d.To[0].Kind = "nobody" },
		"there is no operation nothing": func(d *route.Delivery) { d.Operation = "nothing" },
		"is for states of []int":        func(d *route.Delivery) { d.Operation = freerun.NameOf(routeNote) },
		"the key of kind":               func(d *route.Delivery) { d.To[0].Key = broken },
		"is on 1 units":                 func(d *route.Delivery) { d.To = append(d.To, d.To...) },
		"the argument of":               func(d *route.Delivery) { d.Arg = broken },
	} {
		d := good
		d.To = slices.Clone(good.To)
		change(&d)
		if err := routing.Deliver(rt, &d); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	quiet(t, rt)
	rt.Close()
	if err := routing.Deliver(rt, &good); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// TestDeclared: kinds and operations on units are listed with their names and types.
func TestDeclared(t *testing.T) {
	find := func(all []route.Declared, name string) route.Declared {
		for _, d := range all {
			if d.Name == name {
				return d
			}
		}
		t.Fatalf("%s is not listed", name)
		return route.Declared{}
	}
	k := find(routing.Kinds(), freerun.NameOf(shelved))
	theShelf.set(func(*shelfStore) {})
	rt := freerun.New()
	defer rt.Close()
	unused := k.Active(rt)
	runtimetest.Must(t, shelvedAdd.Send(rt.Context(), shelved.At(rt.Context(), "counted"), 1))
	used := k.Active(rt)
	runtimetest.Must(t, shelved.Stop(rt.Context(), "counted"))
	if stopped := k.Active(rt); unused != 0 || used != 1 || stopped != 0 {
		t.Errorf("%d units are active before the first, %d then, %d after its end", unused, used, stopped)
	}
	if k.Given != "shelved" || k.Store != theShelf || k.State.Kind() != reflect.Int || k.Key.String() != "string" {
		t.Errorf("%+v", k)
	}
	o := find(routing.Operations(), freerun.NameOf(shelvedAdd))
	if o.Given != "shelvedAdd" || o.Form != route.Run || o.State.Kind() != reflect.Int || o.Arg.Kind() != reflect.Int || o.Result.Kind() != reflect.Int {
		t.Errorf("%+v", o)
	}
	if o := find(routing.Operations(), freerun.NameOf(routeGet)); o.Form != route.Read {
		t.Errorf("%+v", o)
	}
}

// TestStoredMisuse: options that do not fit a store are refused at the declaration.
func TestStoredMisuse(t *testing.T) {
	fresh := func(name string) string { // for -count
		return fmt.Sprint("misused-", name, misuses.Add(1))
	}
	for name, declare := range map[string]func(){
		"two stores": func() {
			freerun.NewKind(fresh("twoStores"), func(*freerun.Context, string) (int, error) { return 0, nil }, routing.Stored(theShelf), routing.Stored(theShelf))
		},
		"two routes": func() {
			freerun.NewKind(fresh("twoRoutes"), func(*freerun.Context, string) (int, error) { return 0, nil }, routing.Stored(theShelf), routing.Option(theShelf))
		},
		"a policy for panics": func() {
			freerun.NewKind(fresh("policy"), func(*freerun.Context, string) (int, error) { return 0, nil }, routing.Stored(theShelf), freerun.StopOnPanic())
		},
		"for a kind whose states are stored": func() {
			freerun.NewKind(fresh("restarts"), func(*freerun.Context, string) (int, error) { return 0, nil }, routing.Stored(theShelf), freerun.Restarts(3, time.Minute))
		},
		"with a store for its states": func() {
			rt := freerun.New()
			defer rt.Close()
			k := freerun.NewKind(fresh("configured"), func(*freerun.Context, string) (int, error) { return 0, nil })
			k.Configure(rt, routing.Stored(theShelf))
		},
		"a nil store": func() { routing.Stored(nil) },
	} {
		func() {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), name) {
					t.Errorf("%s: %v", name, v)
				}
			}()
			declare()
		}()
	}
}
