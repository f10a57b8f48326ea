package nats_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// note is the state of the units of the tests.
type note struct{ Lines []string }

var (
	notes = freerun.NewKind("note", func(*freerun.Context, string) (note, error) { return note{}, nil }, cluster.Durable())
	jot   = freerun.Op("jot", func(_ *freerun.Context, n *note, line string) (int, error) {
		n.Lines = append(n.Lines, line)
		return len(n.Lines), nil
	})
	lines = freerun.ReadOp("lines", func(_ *freerun.Context, n *note, _ struct{}) ([]string, error) { return slices.Clone(n.Lines), nil })
)

// joined is a runtime that has joined servers.
type joined struct {
	rt   *freerun.Runtime
	node *cluster.Node
}

func join(t testing.TB, program, urls string, options ...nats.Option) *joined {
	t.Helper()
	n := &joined{rt: freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))}
	var err error
	if n.node, err = cluster.Join(n.rt, nats.Servers(program, urls, options...)); err != nil {
		n.rt.Close()
		t.Fatal(err)
	}
	return n
}

// leave ends a node in order: it hands over what it has.
func (n *joined) leave(t testing.TB) {
	t.Helper()
	if err := n.node.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := n.rt.Shutdown(context.Background()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// TestMachines holds that each machine knows the others, that all partitions have one owner, and
// that what one leaves the other one takes.
func TestMachines(t *testing.T) {
	t.Parallel()
	url := serve(t, nil)
	options := []nats.Option{nats.Create(1), nats.Partitions(32)}
	a, b := join(t, "known", url, options...), join(t, "known", url, options...)
	shares := func(all ...*joined) bool {
		owned := 0
		for _, n := range all {
			m := n.node.Machines()
			for _, other := range all {
				name := other.node.Machines().Self
				if has, known := m.Partitions[name]; !known || has != other.node.Stats().Partitions {
					return false
				}
			}
			s := n.node.Stats()
			if len(m.Partitions) != len(all) || s.HandOvers < uint64(s.Partitions) {
				return false
			}
			owned += s.Partitions
		}
		return owned == 32
	}
	waits := func(all ...*joined) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !shares(all...); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d machines: the first one knows %+v", len(all), all[0].node.Machines())
			}
		}
	}
	waits(a, b)
	half := b.node.Stats()
	if half.Partitions == 32 || half.Partitions == 0 {
		t.Errorf("one of two machines has %d partitions of 32", half.Partitions)
	}
	a.leave(t)
	waits(b)
	if now := b.node.Stats(); now.HandOvers < half.HandOvers+uint64(32-half.Partitions) {
		t.Errorf("it got partitions %d times, and before %d times, when it had %d of 32", now.HandOvers, half.HandOvers, half.Partitions)
	}
	b.leave(t)
	rt := freerun.New()
	node, err := cluster.Join(rt, cluster.Local(t.TempDir(), cluster.Create()))
	if err != nil {
		t.Fatal(err)
	}
	if m := node.Machines(); m.Self != "" || len(m.Partitions) > 0 {
		t.Errorf("the store of one process has machines: %+v", m)
	}
	if err := errors.Join(rt.Shutdown(context.Background()), node.Close()); err != nil {
		t.Error(err)
	}
}

// TestServers holds that nodes under one name share their units, that those under another name have
// others, and that a unit goes on where the node has left that had it.
func TestServers(t *testing.T) {
	t.Parallel()
	url := serve(t, nil)
	options := []nats.Option{nats.Create(1), nats.Partitions(4)}
	a, b, other := join(t, "one", url, options...), join(t, "one", url, options...), join(t, "other", url, options...)
	defer other.leave(t)
	write := func(n *joined, line string) {
		t.Helper()
		if _, err := jot.Call(t.Context(), notes.At(n.rt.Context(), "x"), line); err != nil {
			t.Fatal(err)
		}
	}
	has := func(n *joined, want ...string) {
		t.Helper()
		got, err := lines.Call(t.Context(), notes.At(n.rt.Context(), "x"), struct{}{})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("the note has %q, %v; want %q", got, err, want)
		}
	}
	write(a, "1")
	write(b, "2")
	has(a, "1", "2")
	has(b, "1", "2")
	has(other)
	a.leave(t)
	write(b, "3")
	has(b, "1", "2", "3")
	b.leave(t)
	c := join(t, "one", url, nats.Partitions(4))
	has(c, "1", "2", "3")
	c.leave(t)
}

var (
	noteDoors sync.Map // channels that operations wait for, by name
	jotLater  = freerun.Op("jotLater", func(c *freerun.Context, n *note, door string) (int, error) {
		open, _ := noteDoors.Load(door)
		c.Block(func() { <-open.(chan struct{}) })
		n.Lines = append(n.Lines, door)
		return len(n.Lines), nil
	})
	readLater = freerun.ReadOp("readLater", func(c *freerun.Context, n *note, door string) (int, error) {
		open, _ := noteDoors.Load(door)
		c.Block(func() { <-open.(chan struct{}) })
		return len(n.Lines), nil
	})
)

// noteElsewhere returns the key of a note that another machine has.
func (n *joined) noteElsewhere(t *testing.T) string {
	t.Helper()
	for i := 0; ; i++ {
		key := fmt.Sprint("n", i)
		if _, here, err := cluster.OwnerOf(n.node, notes, key); err != nil {
			t.Fatal(err)
		} else if !here {
			return key
		}
	}
}

// TestDirectLeaves holds that a direct command that runs on a machine that leaves in order has its
// outcome.
func TestDirectLeaves(t *testing.T) {
	t.Parallel()
	a, b, _, _ := joinTwo(t, "direct-leaves")
	key := a.noteElsewhere(t)
	c, door := a.rt.Context(), make(chan struct{})
	noteDoors.Store("direct", door)
	if _, err := jot.Call(t.Context(), notes.At(c, key), "first"); err != nil {
		t.Fatal(err)
	}
	f := jotLater.Send(cluster.Direct(c), notes.At(c, key), "direct")
	time.Sleep(50 * time.Millisecond)
	time.AfterFunc(300*time.Millisecond, func() { close(door) })
	b.leave(t)
	if n, err := f.Wait(t.Context()); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	a.leave(t)
}
