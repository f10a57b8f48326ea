package freerun_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// chamber is the state of the units that the tests of kinds use.
type chamber struct {
	name string
	said []int
}

var (
	roomMade, roomStopped atomic.Int64

	rooms = freerun.NewKind("room", func(c *freerun.Context, key string) (chamber, error) {
		roomMade.Add(1)
		return chamber{name: key}, nil
	})
	say = freerun.Op("say", func(c *freerun.Context, r *chamber, n int) (int, error) {
		r.said = append(r.said, n)
		return len(r.said), nil
	})
	called = freerun.Op("called", func(c *freerun.Context, r *chamber, _ struct{}) (string, error) {
		return r.name + "=" + rooms.Key(c), nil
	})
)

// TestKindActivates has messages to some keys: each has a unit of its own, made once, in the order
// of sending.
func TestKindActivates(t *testing.T) {
	rt := freerun.New(freerun.Processors(2))
	defer rt.Close()
	c := rt.Context()
	var last []freerun.Future[int]
	for n := range 100 {
		for k := range 10 {
			last = append(last, say.Send(c, rooms.At(c, fmt.Sprint(k)), n))
		}
	}
	for i, f := range last {
		if n, err := f.Wait(t.Context()); err != nil || n != i/10+1 {
			t.Fatalf("message %d: %d, %v", i, n, err)
		}
	}
	if rooms.Len(rt) != 10 {
		t.Errorf("%d units are active", rooms.Len(rt))
	}
	if name, err := called.Send(c, rooms.At(c, "7"), struct{}{}).Wait(t.Context()); name != "7=7" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	keys := ""
	for key, u := range rooms.All(rt) {
		keys += key
		if u != rooms.At(c, key) {
			t.Errorf("another unit of %s", key)
		}
	}
	if keys != "0123456789" {
		t.Errorf("keys %s", keys)
	}
}

// TestKindStop has a unit stop and begin anew.
func TestKindStop(t *testing.T) {
	rt := freerun.New()
	defer rt.Close()
	c := rt.Context()
	u := rooms.At(c, "a")
	say.Send(c, u, 1)
	f := say.Send(c, u, 2)
	was := rooms.Stop(c, "a")
	g := say.Send(c, u, 3)
	n, _ := f.Wait(t.Context())
	yes, err := was.Wait(t.Context())
	m, _ := g.Wait(t.Context())
	if n != 2 || !yes || err != nil || m != 1 {
		t.Errorf("%d, %v %v, %d", n, yes, err, m)
	}
	if yes, err := rooms.Stop(c, "never").Wait(t.Context()); yes || err != nil {
		t.Errorf("a key that was not used: %v, %v", yes, err)
	}
}

var (
	errNoDisk = errors.New("no disk")
	fails     atomic.Int64
	flaky     = freerun.NewKind("flaky", func(c *freerun.Context, key int) (int, error) {
		switch {
		case fails.Add(-1) < 0:
			return 100, nil
		case key == 1:
			panic("oh")
		case key == 2:
			runtime.Goexit()
		}
		return 0, errNoDisk
	})
	peek = freerun.Op("peek", func(c *freerun.Context, n *int, _ struct{}) (int, error) { return *n, nil })
)

