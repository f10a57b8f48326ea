package jet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
		for round := range 4 {
			name := fmt.Sprint("together-", n, "-", round)
			ids := make([][16]byte, 6)
			var all sync.WaitGroup
			for i := range ids {
				nc := s.connect(t)
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					e, err := Open(ctx, nc, Options{Program: name, Partitions: 4, Pairs: 1 + round%2, Replicas: n, Create: true})
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
	for _, pairs := range []int{1, 2} {
		t.Run(fmt.Sprint("pairs ", pairs), func(t *testing.T) { halfMade(t, pairs) })
	}
}

func halfMade(t *testing.T, pairs int) {
	nc := serve(t, 1).connect(t)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Program: "half", Partitions: 4, Pairs: pairs, Replicas: 1, Create: true}
	maker := &Engine{names: names{o.Program, pairs}, nc: nc, partitions: o.Partitions}
	asks := o
	asks.Create = false
	all := maker.streams()
	for made := 1; made < len(all); made++ {
		first, err := maker.first(t.Context(), js, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, config := range maker.configs(first.Config.Metadata[identity], 1)[1:made] {
			if _, err := maker.make(t.Context(), js, config); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(t.Context(), nc, asks); !errors.Is(err, engine.ErrStateLost) || !strings.Contains(err.Error(), "not made to their end") {
			t.Errorf("%d of %d streams, for a start that may not make them: %v", made, len(all), err)
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
		for _, name := range all {
			if err := js.DeleteStream(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, lost := range all {
		e, err := Open(t.Context(), nc, o)
		if err != nil {
			t.Fatal(err)
		}
		e.Close()
		if err := js.DeleteStream(t.Context(), lost); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), nc, o); !errors.Is(err, engine.ErrStateLost) || !strings.Contains(err.Error(), "not "+lost+"; restore all") {
			t.Errorf("without %s: %v", lost, err)
		}
		for _, name := range all {
			if name != lost {
				if err := js.DeleteStream(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestOpenChangesNothing holds that Open, which tries what it may do, leaves all as it is.
func TestOpenChangesNothing(t *testing.T) {
	t.Parallel()
	for _, n := range replicas {
		s := serve(t, n)
		nc := s.connect(t)
		e := open(t, nc, Options{Program: "same", Pairs: 2, Replicas: n})
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
		state := func() (all []string) {
			for _, name := range e.streams() {
				info, err := js.StreamInfo(name)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, fmt.Sprint(info.State.Msgs, " from ", info.State.FirstSeq, " to ", info.State.LastSeq))
			}
			return all
		}
		before := state()
		if before[0] != "2 from 1 to 2" || before[2] != before[0] {
			t.Fatalf("R%d: the streams have %q", n, before)
		}
		open(t, s.connect(t), Options{Program: "same", Replicas: n}).Close()
		// What Open has asked is over, once this is.
		for p := range 2 {
			e.Append(p, []byte("entry"), func(_ uint64, err error) { done <- err })
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"3 from 1 to 3", before[1], "3 from 1 to 3", before[3]}
		if after := state(); !slices.Equal(after, want) {
			t.Errorf("R%d: it was %q, and is %q", n, before, after)
		}
		e.Close()
	}
}

// TestNoFolder holds that a store is made although its server has no folder for streams for a
// moment, as one that removes it after the last stream was deleted; and that it is an error if that
// stays so.
func TestNoFolder(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	nc := s.connect(t)
	o := Options{Program: "folder", Partitions: 1, Pairs: 1, Replicas: 1, Create: true}
	folder := filepath.Join(s.places[0].Dir, "jetstream")
	away := folder + "-away"
	if err := errors.Join(os.Rename(folder, away), os.WriteFile(folder, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), nc, o); err == nil || !strings.Contains(err.Error(), "stream folder-in-0 cannot be made") {
		t.Fatalf("without a folder: %v", err)
	}
	back := make(chan error, 1)
	time.AfterFunc(mostCall/20, func() { back <- errors.Join(os.Remove(folder), os.Rename(away, folder)) })
	e, err := Open(t.Context(), nc, o)
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	if err := <-back; err != nil {
		t.Fatal(err)
	}
}

// TestInsists holds that what is asked while there is no server waits for one.
func TestInsists(t *testing.T) {
	t.Parallel()
	nc, err := Connect("nats://127.0.0.1:1") // where none is
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), mostCall/5)
	defer cancel()
	if _, err := (&Engine{nc: nc}).find(ctx, js, "any"); !errors.Is(err, ErrNoServer) || ctx.Err() == nil {
		t.Errorf("without a server: %v", err)
	}
}
