package jet

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// roomy is a server with little room, and a stream that takes all of it.
type roomy struct {
	*Engine
	ballast jetstream.Stream
}

// fills makes a store in a server, and fills the server up.
func fills(t *testing.T) *roomy {
	t.Helper()
	s := arrange(t, 1, within)
	s.places[0].MostStored = 1 << 20
	s.startAll()
	nc := s.connect(t)
	e := open(t, nc, Options{Program: "halves"})
	t.Cleanup(e.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ballast, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ballast", Subjects: []string{"ballast"}})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = js.Publish(t.Context(), "ballast", make([]byte, 4<<10))
	}
	if full := (*jetstream.APIError)(nil); !errors.As(err, &full) || full.ErrorCode != noResources {
		t.Fatalf("the server is not full: %v", err)
	}
	return &roomy{e, ballast}
}

// frees makes room for one message, which may be larger than that.
func (r *roomy) frees(t *testing.T) {
	t.Helper()
	info, err := r.ballast.Info(t.Context())
	if err == nil {
		err = r.ballast.DeleteMsg(t.Context(), info.State.FirstSeq)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// value reads an entry.
func (r *roomy) value(t *testing.T, key string) (value string, revision uint64) {
	t.Helper()
	done := make(chan error)
	r.Read(0, []byte(key), func(v []byte, at uint64, err error) {
		value, revision = string(v), at
		done <- err
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return value, revision
}

// TestHalves holds that a write of several entries, for the first of which alone a server has room,
// is under way until the others are stored, too.
func TestHalves(t *testing.T) {
	t.Parallel()
	r := fills(t)
	writes := []engine.Write{{Key: []byte("sa"), Value: make([]byte, 8<<10)}, {Key: []byte("sb"), Value: make([]byte, 8<<10)}, {Key: []byte("oc"), Value: []byte("told")}}
	done := make(chan error, 1)
	r.SwapAll(0, writes, []uint64{0, 0}, func(_ uint64, err error) { done <- err })
	if err := <-done; !errors.Is(err, engine.ErrNoSpace) {
		t.Fatalf("a write without any room: %v", err)
	}
	if _, a := r.value(t, "sa"); a > 0 {
		t.Fatal("a write that was refused is there")
	}
	r.frees(t)
	r.SwapAll(0, writes, []uint64{0, 0}, func(_ uint64, err error) { done <- err })
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, a := r.value(t, "sa"); a > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the first entry does not come")
		}
	}
	if _, b := r.value(t, "sb"); b > 0 {
		t.Fatal("the server makes no halves any more: halves.go is not needed")
	}
	select {
	case err := <-done:
		t.Fatalf("a write that is made by half has ended: %v", err)
	case <-time.After(3 * mostCall / 2):
	}
	if err := r.ballast.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, engine.ErrUncertain) {
		t.Errorf("the write has ended with %v", err)
	}
	for _, w := range writes {
		if v, _ := r.value(t, string(w.Key)); v != string(w.Value) {
			t.Errorf("entry %s has %d bytes, want %d", w.Key, len(v), len(w.Value))
		}
	}
}

// TestHalvesOverwritten holds that what is missing of a write is not stored any more once another
// owner has written its record, or the first one.
func TestHalvesOverwritten(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	e := open(t, s.connect(t), Options{Program: "halves"})
	t.Cleanup(e.Close)
	r := &roomy{Engine: e}
	swap := func(key string, before uint64) (revision uint64) {
		t.Helper()
		done := make(chan error)
		e.Swap(0, []engine.Write{{Key: []byte(key), Value: []byte("later")}}, before, func(at uint64, err error) {
			revision = at
			done <- err
		})
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		return revision
	}
	first := swap("sa", 0)
	for key, revisions := range map[string][]uint64{"sb": {0, 0}, "oc": {0}} {
		messages := e.messages(0, []engine.Write{{Key: []byte("sa"), Value: []byte("half")}, {Key: []byte(key), Value: []byte("half")}})
		if len(revisions) == 2 {
			swap(key, 0)
			messages[1].Header.Set(expected, "0")
		} else {
			swap("sa", first)
		}
		ended := make(chan error)
		h := &half{engine: e, id: "x", stream: e.entriesOf(0), messages: messages, first: first, done: func(_ uint64, err error) { ended <- err }}
		h.mend(1)
		select {
		case err := <-ended:
			if !errors.Is(err, engine.ErrUncertain) {
				t.Errorf("%s: %v", key, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it does not end", key)
		}
		if v, _ := r.value(t, key); v == "half" {
			t.Errorf("%s was overwritten", key)
		}
	}
}

// TestHalvesUnknown holds that a write which was refused for want of room fails with that only if
// it is known that nothing of it is there.
func TestHalvesUnknown(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	e := open(t, s.connect(t), Options{Program: "halves"})
	looks := func() (err error) {
		messages := e.messages(0, []engine.Write{{Key: []byte("sa"), Value: []byte("half")}, {Key: []byte("sb"), Value: []byte("half")}})
		ended := make(chan error)
		h := &half{engine: e, id: "x", stream: e.entriesOf(0), messages: messages, why: engine.ErrNoSpace, done: func(_ uint64, err error) { ended <- err }}
		go h.look()
		return <-ended
	}
	if err := looks(); !errors.Is(err, engine.ErrNoSpace) {
		t.Errorf("nothing of it is there: %v", err)
	}
	e.Close()
	if err := looks(); err == nil || errors.Is(err, engine.ErrNoSpace) {
		t.Errorf("it is not known whether something is there: %v", err)
	}
}