// TestKindFails has states that cannot be made: what waits fails, and the next message after the
// back-off tries again.
func TestKindFails(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c := rt.Context()
	for key := range 3 {
		fails.Store(1)
		u := flaky.At(c, key)
		_, err := peek.Send(c, u, struct{}{}).Wait(t.Context())
		var why *freerun.ActivationError
		if !errors.As(err, &why) || why.Key != key || !strings.HasSuffix(why.Kind, "flaky") {
			t.Fatalf("key %d: %v", key, err)
		}
		if _, panicked := errors.AsType[*freerun.PanicError](err); panicked != (key > 0) || errors.Is(err, errNoDisk) == (key > 0) {
			t.Errorf("key %d: %v", key, err)
		}
		for {
			n, err := peek.Send(c, u, struct{}{}).Wait(t.Context())
			if err == nil {
				if n != 100 {
					t.Errorf("state %d", n)
				}
				break
			}
			if !errors.As(err, &why) {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
	}
	if s := flaky.Stats(rt); s.Failures != 3 || s.Activations != 3 || s.Active != 3 {
		t.Errorf("%+v", s)
	}
}

var lent = freerun.NewKind("lent", func(c *freerun.Context, key string) ([]int, error) { return []int{len(key)}, nil },
	freerun.PassivateAfter(4*time.Millisecond),
	freerun.OnStop(func(c *freerun.Context, key string, s *[]int) { roomStopped.Add(1) }))

var addMore = freerun.Op("addMore", func(c *freerun.Context, s *[]int, n int) (int, error) {
	*s = append(*s, n)
	return len(*s), nil
})

// TestKindPassivates has a unit lose its state when it is idle, and be collected when nobody holds
// it.
func TestKindPassivates(t *testing.T) {
	rt := freerun.New()
	defer rt.Close()
	c := rt.Context()
	before := roomStopped.Load()
	for i := range 100 {
		if _, err := addMore.Send(c, lent.At(c, fmt.Sprint(i)), i).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for lent.Len(rt) > 0 {
		time.Sleep(time.Millisecond)
	}
	if n := roomStopped.Load() - before; n != int64(lent.Stats(rt).Passivations) || n < 100 {
		t.Errorf("%d stopped, %+v", n, lent.Stats(rt))
	}
	if n, err := addMore.Send(c, lent.At(c, "7"), 1).Wait(t.Context()); n != 2 || err != nil {
		t.Errorf("after passivation: %d, %v", n, err)
	}
	for freerun.Residents(lent, rt) > 1 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// TestKindMadeBy has each of two runtimes make states in its own way, and refuses functions of
// other types.
func TestKindMadeBy(t *testing.T) {
	for _, store := range []int{1, 1000} {
		rt, _ := runtimetest.Start(t)
		c := rt.Context()
		if store > 1 {
			evicted.Configure(rt, freerun.MadeBy(func(c *freerun.Context, key int) (int, error) {
				if key < 0 {
					return 0, errNoDisk
				}
				return freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (int, error) { return store + key, nil }))
			}))
		}
		want := 7
		if store > 1 {
			want = 1012
		}
		if n := runtimetest.Must(t, runtimetest.AddOne.Send(c, evicted.At(c, 5), 7)); n != want {
			t.Errorf("%d, want %d", n, want)
		}
		if _, err := runtimetest.AddOne.Send(c, evicted.At(c, -1), 7).Wait(t.Context()); store > 1 && !errors.Is(err, errNoDisk) || store == 1 && err != nil {
			t.Errorf("a state that cannot be made: %v", err)
		}
	}
	for what, wrong := range map[string]func(rt *freerun.Runtime){
		"a nil function": func(*freerun.Runtime) { freerun.MadeBy[int, int](nil) },
		"another key": func(rt *freerun.Runtime) {
			evicted.Configure(rt, freerun.MadeBy(func(*freerun.Context, string) (int, error) { return 0, nil }))
		},
		"another state": func(rt *freerun.Runtime) {
			evicted.Configure(rt, freerun.MadeBy(func(*freerun.Context, int) (string, error) { return "", nil }))
		},
		"after its use": func(rt *freerun.Runtime) {
			evicted.At(rt.Context(), 1)
			evicted.Configure(rt, freerun.MadeBy(func(*freerun.Context, int) (int, error) { return 0, nil }))
		},
		"configured twice": func(rt *freerun.Runtime) { evicted.Configure(rt); evicted.Configure(rt) },
	} {
		rt, _ := runtimetest.Start(t)
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, "MadeBy") && !strings.Contains(text, "Configure") {
					t.Errorf("%s: %v", what, text)
				}
			}()
			wrong(rt)
		}()
	}
}

// TestKindBucketsKeepNoUnit: units that were evicted are not kept until their idle time by the list
// of those that may be idle.
func TestKindBucketsKeepNoUnit(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c := rt.Context()
	for range 3 {
		for i := range 50 {
			runtimetest.Must(t, runtimetest.AddOne.Send(c, evicted.At(c, i), 1))
		}
		for i := range 50 {
			runtimetest.Must(t, evicted.Stop(c, i))
		}
	}
	awaitNoResidents(t, func() int { return freerun.Residents(evicted, rt) })
}

var evicted = freerun.NewKind("evicted", func(*freerun.Context, int) (int, error) { return 0, nil },
	freerun.PassivateAfter(20*time.Millisecond), freerun.MaxActive(5))

