package jet

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestLost holds that an engine whose streams go back, or are gone, finds that with its next
// writes, and that it does nothing any more then; and that one which finds a checkpoint that the
// log does not have does so, too.
func TestLost(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	nc := s.connect(t)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	appends := func(e *Engine) error {
		done := make(chan error, 1)
		e.Append(1, []byte("entry"), func(_ uint64, err error) { done <- err })
		return <-done
	}
	writes := func(e *Engine) error {
		done := make(chan error, 1)
		e.SwapAll(1, []engine.Write{{Key: []byte("a"), Value: []byte("1")}, {Key: []byte("b"), Value: []byte("1")}}, nil, func(_ uint64, err error) { done <- err })
		return <-done
	}
	again := func(name string) { // without what it had
		t.Helper()
		have, err := js.Stream(t.Context(), name)
		if err == nil {
			err = js.DeleteStream(t.Context(), name)
		}
		if err == nil {
			_, err = js.CreateStream(t.Context(), have.CachedInfo().Config)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	gone := func(name string) {
		t.Helper()
		if err := js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for what, lose := range map[string]func(e *Engine){
		"logs that go back":    func(e *Engine) { again(e.logsOf(1)) },
		"entries that go back": func(e *Engine) { again(e.entriesOf(1)) },
		"no logs":              func(e *Engine) { gone(e.logsOf(1)) },
		"no entries":           func(e *Engine) { gone(e.entriesOf(1)) },
	} {
		o := Options{Program: strings.ReplaceAll(what, " ", "-")}
		e, other := open(t, nc, o), open(t, nc, o)
		for range 3 {
			if err := errors.Join(appends(e), writes(e)); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		lose(e)
		for end := time.Now().Add(time.Minute); e.losses.err() == nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			_, _ = appends(e), writes(e)
		}
		read := make(chan error, 1)
		e.Read(1, []byte("a"), func(_ []byte, _ uint64, err error) { read <- err })
		for of, err := range map[string]error{"append": appends(e), "write": writes(e), "read": <-read} {
			if !errors.Is(err, engine.ErrStopped) {
				t.Errorf("%s: the %s of an engine that has found it: %v", what, of, err)
			}
		}
		for end := time.Now().Add(time.Minute); other.losses.err() == nil; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the other machine does not hear of it", what)
			}
		}
		e.Close()
		other.Close()
	}

	e := open(t, nc, Options{Program: "behind"})
	defer e.Close()
	if err := appends(e); err != nil {
		t.Fatal(err)
	}
	stop := e.Follow(1, 1, func(uint64, []byte) {}, func(error) {})
	defer stop()
	if err := appends(e); err != nil {
		t.Errorf("a log that has all of a checkpoint: %v", err)
	}
	stop = e.Follow(1, 100, func(uint64, []byte) {}, func(error) {})
	defer stop()
	if err := appends(e); !errors.Is(err, engine.ErrStopped) {
		t.Errorf("a log without what a checkpoint has behind it: %v", err)
	}
}

// TestOvertaken holds that an engine finds that what it has stored last is not there, when others
// have taken the numbers of what was lost before it comes to write; and that it takes nothing for a
// loss that was trimmed, or replaced.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	js, err := jetstream.New(s.connect(t))
	if err != nil {
		t.Fatal(err)
	}
	appends := func(e *Engine, what string) error {
		done := make(chan error, 1)
		e.Append(1, []byte(what), func(_ uint64, err error) { done <- err })
		return <-done
	}
	writes := func(e *Engine, key, what string) error {
		done := make(chan error, 1)
		e.SwapAll(1, []engine.Write{{Key: []byte(key), Value: []byte(what)}}, nil, func(_ uint64, err error) { done <- err })
		return <-done
	}
	for _, way := range []string{"logs", "entries", "nothing"} {
		o := Options{Program: "overtaken-" + way}
		nc := s.connect(t)
		e := open(t, nc, o)
		if err := errors.Join(appends(e, "mine"), writes(e, "a", "mine")); err != nil {
			t.Fatal(err)
		}
		name := map[string]string{"logs": e.logsOf(1), "entries": e.entriesOf(1)}[way]
		if name != "" {
			have, err := js.Stream(t.Context(), name)
			if err == nil {
				err = js.DeleteStream(t.Context(), name)
			}
			if err == nil {
				_, err = js.CreateStream(t.Context(), have.CachedInfo().Config)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		other := open(t, s.connect(t), o) // which knows of nothing
		key := "b"
		if way == "nothing" {
			key = "a" // replaces it
		}
		for range 3 {
			if err := errors.Join(appends(other, "other"), writes(other, key, "other")); err != nil {
				t.Fatal(err)
			}
		}
		if way == "nothing" {
			other.Trim(1, 2)
		}
		if err := nc.ForceReconnect(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(20 * time.Second); way != "nothing" && e.losses.err() == nil; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: it is not found that others have overtaken what was lost", way)
			}
		}
		for stream, of := range e.losses.streams {
			for _, m := range of.all() {
				is, err := e.isThere(stream, m)
				for way == "nothing" && errors.Is(err, engine.ErrUncertain) { // not connected yet
					is, err = e.isThere(stream, m)
				}
				if way == "nothing" && (err != nil || is != there) {
					t.Errorf("%s, which was trimmed or replaced: %v, %v", m.subject, is, err)
				}
			}
		}
		if err := e.losses.err(); way == "nothing" && err != nil {
			t.Error(err)
		}
		e.Close()
		other.Close()
	}
}
