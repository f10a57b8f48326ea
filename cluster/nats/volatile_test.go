package nats_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// parlor is the state of units that machines share, and that are not durable.
type parlor struct{ Guests []string }

// asks is what an operation does: it waits on a channel of the test, by name.
type asks struct {
	Name string
	Fut  freerun.Future[string]
}

var (
	errFullHouse = cluster.StoredError("nats_test.errFullHouse", errors.New("full house"))

	parlorsStopped sync.Map // key → guests, when it was stopped
	parlors        = freerun.NewKind("parlor", func(*freerun.Context, string) (parlor, error) { return parlor{}, nil },
		cluster.Volatile(), freerun.OnStop(func(_ *freerun.Context, key string, p *parlor) { parlorsStopped.Store(key, p.Guests) }))
	enter = freerun.Op("enter", func(_ *freerun.Context, p *parlor, guest string) (int, error) {
		switch guest {
		case "":
			return 0, errFullHouse
		case "a bull":
			panic("in the parlor")
		}
		p.Guests = append(p.Guests, guest)
		return len(p.Guests), nil
	})
	guests = freerun.ReadOp("guests", func(_ *freerun.Context, p *parlor, _ struct{}) ([]string, error) {
		return slices.Clone(p.Guests), nil
	})
	// sendOn returns what another parlor says.
	sendOn = freerun.Op("sendOn", func(c *freerun.Context, p *parlor, to string) (int, error) {
		return freerun.Forward(c, enter.Send(c, parlors.At(c, to), "sent on"))
	})
	enterLater = freerun.Op("enterLater", func(_ *freerun.Context, p *parlor, a asks) (int, error) {
		name, err := a.Fut.Result()
		p.Guests = append(p.Guests, name)
		return len(p.Guests), err
	})
	// doors are what operations wait for, by name.
	doors    sync.Map
	holdDoor = freerun.Op("holdDoor", func(c *freerun.Context, _ *parlor, name string) (struct{}, error) {
		door, _ := doors.Load(name)
		c.Block(func() { <-door.(chan struct{}) })
		return struct{}{}, nil
	})
	unsendable = freerun.Op("unsendable", func(*freerun.Context, *parlor, func()) (struct{}, error) { return struct{}{}, nil })
	bothRooms  = freerun.Op2("bothRooms", func(*freerun.Context, *parlor, *parlor, struct{}) (struct{}, error) { return struct{}{}, nil })
	// Boards are topics: parlors register, and are told what is said there.
	boards = freerun.NewKind("board", func(*freerun.Context, string) (map[string]bool, error) { return map[string]bool{}, nil }, cluster.Volatile())
	listen = freerun.Op("listen", func(_ *freerun.Context, b *map[string]bool, parlor string) (int, error) {
		(*b)[parlor] = true
		return len(*b), nil
	})
	say = freerun.Op("say", func(c *freerun.Context, b *map[string]bool, text string) (int, error) {
		for parlor := range *b {
			if err := enter.Tell(c, parlors.At(c, parlor), text); err != nil {
				return 0, err
			}
		}
		return len(*b), nil
	})
	// reports is what durable units tell parlors.
	reports = freerun.Op("reports", func(c *freerun.Context, n *note, to string) (int, error) {
		n.Lines = append(n.Lines, "reports")
		return 0, enter.Tell(c, parlors.At(c, to), "reported")
	})
)

// joinTwo makes two nodes that know each other, and returns keys of parlors that are on each.
func joinTwo(t *testing.T, program string, more ...nats.Option) (a, b *joined, atA, atB []string) {
	t.Helper()
	return joinTwoAt(t, serve(t, nil), program, more...)
}

// parts is the number of partitions of tests that send from machine to machine: of few, a machine
// may well have none.
const parts = 32