// TestKindShutdown has a runtime shut down: the states of all units are stopped once, also of one
// that is made by what is sent while another one stops. A Close stops none.
func TestKindShutdown(t *testing.T) {
	for _, shutdown := range []bool{true, false} {
		rt := freerun.New(freerun.Processors(2))
		before := lastStopped.Load()
		for i := range 100 {
			if _, err := peek.Send(rt.Context(), lasting.At(rt.Context(), i), struct{}{}).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		want := int64(101)
		if shutdown {
			if err := rt.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		} else if want = 0; rt.Close() != nil {
			t.Error("Close found something to do")
		}
		if n := lastStopped.Load() - before; n != want {
			t.Errorf("shutdown %v: %d stopped, want %d", shutdown, n, want)
		}
	}
}

var (
	lastStopped atomic.Int64
	lasting     = freerun.NewKind[int, int]("lasting", nil, freerun.OnStop(stopLasting))
	_           = freerun.Define(lasting, func(c *freerun.Context, key int) (int, error) { return key, nil })
)

func stopLasting(c *freerun.Context, key int, n *int) {
	lastStopped.Add(1)
	if key == 7 {
		freerun.Do(c, another(c), func(c *freerun.Context, n *int) (int, error) { return *n, nil })
	}
}

// another returns a unit that was not used before.
var another func(c *freerun.Context) *freerun.Unit[int]

func init() { another = func(c *freerun.Context) *freerun.Unit[int] { return lasting.At(c, 1000) } }

// TestKindMaxActive has addMore keys than may be active.
func TestKindMaxActive(t *testing.T) {
	rt := freerun.New(freerun.Processors(2))
	defer rt.Close()
	crowd := crowds
	c := rt.Context()
	for i := range 10_000 {
		if _, err := addMore.Send(c, crowd.At(c, i), i).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := crowd.Len(rt); n > 20 {
			t.Fatalf("%d active", n)
		}
	}
	if err := rt.Quiesce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := crowd.Stats(rt); s.Active > 10 || s.Evictions < 9980 {
		t.Errorf("%+v", s)
	}
}

var crowds = freerun.NewKind("crowd", func(c *freerun.Context, key int) ([]int, error) { return nil, nil }, freerun.MaxActive(10))

// TestKindCycle has a state that waits for a message to the unit itself, and for one to a unit that
// a message to both holds.
func TestKindCycle(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	defer rt.Close()
	c := rt.Context()
	if _, err := peek.Send(c, selves.At(c, 0), struct{}{}).Wait(t.Context()); !errors.Is(err, freerun.ErrCycle) {
		t.Errorf("itself: %v", err)
	}
	if _, err := peek.Send(c, selves.At(c, 2), struct{}{}).Wait(t.Context()); !errors.Is(err, freerun.ErrCycle) {
		t.Errorf("one another: %v", err)
	}
	vault = freerun.NewUnit(rt, 1)
	sum := func(c *freerun.Context, a, b *int) (int, error) { return *a + *b, nil }
	for range 100 {
		// From the only processor: so the message holds the vault before the state is made, and not
		// only if the vault comes first by its address.
		held := freerun.Go(c, func(c *freerun.Context) (int, error) {
			return freerun.Forward(c, freerun.When2(c, vault, selves.At(c, 1), sum))
		})
		if _, err := held.Wait(t.Context()); !errors.Is(err, freerun.ErrCycle) {
			t.Errorf("a unit that is held: %v", err)
		}
	}
	if _, err := freerun.When2(c, vault, selves.At(c, 5), sum).Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

var vault *freerun.Unit[int]

var selves = freerun.NewKind[int, int]("self", nil)

var _ = freerun.Define(selves, makeSelf)

func makeSelf(c *freerun.Context, key int) (int, error) {
	switch key {
	case 0:
		return freerun.Forward(c, peek.Send(c, selves.At(c, 0), struct{}{}))
	case 1:
		return freerun.Forward(c, peek.Send(c, vault, struct{}{}))
	case 2, 3:
		return freerun.Forward(c, peek.Send(c, selves.At(c, 5-key), struct{}{}))
	}
	return key, nil
}

var (
	floats  = freerun.NewKind("floats", func(c *freerun.Context, key float64) (int, error) { return 0, nil })
	anys    = freerun.NewKind("anys", func(c *freerun.Context, key any) (int, error) { return 0, nil })
	unready = freerun.NewKind[int, int]("unready", nil)
	names   atomic.Int64
)

// fresher returns a name that no kind has: a test may run several times.
func fresher(name string) string { return fmt.Sprint(name, names.Add(1)) }

// TestKindMisuse has each misuse of kinds tell what would be right.
func TestKindMisuse(t *testing.T) {
	rt := freerun.New()
	defer rt.Close()
	c := rt.Context()
	fresh := func(c *freerun.Context, key float64) (int, error) { return 0, nil }
	for name, misuse := range map[string]func(){
		"before it has a function": func() { unready.At(c, 1) },
		"declares kind":            func() { freerun.NewKind("floats", fresh) },
		"does not equal itself":    func() { floats.At(c, math.NaN()) },
		"[]int cannot be compared": func() { anys.At(c, []int{}) },
		"NewKind":                  func() { (*freerun.Kind[int, int])(nil).At(c, 1) },
		"after its first use":      func() { floats.At(c, 1); floats.Configure(rt, freerun.MaxActive(1)) },
		"no operation of a unit":   func() { floats.Key(c) },
		"use Restarts": func() {
			freerun.NewKind(fresher("restarts"), fresh, freerun.RestartOnPanic(func() int { return 0 }, 1, time.Second))
		},
		"OnStop for keys": func() {
			freerun.NewKind(fresher("stops"), fresh, freerun.OnStop(func(*freerun.Context, string, *int) {}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), name) {
					t.Errorf("%v", v)
				}
			}()
			misuse()
		})
	}
}

func startQuiet(t *testing.T) *freerun.Runtime {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	return rt
}
