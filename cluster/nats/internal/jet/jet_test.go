package jet

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/enginetest"
)

func TestLog(t *testing.T) {
	t.Parallel()
	for _, n := range replicas {
		for _, pairs := range []int{1, 3} {
			t.Run(fmt.Sprint("R", n, " pairs ", pairs), func(t *testing.T) {
				t.Parallel()
				s := serve(t, n)
				s.pairs = pairs
				enginetest.Log(t, func(t *testing.T, name string) enginetest.Opened { return s.opened(t, name) })
			})
		}
	}
}

// TestRestart holds what TestLog does while servers end, in order, and start again.
func TestRestart(t *testing.T) { restarts(t, within, "R1", "R3, the leader") }

// restarts restarts the one server, or of three the one that leads, or all.
func restarts(t *testing.T, launch func(t testing.TB, p place) func(), ways ...string) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			n := 3
			if way == "R1" {
				n = 1
			}
			s := arrange(t, n, launch)
			s.pairs = 2
			s.startAll()
			enginetest.Restart(t, s.opened, func() {
				switch way {
				case "R1":
					s.restart(0)
				case "R3, all":
					s.restart(0, 1, 2)
				default:
					s.restart(s.leader(s.connect(t), "restart-in-1"))
				}
			})
		})
	}
}

// TestOpen holds what Open refuses, and that it says what is wrong.
func TestOpen(t *testing.T) {
	s := serve(t, 1)
	nc := s.connect(t)
	refused := func(want string, is error, o Options) {
		t.Helper()
		_, err := Open(t.Context(), nc, o)
		if err == nil || !strings.Contains(err.Error(), want) || is != nil && !errors.Is(err, is) {
			t.Errorf("Open(%+v): %v; want %q", o, err, want)
		}
	}
	refused("the first start asks for them", engine.ErrStateLost, Options{Program: "p", Partitions: 4})
	refused("the name of the program", nil, Options{Program: "P.x", Partitions: 4, Create: true})
	refused("at least 1", nil, Options{Program: "p", Create: true})
	keeps, err := nats.Connect(s.url())
	if err != nil {
		t.Fatal(err)
	}
	defer keeps.Close()
	if _, err := Open(t.Context(), keeps, Options{Program: "p", Partitions: 4}); err == nil || !strings.Contains(err.Error(), "ReconnectBufSize") {
		t.Errorf("a connection that keeps what is sent: %v", err)
	}
	e := open(t, nc, Options{Program: "p"})
	e.Close()
	refused("asks for 3", nil, Options{Program: "p", Partitions: 4, Replicas: 3})
	refused("cannot be made", nil, Options{Program: "r", Partitions: 4, Replicas: 3, Create: true})
	refused("has 4 partitions, and this program is to have 5", ErrMismatch, Options{Program: "p", Partitions: 5})
	refused("has 1 pairs of streams, and this program is to have 2", ErrMismatch, Options{Program: "p", Partitions: 4, Pairs: 2, Create: true})
	refused("each pair needs one", nil, Options{Program: "p", Partitions: 4, Pairs: 5, Create: true})
	three := open(t, nc, Options{Program: "three", Pairs: 3})
	three.Close()
	refused("has 3 pairs of streams, and this program is to have 1", ErrMismatch, Options{Program: "three", Partitions: 4, Pairs: 1})
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream("p-st-0"); err != nil {
		t.Fatal(err)
	}
	refused("restore all", engine.ErrStateLost, Options{Program: "p", Partitions: 4, Create: true})
	other := open(t, nc, Options{Program: "q"})
	other.Close()
	info, err := js.StreamInfo("q-st-0")
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
	t.Parallel()
	s := serve(t, 1)
	e := open(t, s.connect(t), Options{Program: "p"})
	defer e.Close()
	s.stop(0)
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