func joinTwoAt(t *testing.T, url, program string, more ...nats.Option) (a, b *joined, atA, atB []string) {
	t.Helper()
	options := append([]nats.Option{nats.Create(1), nats.Partitions(parts)}, more...)
	a, b = join(t, program, url, options...), join(t, program, url, options...)
	eventually(t, "the machines know each other, and share the partitions", func() bool {
		sharesOfA, sharesOfB := a.node.Machines().Partitions, b.node.Machines().Partitions
		return len(sharesOfA) == 2 && maps.Equal(sharesOfA, sharesOfB)
	})
	if shares := a.node.Machines().Partitions; slices.Contains(slices.Collect(maps.Values(shares)), 0) {
		t.Fatalf("a machine of two has nothing of %d partitions, by a chance of one in two billions: %v", parts, shares)
	}
	for i := 0; len(atA) < 20 || len(atB) < 20; i++ {
		key := fmt.Sprint(program, i) // tests run at the same time, and have kinds in common
		if _, here, err := cluster.OwnerOf(a.node, parlors, key); err != nil {
			t.Fatal(err)
		} else if here {
			atA = append(atA, key)
		} else {
			atB = append(atB, key)
		}
	}
	return a, b, atA, atB
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not come: %s", what)
		}
	}
}

// TestVolatile holds that machines share units that are not durable: all come to one unit of a key,
// in their order, and outcomes come back as they are.
func TestVolatile(t *testing.T) {
	t.Parallel()
	a, b, atA, atB := joinTwo(t, "volatile")
	for _, key := range slices.Concat(atA, atB) {
		for n, m := range []*joined{a, b, a} {
			got, err := enter.Call(t.Context(), parlors.At(m.rt.Context(), key), fmt.Sprint("guest ", n))
			if err != nil || got != n+1 {
				t.Fatalf("%s: %d, %v; want %d", key, got, err, n+1)
			}
		}
	}
	if la, lb := parlors.Len(a.rt), parlors.Len(b.rt); la != len(atA) || lb != len(atB) {
		t.Errorf("there are %d and %d units, want %d and %d", la, lb, len(atA), len(atB))
	}
	c := a.rt.Context()
	u, far := parlors.At(c, atA[0]), parlors.At(c, atB[0])
	for _, u := range []*freerun.Unit[parlor]{u, far} {
		if _, err := enter.Call(t.Context(), u, ""); !errors.Is(err, errFullHouse) {
			t.Errorf("an error: %v", err)
		}
		if _, err := enter.Call(t.Context(), u, "a bull"); err == nil || !strings.Contains(err.Error(), "panicked: in the parlor") {
			t.Errorf("a panic: %v", err)
		}
		if _, err := sendOn.Call(t.Context(), u, atB[1]); err != nil {
			t.Errorf("what another one says: %v", err)
		}
		if got, err := guests.Call(t.Context(), u, struct{}{}); err != nil || len(got) != 3 {
			t.Errorf("a read: %q, %v", got, err)
		}
	}
	if got, err := guests.Call(t.Context(), parlors.At(c, atB[1]), struct{}{}); err != nil || len(got) != 5 {
		t.Errorf("what was sent on: %q, %v", got, err)
	}
	p := freerun.NewPromise[string](c)
	later := enterLater.Send(c, far, asks{Fut: p.Future()})
	p.Resolve("late", nil)
	if n, err := later.Wait(t.Context()); err != nil || n != 4 {
		t.Errorf("an argument with a future: %d, %v", n, err)
	}
	// Many at once, in their order.
	for i := range 1000 {
		if err := enter.Tell(c, parlors.At(c, atB[2]), fmt.Sprintf("%04d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := guests.Call(t.Context(), parlors.At(c, atB[2]), struct{}{}); err != nil || len(got) != 1003 || !slices.IsSorted(got[3:]) {
		t.Errorf("%d have come, in order: %v, %v", len(got), slices.IsSorted(got[3:]), err)
	}
	// What a durable unit tells leaves once its effect is stored.
	if _, err := reports.Call(t.Context(), notes.At(c, "n"), atB[3]); err != nil {
		t.Error(err)
	}
	eventually(t, "what a durable unit has told", func() bool {
		got, err := guests.Call(t.Context(), parlors.At(c, atB[3]), struct{}{})
		return err == nil && len(got) == 4
	})
	a.leave(t)
	if got, _ := parlorsStopped.Load(atA[1]); len(got.([]string)) != 3 {
		t.Errorf("the unit was stopped with %q", got)
	}
	for _, key := range slices.Concat(atA, atB) {
		if _, here, err := cluster.OwnerOf(b.node, parlors, key); err != nil || !here {
			t.Errorf("%s is elsewhere, and there is one machine: %v", key, err)
		}
		got, err := guests.Call(t.Context(), parlors.At(b.rt.Context(), key), struct{}{})
		if moved := slices.Contains(atA, key); err != nil || moved != (len(got) == 0) {
			t.Errorf("%s: %q, %v", key, got, err)
		}
	}
	b.leave(t)
}

// TestVolatileRefused holds what cannot be sent to units that machines share, and that a Tell which
// fails elsewhere is a lost message here.
func TestVolatileRefused(t *testing.T) {
	t.Parallel()
	a, b, atA, atB := joinTwo(t, "refused")
	defer b.leave(t)
	c := a.rt.Context()
	nothing := func(*freerun.Context, *parlor) (int, error) { return 0, nil }
	for _, key := range []string{atA[0], atB[0]} {
		u := parlors.At(c, key)
		for what, f := range map[string]func() error{
			"a function": func() error {
				_, err := freerun.Do(c, u, nothing).Wait(t.Context())
				return err
			},
			"a function to see": func() error {
				_, err := freerun.Read(c, u, nothing).Wait(t.Context())
				return err
			},
			"several units": func() error {
				_, err := bothRooms.Call(t.Context(), u, parlors.At(c, atB[1]), struct{}{})
				return err
			},
			"Suspend": func() error {
				_, err := freerun.Suspend(c, u, freerun.After(c, time.Hour)).Wait(t.Context())
				return err
			},
		} {
			if err := f(); !errors.Is(err, cluster.ErrNotSent) {
				t.Errorf("%s to %s: %v", what, key, err)
			}
		}
		if _, err := unsendable.Call(t.Context(), u, func() {}); !errors.Is(err, cluster.ErrNotSent) {
			t.Errorf("an argument that cannot be encoded, to %s: %v", key, err)
		}
	}
	if err := enter.Tell(c, parlors.At(c, atB[0]), ""); err != nil {
		t.Error(err)
	}
	eventually(t, "a lost message", func() bool {
		return slices.ContainsFunc(a.rt.LostMessages(), func(m freerun.LostMessage) bool {
			return errors.Is(m.Err, errFullHouse) && strings.Contains(m.Operation, "enter")
		})
	})
	u := parlors.At(c, atB[0])
	a.leave(t)
	if _, err := enter.Call(t.Context(), u, "x"); !errors.Is(err, freerun.ErrClosed) && !errors.Is(err, cluster.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// TestVolatileGivenUp holds that what nobody waits for any more does not begin on the machine that
// has the unit, and what has a deadline not after it.
func TestVolatileGivenUp(t *testing.T) {
	t.Parallel()
	a, b, _, atB := joinTwo(t, "given-up")
	defer b.leave(t)
	defer a.leave(t)
	c, door := a.rt.Context(), make(chan struct{})
	doors.Store("given up", door)
	u := parlors.At(c, atB[0])
	held := holdDoor.Send(c, u, "given up")
	scope := a.rt.Scope(context.Background())
	inScope := enter.Send(scope.Context(), u, "of a scope")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := enter.Call(ctx, u, "of a Call"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a Call that gives up: %v", err)
	}
	scope.Cancel(errFullHouse)
	if _, err := inScope.Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, errFullHouse) {
		t.Errorf("in a scope that was canceled: %v", err)
	}
	// They are given up there, too, while the unit is busy.
	eventually(t, "both are given up where the unit is", func() bool {
		return b.rt.Stats().Failed >= 2
	})
	close(door)
	if _, err := held.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if got, err := guests.Call(t.Context(), u, struct{}{}); err != nil || len(got) > 0 {
		t.Errorf("%q have come, %v", got, err)
	}
}

// TestVolatileTopic holds that what is said on one machine comes to units on all, in its order.
func TestVolatileTopic(t *testing.T) {
	t.Parallel()
	a, b, atA, atB := joinTwo(t, "topic")
	defer b.leave(t)
	defer a.leave(t)
	ends := []string{atA[0], atB[0], atA[1], atB[1]}
	for i, key := range ends {
		c := []*joined{a, b}[i%2].rt.Context()
		if _, err := listen.Call(t.Context(), boards.At(c, "news"), key); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		if n, err := say.Call(t.Context(), boards.At(a.rt.Context(), "news"), fmt.Sprintf("%03d", i)); err != nil || n != len(ends) {
			t.Fatalf("%d are told, %v", n, err)
		}
	}
	for _, key := range ends {
		eventually(t, "all that was said", func() bool {
			got, err := guests.Call(t.Context(), parlors.At(b.rt.Context(), key), struct{}{})
			return err == nil && len(got) == 100 && slices.IsSorted(got)
		})
	}
}

// TestVolatileLeaves holds that a machine that leaves in order runs what it has taken, that the
// outcomes come, that what it has not taken runs elsewhere, and that its units are stopped.
func TestVolatileLeaves(t *testing.T) {
	t.Parallel()
	for range 3 {
		a, b, _, atB := joinTwo(t, "leaves")
		c, door := a.rt.Context(), make(chan struct{})
		doors.Store("leaves", door)
		held := holdDoor.Send(c, parlors.At(c, atB[0]), "leaves")
		eventually(t, "the operation has begun", func() bool { return parlors.Len(b.rt) > 0 })
		time.AfterFunc(300*time.Millisecond, func() { close(door) })
		var all []freerun.Future[int]
		closed := make(chan error, 1)
		for i := range 900 {
			if i == 300 {
				go func() { closed <- b.node.Close() }()
			}
			all = append(all, enter.Send(c, parlors.At(c, atB[i%len(atB)]), "x"))
		}
		if _, err := held.Wait(t.Context()); err != nil {
			t.Errorf("what was under way: %v", err)
		}
		for i, f := range all {
			if _, err := f.Wait(t.Context()); err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if n := parlors.Len(b.rt); n != 0 {
			t.Errorf("%d units are on a machine that has left", n)
		}
		b.leave(t)
		a.leave(t)
	}
}

// TestCallValues holds that Once and Direct hold for a Call as for a Send, also through a volatile
// unit of another machine.
func TestCallValues(t *testing.T) {
	t.Parallel()
	a, b, atA, atB := joinTwo(t, "values")
	defer b.leave(t)
	defer a.leave(t)
	c := a.rt.Context()
	once := cluster.Once(c, "it")
	for range 2 {
		if n, err := jot.Call(once, notes.At(c, "once"), "x"); err != nil || n != 1 {
			t.Errorf("a Call with an identity: %d, %v", n, err)
		}
	}
	for _, through := range []string{atA[0], atB[0], atA[1], atB[1]} {
		if n, err := jotFor.Call(cluster.Once(c, "through"), parlors.At(c, through), "through"); err != nil || n != 1 {
			t.Errorf("through %s: %d, %v", through, n, err)
		}
	}
}

// jotFor jots in a note.
var jotFor = freerun.Op("jotFor", func(c *freerun.Context, _ *parlor, note string) (int, error) {
	return freerun.Forward(c, jot.Send(c, notes.At(c, note), "for another"))
})
