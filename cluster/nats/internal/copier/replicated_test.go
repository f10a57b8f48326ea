//go:build !wasm

package copier

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
	"github.com/freerun-go/freerun/cluster/nats/internal/freeport"
)

// serveThree runs three servers as one cluster, and returns their URLs.
func serveThree(t *testing.T) string {
	t.Helper()
	const n = 3
	ports := freeport.Take(t, n)
	var routes, urls []string
	for _, port := range ports {
		routes = append(routes, fmt.Sprint("nats://127.0.0.1:", port))
	}
	for i, port := range ports {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("s", i), Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
			Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: port}, Routes: server.RoutesFromStr(strings.Join(routes, ",")),
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		if !s.ReadyForConnections(30 * time.Second) {
			t.Fatal("a server does not start")
		}
		urls = append(urls, s.ClientURL())
	}
	return strings.Join(urls, ",")
}

// TestReplicated copies between streams that are on three servers: that the logs were read is no
// change.
func TestReplicated(t *testing.T) {
	url, dir := serveThree(t), small(t)
	copies(t, "-program", "one", "-partitions", "2", "-pairs", "2", "-replicas", "3", "-create", dir, url)
	leaves(t, url, "one", 0)
	s := copies(t, "-program", "one", "-as", "two", "-partitions", "3", "-replicas", "3", "-create", url, url)
	if s.To.Pairs != 2 || s.Sent != 2 || s.Units["till"] != 1 {
		t.Errorf("%+v", s)
	}
	back := filepath.Join(t.TempDir(), "back")
	copies(t, "-program", "two", "-create", url, back)
	for _, store := range []cluster.Store{nats.Servers("two", url, nats.Partitions(3), nats.Pairs(2)), cluster.Local(back)} {
		l := begin(t, store)
		closed.Store(false)
		l.waits("what was left", func() bool { got := l.sees(tills, "left0"); return got.Sum == 111 && len(got.Heard) == 1 })
		if got := l.sees(tills, "a"); got.Sum != 105 {
			t.Errorf("%+v", got)
		}
		l.end()
	}
}
