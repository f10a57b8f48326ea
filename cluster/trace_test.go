package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// Values of contexts: that of traceKey is in memory, and that of tenantKey travels.
type (
	traceKey  struct{}
	tenantKey struct{}
)

func init() { cluster.Travels[string]("cluster_test.tenant", tenantKey{}) }

// TestTravelsRefuses holds that names and keys which make no sense panic, and say why.
func TestTravelsRefuses(t *testing.T) {
	for says, misuse := range map[string]func(){
		"the package's own":  func() { cluster.Travels[string]("freerun.senders", new(int)) },
		"a key that is nil":  func() { cluster.Travels[string]("nil", nil) },
		"cannot be compared": func() { cluster.Travels[string]("slice", []int{}) },
		"func()":             func() { cluster.Travels[func()]("function", new(int)) },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "cluster: Travels(") || !strings.Contains(said, says) {
					t.Errorf("panic %q, want %q", said, says)
				}
			}()
			misuse()
		}()
	}
}

var (
	tracedTo = freerun.Op("tracedTo", func(_ *freerun.Context, a *account, n int) (int, error) { return n, nil })
	tracedBy = freerun.Op("tracedBy", func(c *freerun.Context, a *account, n int) (int, error) {
		if err := cluster.Ask(c, tracedAsked, accounts.At(c, "cleo"), n, tracedAnswer); err != nil {
			return 0, err
		}
		return n, tracedTo.Tell(c, accounts.At(c, "bob"), n)
	})
	tracedAsked  = freerun.Op("tracedAsked", func(_ *freerun.Context, a *account, n int) (int, error) { return n, nil })
	tracedAnswer = freerun.Op("tracedAnswer", func(_ *freerun.Context, a *account, r cluster.Answer[int, int]) (int, error) {
		return 0, r.Err
	})
)

// TestTraceOfDurableUnits holds what docs/tracing.md says: a value reaches an operation of a
// durable unit, from a Call and a Send. Along with what that tells, asks, and is answered, which is
// stored, comes one that Travels names, and no other. Interceptors, which make spans, see both.
func TestTraceOfDurableUnits(t *testing.T) {
	var mu sync.Mutex
	seen := map[string][]string{}
	rt := freerun.New(freerun.CarryValues(traceKey{}, tenantKey{}), freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
		mu.Lock()
		seen[i.Operation] = append(seen[i.Operation], fmt.Sprint(c.Value(traceKey{}), " ", c.Value(tenantKey{})))
		mu.Unlock()
		return i.Next(c)
	}))
	defer rt.Close()
	n, err := cluster.Join(rt, cluster.Local(t.TempDir(), cluster.Create()))
	if err != nil {
		t.Fatal(err)
	}
	both := context.WithValue(context.WithValue(t.Context(), traceKey{}, 5), tenantKey{}, "acme")
	if _, err := tracedBy.Call(both, accounts.At(rt.Context(), "ada"), 1); err != nil {
		t.Fatal(err)
	}
	must(t, tracedBy.Send(rt.Context().WithValue(traceKey{}, 5).WithValue(tenantKey{}, "acme"), accounts.At(rt.Context(), "ada"), 1))
	if err := rt.Quiesce(within(t)); err != nil {
		t.Fatal(err)
	}
	if err := rt.Shutdown(within(t)); err != nil { // what was told has had its effect
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	for op, want := range map[string]string{
		freerun.NameOf(tracedBy): "5 acme", freerun.NameOf(tracedTo): "<nil> acme", freerun.NameOf(tracedAsked): "<nil> acme", freerun.NameOf(tracedAnswer): "<nil> acme",
	} {
		if got := seen[op]; !slices.Equal(got, []string{want, want}) {
			t.Errorf("%s was seen with %q, want %q twice", op, got, want)
		}
	}
}

var (
	tellsVexed = freerun.Op("tellsVexed", func(c *freerun.Context, _ *account, key string) (int, error) {
		return 0, vexes.Tell(c, accounts.At(c, key), key)
	})
	vexes = freerun.Op("vexes", func(_ *freerun.Context, _ *account, key string) (int, error) { panic("vexed: " + key) })
)

// TestSendersOfFailures holds that a recorded failure has the operations that have sent it, if they
// ran in a scope, also after a restart.
func TestSendersOfFailures(t *testing.T) {
	dir := t.TempDir()
	for restarts, create := range [][]cluster.LocalOption{{cluster.Create()}, nil} {
		rt := freerun.New()
		n, err := cluster.Join(rt, cluster.Local(dir, create...))
		if err != nil {
			t.Fatal(err)
		}
		if restarts == 0 {
			for key, c := range map[string]*freerun.Context{"in a scope": rt.Scope(context.Background()).Context(), "in none": rt.Context()} {
				must(t, tellsVexed.Send(c, accounts.At(c, key), key))
			}
		}
		for n.Stats().Failures < 2 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		for f, err := range n.Failures() {
			if err != nil {
				t.Fatal(err)
			}
			want := []string(nil)
			if f.Key == "in a scope" {
				want = []string{"cluster_test.tellsVexed"}
			}
			if !slices.Equal(f.Senders, want) {
				t.Errorf("after %d restarts, %s: sent by %q, want %q", restarts, f.Key, f.Senders, want)
			}
		}
		if err := rt.Shutdown(within(t)); err != nil {
			t.Fatal(err)
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
