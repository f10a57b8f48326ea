package nats_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// TestLeavesSays holds that a machine which leaves says what it waits for, if that takes a while.
// It has the log of the program for itself: no other test runs meanwhile.
func TestLeavesSays(t *testing.T) {
	a, b, _, atB := joinTwo(t, "says")
	defer a.leave(t)
	defer b.leave(t)
	said, before := &logText{}, slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(said, nil)))
	door := make(chan struct{})
	doors.Store("says", door)
	held := holdDoor.Send(a.rt.Context(), parlors.At(a.rt.Context(), atB[0]), "says")
	eventually(t, "the operation has begun", func() bool { return parlors.Len(b.rt) > 0 })
	closed := make(chan error, 1)
	go func() { closed <- b.node.Close() }()
	eventually(t, "it says what it waits for", func() bool {
		return strings.Contains(said.String(), "holdDoor of parlor") && strings.Contains(said.String(), atB[0])
	})
	close(door)
	if _, err := held.Wait(t.Context()); err != nil {
		t.Errorf("what was under way: %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if n := strings.Count(said.String(), "a machine that leaves waits"); n != 1 {
		t.Errorf("it has said so %d times", n)
	}
}

// logText collects the lines of the log.
type logText struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements [io.Writer].
func (l *logText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns all of it.
func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestJoinEnds holds that a Join which waits for servers ends when its runtime does.
func TestJoinEnds(t *testing.T) {
	t.Parallel()
	for what, ends := range map[string]func(rt *freerun.Runtime) error{
		"Close":    (*freerun.Runtime).Close,
		"Shutdown": func(rt *freerun.Runtime) error { return rt.Shutdown(t.Context()) },
	} {
		rt := freerun.New()
		failed := make(chan error, 1)
		go func() {
			_, err := cluster.Join(rt, nats.Servers("ends", "nats://127.0.0.1:1"))
			failed <- err
		}()
		time.Sleep(50 * time.Millisecond) // whether it waits already or not
		if err := ends(rt); err != nil {
			t.Error(err)
		}
		if err := <-failed; !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("after %s: %v", what, err)
		}
	}
}

// TestTakesLong holds that what takes seconds on another machine is not taken for lost: a direct
// command, and a call of a volatile unit.
func TestTakesLong(t *testing.T) {
	t.Parallel()
	a, b, _, atB := joinTwo(t, "long")
	defer a.leave(t)
	defer b.leave(t)
	c, key := a.rt.Context(), a.noteElsewhere(t)
	door := make(chan struct{})
	doors.Store("long", door)
	noteDoors.Store("long", door)
	called := holdDoor.Send(c, parlors.At(c, atB[0]), "long")
	direct := jotLater.Send(cluster.Direct(c), notes.At(c, key), "long")
	time.AfterFunc(4*time.Second, func() { close(door) })
	if _, err := called.Wait(t.Context()); err != nil {
		t.Errorf("a call: %v", err)
	}
	if n, err := direct.Wait(t.Context()); err != nil || n != 1 {
		t.Errorf("a direct command: %d, %v", n, err)
	}
}

// dated is a context with a deadline that nobody ends it at.
type dated struct {
	context.Context
	at time.Time
}

// Deadline implements [context.Context].
func (d dated) Deadline() (time.Time, bool) { return d.at, true }

// TestDeadlines holds that what has no answer from another machine when its deadline passes says
// so, also where nobody ends the context: a read without a doubt about an effect.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	a, b, _, atB := joinTwo(t, "deadlines")
	defer a.leave(t)
	defer b.leave(t)
	c, key := a.rt.Context(), a.noteElsewhere(t)
	door := make(chan struct{})
	defer close(door)
	for _, name := range []string{"call", "direct", "read"} {
		doors.Store(name, door)
		noteDoors.Store(name, door)
	}
	soon := dated{t.Context(), time.Now().Add(300 * time.Millisecond)}
	_, read := readLater.Call(soon, notes.At(c, key), "read")
	if !errors.Is(read, context.DeadlineExceeded) || !errors.Is(read, freerun.ErrCanceled) || errors.Is(read, cluster.ErrUncertain) {
		t.Errorf("a read: %v", read)
	}
	soon.at = time.Now().Add(300 * time.Millisecond)
	_, called := holdDoor.Call(soon, parlors.At(c, atB[0]), "call")
	soon.Context = cluster.Direct(c)
	_, direct := jotLater.Call(soon, notes.At(c, key), "direct")
	for what, err := range map[string]error{"a call": called, "a direct command": direct} {
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, cluster.ErrUncertain) && !errors.Is(err, freerun.ErrCanceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
