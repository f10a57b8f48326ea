package jet

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestStalled holds that no call waits for a network that takes nothing, that all of them end, and
// that what comes later goes through when the network does.
func TestStalled(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	p := startProxy(t, s.places[0].Port)
	e := open(t, connect(t, p.url()), Options{Program: "p"})
	defer e.Close()
	p.becomes(stalls)
	const calls, size = 400, 100_000 // more than the buffers of connections hold
	done := make(chan error, calls)
	called := make(chan struct{})
	go func() {
		for range calls {
			e.Append(0, make([]byte, size), func(_ uint64, err error) { done <- err })
		}
		e.Send("", make([]byte, size))
		close(called)
	}()
	select {
	case <-called:
	case <-time.After(30 * time.Second):
		t.Error("a call waits for the network")
	}
	for range calls {
		select {
		case err := <-done:
			if !errors.Is(err, engine.ErrUncertain) {
				t.Errorf("a call to a network that takes nothing: %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("a call has no end")
		}
	}
	p.becomes(fair)
	for err := error(engine.ErrUncertain); err != nil; {
		e.Append(0, []byte("x"), func(_ uint64, err error) { done <- err })
		select {
		case err = <-done:
		case <-time.After(30 * time.Second):
			t.Fatal("a call has no end")
		}
	}
}

// TestPermissionsLater holds that the trial of what is permitted waits for a connection that has no
// server for a while, and for no longer than it is to.
func TestPermissionsLater(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	p := startProxy(t, s.places[0].Port)
	nc := connect(t, p.url())
	e := open(t, nc, Options{Program: "p"})
	defer e.Close()
	for comes, want := range map[bool]error{true: nil, false: ErrNoServer} {
		p.becomes(cuts)
		for nc.IsConnected() {
			time.Sleep(time.Millisecond)
		}
		within := 500 * time.Millisecond
		if comes {
			within = time.Minute
			time.AfterFunc(300*time.Millisecond, func() { p.becomes(fair) })
		}
		ctx, cancel := context.WithTimeout(t.Context(), within)
		ctx, r, stop := hearRefusals(ctx, nc)
		if err := e.checkPermissions(ctx, r); !errors.Is(err, want) {
			t.Errorf("a server comes back: %v; %v, want %v", comes, err, want)
		}
		stop()
		cancel()
		p.becomes(fair)
		for !nc.IsConnected() {
			time.Sleep(time.Millisecond)
		}
	}
}
