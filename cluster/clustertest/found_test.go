package clustertest

import (
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// What the simulation has found in package cluster, each as a small program.

// silent tells a book, and then comes to nothing: the outcome is an open future, or the goroutine
// ends when the operation runs again.
var silent = freerun.Op("silent", func(c *freerun.Context, b *book, s step) (freerun.Future[time.Time], error) {
	b.Ran = append(b.Ran, s.ID)
	if err := hear.Tell(c, books[s.Tells.Of].At(c, s.Tells.Key), heard{ID: s.ID}); err != nil {
		return freerun.Future[time.Time]{}, err
	}
	return freerun.After(c, time.Hour), nil
})

// exits tells a book, and ends its goroutine when it runs for the second time in a process.
var exits = freerun.Op("exits", func(c *freerun.Context, b *book, s step) (int, error) {
	b.Ran = append(b.Ran, s.ID)
	if err := hear.Tell(c, books[s.Tells.Of].At(c, s.Tells.Key), heard{ID: s.ID}); err != nil {
		return 0, err
	}
	if _, again := tried.LoadOrStore(attempt{c.Runtime(), "began", s.ID}, true); again {
		return trouble{Exits: true}.comes(c, b, "exits", s.ID)
	}
	return 0, nil
})

// TestUndoneTellsNothing holds that an operation whose changes are undone tells nothing: one that
// returns an open future, and one that ends its goroutine when it runs again.
func TestUndoneTellsNothing(t *testing.T) {
	Run(t, Options{Seeds: 100, Lives: 1, Faults: &Faults{}}, func(s *Sim) {
		tried.Clear()
		for rt := range s.Lives() {
			c := rt.Context()
			from, to := books[0].At(c, 0), &target{Of: 0, Key: 1}
			first := note.Send(c, from, step{ID: 1})
			open := silent.Send(c, from, step{ID: 2, Tells: to})
			ends := exits.Send(c, from, step{ID: 3, Tells: to})
			note.Send(c, from, step{ID: 4, trouble: trouble{Panics: 1}})
			if _, err := first.Wait(s.Context()); err != nil {
				s.Error(err)
			}
			if _, err := open.Wait(s.Context()); !errors.Is(err, cluster.ErrForwarded) {
				s.Errorf("an open future: %v", err)
			}
			if _, err := ends.Wait(s.Context()); !errors.Is(err, freerun.ErrGoexit) {
				s.Errorf("the end of a goroutine: %v", err)
			}
		}
		rt, _ := s.Last()
		c := rt.Context()
		if b, err := look.Send(c, books[0].At(c, 1), struct{}{}).Wait(s.Context()); err != nil || b.Told != nil {
			s.Errorf("%v was told, %v", b.Told, err)
		}
	})
}

// TestReadsEnd holds that a read has an outcome whose unit has become passive during the write of
// what it has seen, when that write fails and the state cannot be loaded.
func TestReadsEnd(t *testing.T) {
	faults := &Faults{NoSpace: 0.5, FailedRead: 0.5}
	Run(t, Options{Seeds: 100, Lives: 1, Faults: faults}, func(s *Sim) {
		tried.Clear()
		for rt := range s.Lives() {
			c := rt.Context()
			u := books[0].At(c, 0)
			for id := range 4 {
				note.Send(c, u, step{ID: id})
				f := look.Send(c, u, struct{}{})
				books[0].Stop(c, 0)
				look.Send(c, u, struct{}{})
				if _, err := f.Wait(s.Context()); errors.Is(err, freerun.ErrStalled) {
					s.Fatalf("a read: %v", err)
				}
				_, _ = freerun.After(c, time.Second).Wait(s.Context())
			}
		}
	})
}

// TestStoppedRests holds that a process whose store takes no more writes does not try again for
// ever what its timers tell: a life that goes on for a year comes to its end.
func TestStoppedRests(t *testing.T) {
	Run(t, Options{Seeds: 20, Lives: 1, Faults: &Faults{DiskError: 0.5}}, func(s *Sim) {
		tried.Clear()
		for rt := range s.Lives() {
			c := rt.Context()
			for key := range keys {
				do.Send(c, clerks[0].At(c, key), errand{ID: key, Rings: int((24 * time.Hour).Milliseconds())})
			}
			_, _ = freerun.After(c, year).Wait(s.Context())
		}
		rt, _ := s.Last()
		for key := range keys {
			k, err := lookAt.Call(s.Context(), clerks[0].At(rt.Context(), key), struct{}{})
			if err != nil || len(k.Rang) > len(k.Did) {
				s.Errorf("%d: %+v, %v", key, k, err)
			}
		}
	})
}

// berths has room for two units; spreads tells many of them.
var (
	berths  = freerun.NewKind("berth", func(*freerun.Context, int) (int, error) { return 0, nil }, cluster.Durable(), freerun.MaxActive(2))
	moor    = freerun.Op("moor", func(_ *freerun.Context, n *int, by int) (int, error) { *n += by; return *n, nil })
	spreads = freerun.Op("spreads", func(c *freerun.Context, _ *clerk, n int) (int, error) {
		for key := range n {
			if err := moor.Tell(c, berths.At(c, key), 1); err != nil {
				return 0, err
			}
		}
		return n, nil
	})
)

// TestCrowd holds that what is told to many units of a kind with room for few comes one after
// another, and not after pauses that become longer: the time is that of the simulation.
func TestCrowd(t *testing.T) {
	const many = 1000
	Run(t, Options{Seeds: 2, Lives: 1, Faults: &Faults{}}, func(s *Sim) {
		for rt, node := range s.Lives() {
			c := rt.Context()
			began := rt.Now()
			if _, err := spreads.Call(s.Context(), clerks[0].At(c, 0), many); err != nil {
				s.Fatal(err)
			}
			for node.Stats().Deliveries > 0 {
				_, _ = freerun.After(c, 10*time.Millisecond).Wait(s.Context())
			}
			if took := rt.Now().Sub(began); took > 3*time.Second {
				s.Errorf("it took %v", took)
			}
		}
		rt, _ := s.Last()
		for key := range many {
			if n, err := moor.Call(s.Context(), berths.At(rt.Context(), key), 0); n != 1 || err != nil {
				s.Errorf("%d: %d, %v", key, n, err)
			}
		}
	})
}

// guests have timers, and hosts tell them to leave.
var (
	guests = freerun.NewKind("guest", func(*freerun.Context, string) (int, error) { return 0, nil }, cluster.Durable())
	hosts  = freerun.NewKind("host", func(*freerun.Context, string) (string, error) { return "", nil }, cluster.Durable())

	arrive = freerun.Op("arrive", func(c *freerun.Context, n *int, _ struct{}) (int, error) {
		*n++
		return *n, cluster.TellAfter(c, time.Hour, "depart", depart, struct{}{})
	})
	depart = freerun.Op("depart", func(c *freerun.Context, _ *int, _ struct{}) (int, error) {
		return 0, cluster.Forget(c)
	})
	sendAway = freerun.Op("sendAway", func(c *freerun.Context, _ *string, guest string) (int, error) {
		return 0, depart.Tell(c, guests.At(c, guest), struct{}{})
	})
)

// TestForgottenStays holds that a unit which is forgotten as a process begins, before that has read
// its timers, is not stored again when the time of these comes.
func TestForgottenStays(t *testing.T) {
	Run(t, Options{Seeds: 200, Lives: 1, Faults: &Faults{Kill: 1}}, func(s *Sim) {
		for rt := range s.Lives() {
			c := rt.Context()
			if _, err := arrive.Send(c, guests.At(c, "eve"), struct{}{}).Wait(s.Context()); err != nil {
				s.Fatal(err)
			}
			if _, err := sendAway.Send(c, hosts.At(c, "ada"), "eve").Wait(s.Context()); err != nil {
				s.Fatal(err)
			}
		}
		rt, node := s.Last()
		_, _ = freerun.After(rt.Context(), 2*time.Hour).Wait(s.Context())
		for key, err := range cluster.Keys(node, guests, "") {
			s.Errorf("%s was forgotten, and is stored: %v", key, err)
		}
	})
}
