package jet

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/enginetest"
)

// serve starts a server with JetStream.
func serve(t testing.TB) *server.Server {
	t.Helper()
	return serveIn(t, t.TempDir(), -1)
}

// serveIn starts a server with JetStream in a folder, at a port.
func serveIn(t testing.TB, dir string, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { stop(s) })
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

func connect(t testing.TB, s *server.Server) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func open(t testing.TB, nc *nats.Conn, program string) *Engine {
	t.Helper()
	e, err := Open(nc, Options{Program: program, Partitions: 4, Create: true})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLog(t *testing.T) {
	s := serve(t)
	enginetest.Log(t, func(t *testing.T, name string) enginetest.Opened {
		e := open(t, connect(t, s), name)
		closed := false
		return enginetest.Opened{Log: e, Close: func() {
			if !closed {
				closed = true
				e.Close()
			}
		}}
	})
}

// TestOpen holds what Open refuses, and that it says what is wrong.
func TestOpen(t *testing.T) {
	s := serve(t)
	nc := connect(t, s)
	refused := func(want string, is error, o Options) {
		t.Helper()
		_, err := Open(nc, o)
		if err == nil || !strings.Contains(err.Error(), want) || is != nil && !errors.Is(err, is) {
			t.Errorf("Open(%+v): %v; want %q", o, err, want)
		}
	}
	refused("the first start asks for them", engine.ErrStateLost, Options{Program: "p", Partitions: 4})
	refused("the name of the program", nil, Options{Program: "P.x", Partitions: 4, Create: true})
	refused("at least 1", nil, Options{Program: "p", Create: true})
	e := open(t, nc, "p")
	e.Close()
	refused("fixed for the life of the data", nil, Options{Program: "p", Partitions: 5})
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream("p-st"); err != nil {
		t.Fatal(err)
	}
	refused("restore both", engine.ErrStateLost, Options{Program: "p", Partitions: 4, Create: true})
	other := open(t, nc, "q")
	other.Close()
	info, err := js.StreamInfo("q-st")
	if err != nil {
		t.Fatal(err)
	}
	info.Config.Metadata[identity] = strings.Repeat("00", 16)
	if _, err := js.UpdateStream(&info.Config); err != nil {
		t.Fatal(err)
	}
	refused("not of one store", engine.ErrStateLost, Options{Program: "q", Partitions: 4})
}

// TestNobody holds that calls fail, as uncertain ones, when the server is gone.
func TestNobody(t *testing.T) {
	s := serve(t)
	e := open(t, connect(t, s), "p")
	defer e.Close()
	s.Shutdown()
	done := make(chan error, 3)
	e.Append(0, []byte("x"), func(_ uint64, err error) { done <- err })
	e.Read(0, []byte("x"), func(_ []byte, _ uint64, err error) { done <- err })
	e.Swap(0, []engine.Write{{Key: []byte("a"), Value: []byte("x")}, {Key: []byte("b"), Value: []byte("x")}}, 0, func(_ uint64, err error) { done <- err })
	for range 3 {
		select {
		case err := <-done:
			if !errors.Is(err, engine.ErrUncertain) {
				t.Errorf("%v", err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("a call has no end")
		}
	}
}
