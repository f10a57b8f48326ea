//go:build !wasm

package copier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// till is what the units of the tests have.
type till struct {
	Sum   int
	Rings int      // of its timer
	Heard []string // answers
	Fixed bool
}

type transferred struct {
	To  string
	Sum int
}

type bell struct {
	Name  string
	After time.Duration
}

var (
	// closed: safes cannot be loaded, so that what is sent to them stays under way.
	closed atomic.Bool
	// broken: fix panics.
	broken atomic.Bool

	tills = freerun.NewKind("till", func(*freerun.Context, string) (till, error) { return till{Sum: 100}, nil }, cluster.Durable())
	safes = freerun.NewKind("safe", func(*freerun.Context, string) (till, error) {
		if closed.Load() {
			return till{}, errors.New("the safe is closed")
		}
		return till{}, nil
	}, cluster.Durable())

	put = freerun.Op("put", func(_ *freerun.Context, t *till, n int) (int, error) {
		t.Sum += n
		return t.Sum, nil
	})
	pay = freerun.Op("pay", func(c *freerun.Context, t *till, x transferred) (int, error) {
		t.Sum -= x.Sum
		return t.Sum, put.Tell(c, tills.At(c, x.To), x.Sum)
	})
	// save tells a safe, and asks it.
	save = freerun.Op("save", func(c *freerun.Context, t *till, x transferred) (int, error) {
		t.Sum -= 2 * x.Sum
		return t.Sum, errors.Join(
			put.Tell(c, safes.At(c, x.To), x.Sum),
			cluster.Ask(c, put, safes.At(c, x.To), x.Sum, heard))
	})
	heard = freerun.Op("heard", func(_ *freerun.Context, t *till, a cluster.Answer[int, int]) (int, error) {
		t.Heard = append(t.Heard, fmt.Sprint(a.Key, " ", a.Arg, " ", a.Result, " ", a.Err))
		return 0, nil
	})
	wind = freerun.Op("wind", func(c *freerun.Context, _ *till, b bell) (int, error) {
		return 0, cluster.TellAfter(c, b.After, b.Name, ring, struct{}{})
	})
	ring = freerun.Op("ring", func(_ *freerun.Context, t *till, _ struct{}) (int, error) {
		t.Rings++
		return t.Rings, nil
	})
	sendFix = freerun.Op("sendFix", func(c *freerun.Context, _ *till, to string) (int, error) { return 0, fix.Tell(c, tills.At(c, to), 7) })
	fix     = freerun.Op("fix", func(_ *freerun.Context, t *till, n int) (int, error) {
		if broken.Load() {
			panic("it is broken")
		}
		t.Fixed = true
		return n, nil
	})
	forgets = freerun.Op("forgets", func(c *freerun.Context, t *till, _ struct{}) (int, error) { return t.Sum, cluster.Forget(c) })
	see     = freerun.ReadOp("see", func(_ *freerun.Context, t *till, _ struct{}) (till, error) {
		return till{t.Sum, t.Rings, slices.Clone(t.Heard), t.Fixed}, nil
	})
)

// life is one process of the program.
type life struct {
	t    *testing.T
	rt   *freerun.Runtime
	node *cluster.Node
}

func begin(t *testing.T, store cluster.Store) *life {
	t.Helper()
	l, err := join(t, store)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func join(t *testing.T, store cluster.Store) (l *life, err error) {
	l = &life{t: t, rt: freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))}
	if l.node, err = cluster.Join(l.rt, store); err != nil {
		l.rt.Close()
	}
	return l, err
}

// isShared reports whether machines share the store.
func (l *life) isShared() bool { return l.node.Machines().Self != "" }

// end ends the process in order.
func (l *life) end() {
	l.t.Helper()
	if l.isShared() {
		if err := l.node.Close(); err != nil {
			l.t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.rt.Shutdown(ctx) // what is under way to a safe stays so
	if err := l.node.Close(); err != nil {
		l.t.Error(err)
	}
}

// kill ends the process in the middle.
func (l *life) kill() {
	_ = l.rt.Close()
	_ = l.node.Close()
}

// call calls an operation of a till.
func call[A, R any](l *life, c *freerun.Context, op *freerun.Operation[till, A, R], key string, arg A) R {
	l.t.Helper()
	got, err := op.Send(c, tills.At(c, key), arg).Wait(l.t.Context())
	if err != nil {
		l.t.Fatalf("%s: %v", key, err)
	}
	return got
}

// waits waits for something.
func (l *life) waits(what string, is func() bool) {
	l.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("%s: not within a minute", what)
		}
	}
}

// sees reads a unit.
func (l *life) sees(kind *freerun.Kind[string, till], key string) till {
	l.t.Helper()
	got, err := see.Call(l.t.Context(), kind.At(l.rt.Context(), key), struct{}{})
	if err != nil {
		l.t.Fatalf("%s: %v", key, err)
	}
	return got
}

func (l *life) failures() (all []cluster.Failure) {
	l.t.Helper()
	for f, err := range l.node.Failures() {
		if err != nil {
			l.t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// serve runs a server in this process, and returns its URL.
func serve(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}
