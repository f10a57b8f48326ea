package cluster_test

import (
	"context"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

type traceKey struct{}

var (
	tracedTo = freerun.Op("tracedTo", func(_ *freerun.Context, a *account, n int) (int, error) { return n, nil })
	tracedBy = freerun.Op("tracedBy", func(c *freerun.Context, a *account, n int) (int, error) {
		return n, tracedTo.Tell(c, accounts.At(c, "bob"), n)
	})
)

// TestTraceOfDurableUnits holds what docs/tracing.md says: a value that travels reaches an
// operation of a durable unit, from a Call and a Send, and does not come along with what that
// tells, which is stored. Interceptors, which make spans, see both.
func TestTraceOfDurableUnits(t *testing.T) {
	var mu sync.Mutex
	seen := map[string][]any{}
	rt := freerun.New(freerun.CarryValues(traceKey{}), freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
		mu.Lock()
		seen[i.Operation] = append(seen[i.Operation], c.Value(traceKey{}))
		mu.Unlock()
		return i.Next(c)
	}))
	defer rt.Close()
	n, err := cluster.Join(rt, cluster.Local(t.TempDir(), cluster.Create()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tracedBy.Call(context.WithValue(t.Context(), traceKey{}, 5), accounts.At(rt.Context(), "ada"), 1); err != nil {
		t.Fatal(err)
	}
	must(t, tracedBy.Send(rt.Context().WithValue(traceKey{}, 5), accounts.At(rt.Context(), "ada"), 1))
	if err := rt.Quiesce(within(t)); err != nil {
		t.Fatal(err)
	}
	if err := rt.Shutdown(within(t)); err != nil { // what was told has had its effect
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	for op, want := range map[string]any{freerun.NameOf(tracedBy): 5, freerun.NameOf(tracedTo): nil} {
		if got := seen[op]; len(got) != 2 || got[0] != want || got[1] != want {
			t.Errorf("%s was seen with %v, want %v twice", op, got, want)
		}
	}
}
