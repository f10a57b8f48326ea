package jet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestMadeTogether has several processes make one store at the same time: all of them have it.
func TestMadeTogether(t *testing.T) {
	t.Parallel()
	for _, n := range replicas {
		s := serve(t, n)
		for round := range 5 {
			name := fmt.Sprint("together-", n, "-", round)
			ids := make([][16]byte, 6)
			var all sync.WaitGroup
			for i := range ids {
				nc := s.connect(t)
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					e, err := Open(ctx, nc, Options{Program: name, Partitions: 4, Replicas: n, Create: true})
					if err != nil {
						t.Errorf("R%d, process %d: %v", n, i, err)
						return
					}
					ids[i] = e.ID()
					e.Close()
				})
			}
			all.Wait()
			for i := range ids {
				if ids[i] != ids[0] || ids[i] == [16]byte{} {
					t.Errorf("R%d: process %d has store %x, and process 0 has %x", n, i, ids[i], ids[0])
				}
			}
		}
	}
}

// TestHalfMade ends a process while it makes a store: the next one that may make it goes on, and
// what was whole once is not made again.
func TestHalfMade(t *testing.T) {
	t.Parallel()
	nc := serve(t, 1).connect(t)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Program: "half", Partitions: 4, Replicas: 1, Create: true}
	first := &Engine{names: names{o.Program}, nc: nc, partitions: o.Partitions}
	if _, err := first.makeLogs(t.Context(), js, o); err != nil {
		t.Fatal(err)
	}
	asks := o
	asks.Create = false
	if _, err := Open(t.Context(), nc, asks); !errors.Is(err, engine.ErrStateLost) || !strings.Contains(err.Error(), "not made to their end") {
		t.Errorf("a start that may not make it: %v", err)
	}
	e, err := Open(t.Context(), nc, o)
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	if e, err = Open(t.Context(), nc, asks); err != nil {
		t.Fatalf("it is not whole: %v", err)
	}
	e.Close()
	for _, name := range []string{first.entries(), first.logs()} {
		if err := js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if name == first.logs() {
			break // both are gone, as on a new server
		}
		if _, err := Open(t.Context(), nc, o); !errors.Is(err, engine.ErrStateLost) || !strings.Contains(err.Error(), "restore both") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	if e, err = Open(t.Context(), nc, o); err != nil {
		t.Fatal(err)
	}
	e.Close()
	if err := js.DeleteStream(t.Context(), first.logs()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), nc, o); !errors.Is(err, engine.ErrStateLost) || !strings.Contains(err.Error(), "restore both") {
		t.Errorf("without the logs: %v", err)
	}
}

// TestOpenChangesNothing holds that Open, which tries what it may do, leaves all as it is.
func TestOpenChangesNothing(t *testing.T) {
	t.Parallel()
	for _, n := range replicas {
		s := serve(t, n)
		nc := s.connect(t)
		e := open(t, nc, Options{Program: "same", Replicas: n})
		done := make(chan error, 1)
		for p := range 4 {
			e.Append(p, []byte("entry"), func(_ uint64, err error) { done <- err })
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			e.Swap(p, []engine.Write{{Key: []byte("x"), Value: []byte("record")}}, 0, func(_ uint64, err error) { done <- err })
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		js, err := nc.JetStream()
		if err != nil {
			t.Fatal(err)
		}
		state := func() (all [2]string) {
			for i, name := range [2]string{e.logs(), e.entries()} {
				info, err := js.StreamInfo(name)
				if err != nil {
					t.Fatal(err)
				}
				all[i] = fmt.Sprint(info.State.Msgs, " from ", info.State.FirstSeq, " to ", info.State.LastSeq)
			}
			return all
		}
		before := state()
		if before[0] != "4 from 1 to 4" {
			t.Fatalf("R%d: the logs have %s", n, before[0])
		}
		open(t, s.connect(t), Options{Program: "same", Replicas: n}).Close()
		// What Open has asked is over, once this is.
		e.Append(0, []byte("entry"), func(_ uint64, err error) { done <- err })
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if after := state(); after[0] != "5 from 1 to 5" || after[1] != before[1] {
			t.Errorf("R%d: it was %q, and is %q", n, before, after)
		}
		e.Close()
	}
}
