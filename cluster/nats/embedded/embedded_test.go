//go:build !wasm

package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
	"github.com/freerun-go/freerun/cluster/nats/embedded"
	"github.com/freerun-go/freerun/cluster/nats/internal/freeport"
)

var (
	counters = freerun.NewKind("counter", func(*freerun.Context, string) (int, error) { return 0, nil }, cluster.Durable())
	add      = freerun.Op("add", func(_ *freerun.Context, n *int, by int) (int, error) {
		*n += by
		return *n, nil
	})
)

// joined is a node of the tests.
type joined struct {
	rt   *freerun.Runtime
	node *cluster.Node
}

func join(s cluster.Store) (*joined, error) {
	n := &joined{rt: freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))}
	var err error
	if n.node, err = cluster.Join(n.rt, s); err != nil {
		n.rt.Close()
	}
	return n, err
}

func joins(t testing.TB, s cluster.Store) *joined {
	t.Helper()
	n, err := join(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (n *joined) leave(t testing.TB) {
	t.Helper()
	if err := errors.Join(n.node.Close(), n.rt.Shutdown(context.Background())); err != nil {
		t.Error(err)
	}
}

// adds adds to a counter, and holds what it has then.
func (n *joined) adds(t testing.TB, key string, by, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if have, err := add.Call(ctx, counters.At(n.rt.Context(), key), by); err != nil || have != want {
		t.Errorf("%s has %d, %v; want %d", key, have, err, want)
	}
}

func refused(t *testing.T, is error, says string, s cluster.Store) {
	t.Helper()
	n, err := join(s)
	if err == nil {
		n.leave(t)
	}
	if err == nil || is != nil && !errors.Is(err, is) || !strings.Contains(err.Error(), says) {
		t.Errorf("%v; want %q", err, says)
	}
}

// TestServer holds that a folder has a program's units, in one process at a time, and that a folder
// without them is an error.
func TestServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bank")
	four := embedded.Partitions(4)
	refused(t, nil, "its name is empty", embedded.Server("bank", ""))
	refused(t, cluster.ErrStateLost, dir, embedded.Server("bank", dir, four))
	n := joins(t, embedded.Server("bank", dir, embedded.Create(), four))
	n.adds(t, "x", 5, 5)
	refused(t, cluster.ErrInUse, dir, embedded.Server("bank", dir, four))
	n.leave(t)
	n = joins(t, embedded.Server("bank", dir, embedded.SyncEvery(time.Second), four))
	n.adds(t, "x", 2, 7)
	n.leave(t)
	if err := os.RemoveAll(filepath.Join(dir, "jetstream")); err != nil {
		t.Fatal(err)
	}
	refused(t, cluster.ErrStateLost, "the first start asks for them", embedded.Server("bank", dir, four))
}

// TestBackup holds that a copy of the folder of a server that is stopped is a store, which goes on
// from there.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir, backup := t.TempDir(), t.TempDir()
	four := embedded.Partitions(4)
	n := joins(t, embedded.Server("bank", dir, embedded.Create(), four))
	n.adds(t, "x", 5, 5)
	n.leave(t)
	if err := os.CopyFS(backup, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	n = joins(t, embedded.Server("bank", dir, four))
	n.adds(t, "x", 1, 6)
	n.leave(t)
	n = joins(t, embedded.Server("bank", backup, four))
	n.adds(t, "x", 2, 7)
	n.leave(t)
}

// TestServerFails holds that a server that does not start says why, and gives its folder free.
func TestServerFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	store := func(address string) cluster.Store {
		return embedded.Server("bank", dir, embedded.Create(), embedded.Listen(address), embedded.Partitions(4))
	}
	refused(t, nats.ErrNoServer, "address already in use", store(taken.Addr().String()))
	refused(t, nil, "it needs a host and a port", store("here"))
	refused(t, nats.ErrNoServer, "authentication error", embedded.Server("bank", dir, embedded.Create(), embedded.Within(time.Second),
		embedded.Settings(func(o *server.Options) { o.Username, o.Password = "ada", "x" })))
	n := joins(t, store("127.0.0.1:0"))
	n.adds(t, "x", 1, 1)
	n.leave(t)
}

// TestListen has another process of the program use the server of the first one, with credentials.
func TestListen(t *testing.T) {
	t.Parallel()
	at := fmt.Sprint("127.0.0.1:", freeport.Take(t, 1)[0])
	ada := natsgo.UserInfo("ada", "x")
	first := joins(t, embedded.Server("bank", t.TempDir(), embedded.Create(), embedded.Listen(at), embedded.Partitions(4), embedded.Connection(ada),
		embedded.Settings(func(o *server.Options) { o.Username, o.Password = "ada", "x" })))
	second := joins(t, nats.Servers("bank", "nats://"+at, nats.Partitions(4), nats.Connection(ada)))
	first.adds(t, "x", 1, 1)
	second.adds(t, "x", 1, 2)
	second.leave(t)
	first.adds(t, "x", 1, 3)
	first.leave(t)
}

// TestRoutes has three nodes with a server each, which come at the same time. One leaves, with its
// server, and the two others go on; it comes again, and finds what they have done.
func TestRoutes(t *testing.T) {
	t.Parallel()
	ports := freeport.Take(t, 3)
	var at, dirs []string
	for _, port := range ports {
		at, dirs = append(at, fmt.Sprint("127.0.0.1:", port)), append(dirs, t.TempDir())
	}
	nodes := make([]*joined, 3)
	start := func(i int) {
		var err error
		if nodes[i], err = join(embedded.Server("bank", dirs[i], embedded.Create(), embedded.Partitions(4), embedded.Routes(at[i], "secret", at...))); err != nil {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for i := range nodes {
		all.Go(func() { start(i) })
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for i, n := range nodes {
		n.adds(t, "x", 1, i+1)
	}
	nodes[0].leave(t)
	nodes[1].adds(t, "x", 1, 4)
	nodes[2].adds(t, "x", 1, 5)
	if start(0); t.Failed() {
		return
	}
	nodes[0].adds(t, "x", 1, 6)
	for _, n := range nodes[1:] {
		n.leave(t) // the last one has no majority, and leaves nothing behind that is not stored
	}
	nodes[0].leave(t)
}

// TestMisuse holds that options that make no sense panic.
func TestMisuse(t *testing.T) {
	for what, misuse := range map[string]func(){
		"two servers":  func() { embedded.Routes("a:1", "secret", "a:1", "b:1") },
		"empty secret": func() { embedded.Routes("a:1", "", "a:1", "b:1", "c:1") },
		"Partitions":   func() { embedded.Partitions(0) },
		"Pairs":        func() { embedded.Pairs(0) },
		"Within":       func() { embedded.Within(0) },
		"SyncEvery":    func() { embedded.SyncEvery(0) },
		"Listen":       func() { embedded.Listen("") },
		"Links":        func() { embedded.Links(":7400") },
		"Links(\"[::]": func() { embedded.Links("[::]:7400") },
		"Settings":     func() { embedded.Settings(nil) },
		"zero Option":  func() { embedded.Server("bank", "x", embedded.Option{}) },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "embedded: ") || !strings.Contains(said, what) && !strings.Contains(what, "servers") {
					t.Errorf("%s: panic %q", what, said)
				}
			}()
			misuse()
		}()
	}
}
