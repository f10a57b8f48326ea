package jet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/enginetest"
	"github.com/freerun-go/freerun/cluster/nats/internal/freeport"
)

// replicas are how many servers have what is stored, in tests of both.
var replicas = []int{1, 3}

// servers are those of a test. Each keeps its folder and its ports.
type servers struct {
	t      testing.TB
	places []place
	pairs  int // of streams, of the stores that opened makes
	launch func(t testing.TB, p place) (end func())
	end    []func() // nil while one is stopped
}

// place is what a server keeps.
type place struct {
	Name, Dir         string
	Port, ClusterPort int
	Routes            string // empty for a server alone
	MostStored        int64  // bytes of all streams; 0 for what the disk has room for
	SyncAlways        bool   // each write; else every two minutes
}

func (p place) options() *server.Options {
	o := &server.Options{
		ServerName: p.Name, Host: "127.0.0.1", Port: p.Port, JetStream: true, StoreDir: p.Dir, NoLog: true, NoSigs: true,
		JetStreamMaxStore: p.MostStored, SyncAlways: p.SyncAlways,
	}
	if p.Routes != "" {
		o.Cluster = server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: p.ClusterPort}
		o.Routes = server.RoutesFromStr(p.Routes)
	}
	return o
}

// run starts a server in this process.
func (p place) run() (*server.Server, error) {
	s, err := server.NewServer(p.options())
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		return nil, errors.New("the server does not start")
	}
	return s, nil
}

// within runs a server in this process. It ends in order.
func within(t testing.TB, p place) (end func()) {
	t.Helper()
	s, err := p.run()
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
}

// serve starts n servers with JetStream, as one cluster if they are several.
func serve(t testing.TB, n int) *servers {
	t.Helper()
	s := arrange(t, n, within)
	s.startAll()
	return s
}

// arrange is as serve, and starts none.
func arrange(t testing.TB, n int, launch func(t testing.TB, p place) func()) *servers {
	t.Helper()
	s := &servers{t: t, launch: launch, end: make([]func(), n)}
	ports := freeport.Take(t, 2*n)
	var routes []string
	for i := range n {
		s.places = append(s.places, place{Name: fmt.Sprint("s", i), Dir: t.TempDir(), Port: ports[i], ClusterPort: ports[n+i]})
		routes = append(routes, fmt.Sprint("nats://127.0.0.1:", ports[n+i]))
	}
	if n > 1 {
		for i := range n {
			s.places[i].Routes = strings.Join(routes, ",")
		}
	}
	t.Cleanup(func() {
		for i := range n {
			s.stop(i)
		}
	})
	return s
}

func (s *servers) startAll() {
	s.t.Helper()
	for i := range s.places {
		s.start(i)
	}
}

func (s *servers) start(i int) {
	s.t.Helper()
	s.end[i] = s.launch(s.t, s.places[i])
}

// stop ends a server, unless it is stopped.
func (s *servers) stop(i int) {
	if end := s.end[i]; end != nil {
		s.end[i] = nil
		end()
	}
}

// restart stops servers, and then starts them.
func (s *servers) restart(all ...int) {
	s.t.Helper()
	for _, i := range all {
		s.stop(i)
	}
	for _, i := range all {
		s.start(i)
	}
}

// leader returns which server leads a stream.
func (s *servers) leader(nc *nats.Conn, stream string) int {
	s.t.Helper()
	for range 100 {
		m, err := nc.Request("$JS.API.STREAM.INFO."+stream, nil, mostCall)
		var info struct {
			Cluster struct {
				Leader string `json:"leader"`
			} `json:"cluster"`
		}
		if err == nil && json.Unmarshal(m.Data, &info) == nil {
			for i, p := range s.places {
				if p.Name == info.Cluster.Leader {
					return i
				}
			}
		}
		time.Sleep(mostCall / 10)
	}
	s.t.Fatal("no server leads " + stream)
	return 0
}

// url is where clients connect.
func (s *servers) url() string {
	var all []string
	for _, p := range s.places {
		all = append(all, fmt.Sprint("nats://127.0.0.1:", p.Port))
	}
	return strings.Join(all, ",")
}

func (s *servers) connect(t testing.TB) *nats.Conn {
	t.Helper()
	return connect(t, s.url())
}

func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// opened opens a store that all of the servers have.
func (s *servers) opened(t *testing.T, name string) enginetest.Opened {
	t.Helper()
	e := open(t, s.connect(t), Options{Program: name, Pairs: s.pairs, Replicas: len(s.places)})
	closed := false
	return enginetest.Opened{Log: e, Close: func() {
		if !closed {
			closed = true
			e.Close()
		}
	}}
}

// open opens a store of 4 partitions, and makes it if there is none.
func open(t testing.TB, nc *nats.Conn, o Options) *Engine {
	t.Helper()
	o.Partitions, o.Create = 4, true
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e, err := Open(ctx, nc, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestFirstStart holds that Open waits for servers that come later, of which none answers before,
// and that it does not wait for longer than it is to.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	s := arrange(t, 3, within)
	nc := s.connect(t)
	o := Options{Program: "p", Partitions: 4, Replicas: 3, Create: true}
	for i, want := range []string{"no server of nats://", "a majority"} {
		if i > 0 {
			s.start(0)
			if err := nc.FlushTimeout(30 * time.Second); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if _, err := Open(ctx, nc, o); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d servers of three: %v", i, err)
		}
		cancel()
	}
	opened := make(chan error)
	go func() {
		e, err := Open(t.Context(), nc, o)
		if err == nil {
			e.Close()
		}
		opened <- err
	}()
	for i := 1; i < 3; i++ {
		select {
		case err := <-opened:
			t.Fatalf("the store is open on %d servers of three: %v", i, err)
		case <-time.After(time.Second):
		}
		s.start(i)
	}
	select {
	case err := <-opened:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the store is not opened")
	}
}
